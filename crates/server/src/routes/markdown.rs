//! A session as a text to be read.

use contract::{
    ErrorCode, ItemStatus, MessageOrigin, SessionListItem, ToolCall, TurnEvent, TurnEventKind,
    TurnStatus, UpsertBody, UpsertObject,
};

pub(super) fn head(session: &SessionListItem) -> String {
    let SessionListItem { title, session_id, cli_type, created_at, .. } = session;
    format!("# {title}\n\nSession `{session_id}` with `{cli_type}`, begun {created_at}.\n")
}

/// What was taken back is left out.
pub(super) fn item(item: &UpsertObject) -> String {
    if item.error_code == Some(ErrorCode::SUPERSEDED) {
        return String::new();
    }
    let body = match &item.body {
        UpsertBody::Message { content, origin } => {
            let who = match origin {
                MessageOrigin::User => "You",
                MessageOrigin::Agent => "Agent",
                MessageOrigin::System => "System",
            };
            format!("\n## {who}\n\n{}\n", content.to_string().trim_end())
        }
        UpsertBody::Thinking { content, .. } => {
            format!("\n> *Thinking*\n>\n{}", quoted(&content.to_string()))
        }
        UpsertBody::ToolCall(call) => tool(call),
    };
    match (item.status, &item.error_code) {
        (ItemStatus::Error, Some(code)) => format!("{body}\n*(ended early: {code})*\n"),
        _ => body,
    }
}

/// Only what went wrong is worth a line: the messages tell where turns begin and end.
pub(super) fn turn(event: &TurnEvent) -> String {
    match &event.kind {
        TurnEventKind::TurnError { error_code, error_message, .. } => {
            format!("\n*The turn failed: {error_code}.*\n\n{}", quoted(error_message))
        }
        TurnEventKind::TurnComplete { status: TurnStatus::Cancelled, .. } => {
            "\n*The turn was stopped.*\n".to_owned()
        }
        TurnEventKind::TurnStarted { .. }
        | TurnEventKind::TurnComplete { status: TurnStatus::Completed, .. } => String::new(),
    }
}

fn tool(call: &ToolCall) -> String {
    let arguments = serde_json::to_string_pretty(&call.tool_arguments).unwrap_or_default();
    let mut text = format!("\n### {}\n\n{}", one_line(&call.tool_name), fenced("json", &arguments));
    if let Some(output) = call.tool_output.as_ref().filter(|output| !output.is_empty()) {
        text.push('\n');
        text.push_str(&fenced("text", &output.to_string()));
    }
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn quoted(text: &str) -> String {
    text.lines().map(|line| format!("> {line}\n")).collect()
}

/// The fence is longer than any in the text, so that the text cannot end it.
fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|char| char != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{}\n{fence}\n", text.trim_end_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_cannot_end_its_fence() {
        assert_eq!(fenced("text", "a\n"), "```text\na\n```\n");
        assert_eq!(fenced("text", "```\nb ````\n"), "`````text\n```\nb ````\n`````\n");
    }
}
