//! One line of the CLI's output → one event.

mod content;
mod fields;
mod object;
mod word;

use serde::Deserialize;

pub(crate) use content::{ApiUsage, Block, Content, Message};
pub(crate) use fields::{Delta, ModelUsage, TaskField};
pub(crate) use word::Word;

use crate::event::{Event, Init, Lifecycle, Retry, Snapshot, TaskStarted, TurnResult, UserLine};
use fields::{ApiEvent, Fields};

/// Why a line is not an event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LineError {
    #[error("not JSON: {0}")]
    NotJson(String),
    /// A line of a known kind that lacks what it must have.
    #[error("{kind} lacks {field}")]
    Incomplete { kind: String, field: &'static str },
    #[error("{kind}: {problem}")]
    OddShape { kind: String, problem: String },
}

/// The first capability by which an agent says that it reports the life of every message.
const REPORTS_MESSAGES: &str = "msg_lifecycle_v1";

pub(crate) fn parse(line: &str) -> Result<Event<'_>, LineError> {
    match serde_json::from_str::<Fields<'_>>(line) {
        Ok(fields) => event(fields),
        Err(error) => odd(line, &error),
    }
}

/// Only reads the fields of a line, and makes nothing of them.
pub fn parse_only(line: &str) -> bool {
    std::hint::black_box(serde_json::from_str::<Fields<'_>>(line)).is_ok()
}

/// A line whose fields have other shapes than ours: of an unknown kind it is nothing to us, of a known kind it is broken.
fn odd<'a>(line: &'a str, error: &serde_json::Error) -> Result<Event<'a>, LineError> {
    #[derive(Default, Deserialize)]
    #[serde(default)]
    struct Tags<'a> {
        #[serde(rename = "type", borrow)]
        kind: Word<'a>,
        #[serde(borrow)]
        subtype: Word<'a>,
    }
    let tags: Tags<'_> =
        serde_json::from_str(line).map_err(|error| LineError::NotJson(error.to_string()))?;
    let bare =
        Fields { kind: tags.kind.clone(), subtype: tags.subtype.clone(), ..Fields::default() };
    match event(bare) {
        Ok(Event::Unknown) => Ok(Event::Unknown),
        Ok(_) | Err(_) => Err(LineError::OddShape {
            kind: format!("{} {}", tags.kind.as_str(), tags.subtype.as_str()),
            problem: error.to_string(),
        }),
    }
}

