//! A replay as people read it: one line per event, with the beginning of what was said.

use std::fmt;

use contract::{ItemStatus, TurnEvent, TurnEventKind, TurnStatus, UpsertBody, UpsertObject, Usage};

use crate::replayed::{HistoryEvent, ReplayEvent, ReplayedThing};

/// As much of a text as fits on a line.
const SHOWN: usize = 100;

impl fmt::Display for ReplayEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:>7} ", self.ms)?;
        match &self.what {
            ReplayedThing::Upsert(upsert) => write_upsert(f, upsert),
            ReplayedThing::Turn(event) => write_turn(f, event),
            ReplayedThing::Permission(request) => {
                write!(f, "permission {} ", request.title)?;
                match (&request.outcome, &request.option_id) {
                    (None, _) => f.write_str("asked"),
                    (Some(_), Some(option)) => write!(f, "answered: {option}"),
                    (Some(outcome), None) => write!(f, "{outcome:?}"),
                }
            }
            ReplayedThing::Status(status) => {
                write!(f, "status {}", status.activity)?;
                for task in &status.background_tasks {
                    write!(f, " [{} {}]", task.kind, short(&task.description))?;
                }
                if let Some(notice) = &status.notice {
                    write!(f, " ({}: {})", notice.kind, short(&notice.text))?;
                }
                for step in status.plan.iter().flatten() {
                    write!(f, " <{} {}>", step.status, short(&step.content))?;
                }
                Ok(())
            }
            ReplayedThing::Unknown(line) => write!(f, "unknown {}", short(&line.to_string())),
        }
    }
}

impl fmt::Display for HistoryEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Upsert(upsert) => write_upsert(f, upsert),
            Self::Turn(event) => write_turn(f, event),
        }
    }
}

fn write_upsert(f: &mut fmt::Formatter<'_>, upsert: &UpsertObject) -> fmt::Result {
    let status = match upsert.status {
        ItemStatus::Create => "create",
        ItemStatus::Update => "update",
        ItemStatus::Complete => "complete",
        ItemStatus::Error => upsert.error_code.as_ref().map_or("error", |code| code.as_str()),
    };
    let item = short_id(upsert.item_id.as_str());
    let indent = if upsert.parent_item_id.is_some() { "  " } else { "" };
    match &upsert.body {
        UpsertBody::Message { content, origin } => {
            write!(f, "{indent}{item} {origin:?} {status}: {}", short(&content.to_string()))
        }
        UpsertBody::Thinking { content, .. } => {
            write!(f, "{indent}{item} Thinking {status}: {}", short(&content.to_string()))
        }
        UpsertBody::ToolCall(tool) => {
            let arguments = serde_json::to_string(&tool.tool_arguments).unwrap_or_default();
            write!(f, "{indent}{item} {} {status} {}", tool.tool_name, short(&arguments))?;
            match (&tool.tool_output, tool.tool_output_is_error) {
                (Some(output), Some(true)) => write!(f, " ✗ {}", short(&output.to_string())),
                (Some(output), _) => write!(f, " → {}", short(&output.to_string())),
                (None, _) => Ok(()),
            }
        }
    }
}

fn write_turn(f: &mut fmt::Formatter<'_>, event: &TurnEvent) -> fmt::Result {
    write!(f, "turn {} ", short_id(event.turn_id.as_str()))?;
    match &event.kind {
        TurnEventKind::TurnStarted { origin, joined_turn_id, model_id, .. } => {
            let origin = origin.map(|origin| format!("{origin:?}").to_lowercase());
            write!(f, "started ({}, {model_id})", origin.as_deref().unwrap_or("user"))?;
            match joined_turn_id {
                Some(joined) => write!(f, " in {}", short_id(joined.as_str())),
                None => Ok(()),
            }
        }
        TurnEventKind::TurnComplete { status, usage } => {
            f.write_str(match status {
                TurnStatus::Completed => "completed",
                TurnStatus::Cancelled => "cancelled",
            })?;
            match usage {
                // Some agents tell only how full the window is.
                Some(Usage {
                    input_tokens: 0,
                    output_tokens: 0,
                    context_tokens: Some(used),
                    context_window: Some(window),
                    ..
                }) => write!(f, " ({used} of {window} tokens)"),
                Some(usage) => {
                    write!(f, " ({} in, {} out)", usage.input_tokens, usage.output_tokens)
                }
                None => Ok(()),
            }
        }
        TurnEventKind::TurnError { error_code, error_message, error_class } => {
            let class = error_class.as_deref().unwrap_or("-");
            write!(f, "{error_code} [{class}] {}", short(error_message))
        }
    }
}

/// One line of a text, cut in the middle of nothing.
fn short(text: &str) -> String {
    let mut line: String =
        text.chars().take(SHOWN).map(|c| if c == '\n' { '⏎' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        line.push('…');
    }
    line
}

/// Ids that agents and hosts make are long; their beginnings tell them apart well enough.
fn short_id(id: &str) -> String {
    let (turn, rest) = id.split_once(':').map_or((id, ""), |(turn, rest)| (turn, rest));
    let turn: String = turn.chars().take(8).collect();
    if rest.is_empty() { turn } else { format!("{turn}:{rest}") }
}