fn event(fields: Fields<'_>) -> Result<Event<'_>, LineError> {
    match fields.kind.as_str() {
        "stream_event" => stream_event(fields),
        "assistant" => snapshot(fields),
        "user" => user(fields),
        "result" => Ok(Event::Result(Box::new(result(fields)))),
        "system" => system(fields),
        "command_lifecycle" => lifecycle(fields),
        "control_request" => match fields.request {
            Some(request) => Ok(Event::Asked { request_id: fields.request_id, request }),
            None => Err(lacks("control_request", "request")),
        },
        "control_cancel_request" => Ok(Event::AskWithdrawn(fields.request_id)),
        "control_response" => fields
            .response
            .map(Event::Answered)
            .ok_or_else(|| lacks("control_response", "response")),
        "conversation_reset" | "keep_alive" => Ok(Event::Quiet),
        _ => Ok(Event::Unknown),
    }
}

fn lacks(kind: &str, field: &'static str) -> LineError {
    LineError::Incomplete { kind: kind.to_owned(), field }
}

fn stream_event(fields: Fields<'_>) -> Result<Event<'_>, LineError> {
    let abandoned_from = fields.abandoned_blocks.map(|abandoned| abandoned.from_block_index);
    let messages = fields.user_message_uuids.unwrap_or_default();
    let event = fields.event.0.ok_or_else(|| lacks("stream_event", "event"))?;
    let ApiEvent { kind, index, content_block, delta, message } = event;
    let index = || index.ok_or_else(|| lacks("stream_event", "index"));
    match kind.as_str() {
        "content_block_delta" => {
            let delta = delta.ok_or_else(|| lacks("content_block_delta", "delta"))?;
            Ok(Event::BlockDelta { index: index()?, delta })
        }
        "content_block_start" => {
            let block =
                content_block.ok_or_else(|| lacks("content_block_start", "content_block"))?;
            Ok(Event::BlockStart { index: index()?, block })
        }
        "content_block_stop" => Ok(Event::BlockStop { index: index()? }),
        "message_start" => {
            let message = message.0.ok_or_else(|| lacks("message_start", "message"))?;
            let Message { id, model, usage, .. } = message;
            Ok(Event::MessageStart { id, model, usage, messages })
        }
        "message_delta" => {
            let stop_reason = delta.unwrap_or_default().stop_reason;
            Ok(Event::MessageDelta { stop_reason })
        }
        "message_stop" => Ok(Event::MessageStop { abandoned_from }),
        "ping" => Ok(Event::Quiet),
        _ => Ok(Event::Unknown),
    }
}

fn snapshot(fields: Fields<'_>) -> Result<Event<'_>, LineError> {
    let message = fields.message.0.ok_or_else(|| lacks("assistant", "message"))?;
    Ok(Event::Snapshot(Snapshot {
        parent: fields.parent_tool_use_id,
        message,
        error: fields.error,
        is_aborted: fields.aborted.unwrap_or_default(),
    }))
}

fn user(fields: Fields<'_>) -> Result<Event<'_>, LineError> {
    if fields.is_replay.unwrap_or_default() {
        return Ok(Event::Replay(fields.uuid));
    }
    let message = fields.message.0.ok_or_else(|| lacks("user", "message"))?;
    Ok(Event::User(UserLine {
        parent: fields.parent_tool_use_id,
        content: message.content,
        tool_use_result: fields.tool_use_result,
    }))
}

fn result(fields: Fields<'_>) -> TurnResult<'_> {
    TurnResult {
        subtype: fields.subtype,
        is_error: fields.is_error.unwrap_or_default(),
        terminal_reason: fields.terminal_reason,
        stop_reason: fields.stop_reason,
        text: fields.result,
        errors: fields.errors.unwrap_or_default(),
        api_error_status: fields.api_error_status,
        num_turns: fields.num_turns.unwrap_or_default(),
        messages: fields.user_message_uuids.unwrap_or_default(),
        is_from_notification: fields
            .origin
            .is_some_and(|origin| origin.kind.as_str() == "task-notification"),
        usage: fields.usage,
        model_usage: fields.model_usage.unwrap_or_default(),
        model_usage_of_turn: fields.model_usage_since_last_result,
        total_cost_usd: fields.total_cost_usd,
    }
}

fn system(fields: Fields<'_>) -> Result<Event<'_>, LineError> {
    match fields.subtype.as_str() {
        "init" => Ok(Event::Init(init(fields))),
        "status" => Ok(status(fields)),
        "session_state_changed" => Ok(Event::SessionState),
        "task_started" => task_started(fields),
        "task_updated" => Ok(task_updated(fields)),
        "task_notification" => Ok(Event::TaskNotification {
            has_output: fields.output_file.given().is_some(),
            task_id: fields.task_id,
        }),
        "background_tasks_changed" => Ok(Event::BackgroundTasks(fields.tasks.unwrap_or_default())),
        "api_retry" => Ok(Event::Retry(Retry {
            attempt: fields.attempt.unwrap_or_default(),
            max_retries: fields.max_retries.unwrap_or_default(),
            delay_ms: fields.retry_delay_ms.unwrap_or_default(),
            status: fields.error_status,
            error: fields.error,
        })),
        "model_refusal_no_fallback" => Ok(Event::Refused),
        // A denied tool's result says the same; the rest is progress.
        "permission_denied" | "thinking_tokens" | "task_progress" | "compact_boundary"
        | "informational" | "ui_invalidate" => Ok(Event::Quiet),
        _ => Ok(Event::Unknown),
    }
}

fn init(fields: Fields<'_>) -> Init<'_> {
    let capabilities = fields.capabilities.unwrap_or_default();
    Init {
        session_id: fields.session_id,
        model: fields.model,
        permission_mode: fields.permission_mode,
        messages: fields.user_message_uuids.unwrap_or_default(),
        reports_messages: capabilities.iter().any(|name| name.as_str() == REPORTS_MESSAGES),
    }
}

fn status(fields: Fields<'_>) -> Event<'_> {
    match fields.status.as_str() {
        "requesting" => Event::Requesting(fields.user_message_uuids.unwrap_or_default()),
        "compacting" => Event::Compacting,
        _ if fields.permission_mode.given().is_some() => Event::ModeChanged(fields.permission_mode),
        _ => Event::StatusCleared,
    }
}

fn task_started(fields: Fields<'_>) -> Result<Event<'_>, LineError> {
    if fields.task_id.given().is_none() {
        return Err(lacks("task_started", "task_id"));
    }
    Ok(Event::TaskStarted(TaskStarted {
        task_id: fields.task_id,
        tool_use_id: fields.tool_use_id,
        task_type: fields.task_type,
        description: fields.description,
        is_backgrounded: fields.is_backgrounded,
    }))
}

fn task_updated(fields: Fields<'_>) -> Event<'_> {
    let status = fields.patch.unwrap_or_default().status;
    match status.as_str() {
        "completed" | "failed" | "killed" | "stopped" => {
            Event::TaskEnded { task_id: fields.task_id }
        }
        _ => Event::Quiet,
    }
}

fn lifecycle(fields: Fields<'_>) -> Result<Event<'_>, LineError> {
    let state = match fields.state.as_str() {
        "queued" => Lifecycle::Queued,
        "started" => Lifecycle::Started,
        "completed" => Lifecycle::Completed,
        "cancelled" | "discarded" | "refused" => Lifecycle::NotCompleted,
        _ => return Ok(Event::Unknown),
    };
    let message = fields.command_uuid;
    if message.given().is_none() {
        return Err(lacks("command_lifecycle", "command_uuid"));
    }
    Ok(Event::Lifecycle { message, state })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_type_may_stand_anywhere() {
        let line = r#"{"is_error":false,"result":"done","type":"result","subtype":"success"}"#;
        let Event::Result(result) = parse(line).unwrap() else { panic!() };
        assert_eq!((result.text.as_str(), result.is_error), ("done", false));
    }

    #[test]
    fn an_unknown_line_is_kept_whatever_its_shape() {
        for line in [
            r#"{"type":"weather"}"#,
            r#"{"type":"system","subtype":"new_thing","tasks":{"a":1},"message":7}"#,
            r#"{"type":"system","subtype":"new_thing","usage":"odd"}"#,
        ] {
            assert!(matches!(parse(line).unwrap(), Event::Unknown), "{line}");
        }
    }

    #[test]
    fn a_known_line_that_lacks_something_is_named() {
        let error = parse(r#"{"type":"stream_event","event":{"type":"content_block_stop"}}"#);
        assert_eq!(error.unwrap_err().to_string(), "stream_event lacks index");
        let error = parse(r#"{"type":"system","subtype":"task_started","tasks":7}"#);
        assert!(matches!(error, Err(LineError::OddShape { .. })));
        assert!(matches!(parse("{\"type\":\"resu"), Err(LineError::NotJson(_))));
    }
}
