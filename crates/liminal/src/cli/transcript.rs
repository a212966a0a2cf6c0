//! Items, turns and questions as lines for people.

use contract::{
    ItemStatus, MessageOrigin, PermissionRequest, ToolCall, TurnEvent, TurnEventKind, TurnStatus,
    UpsertBody, UpsertObject,
};

use crate::terminal::{shown, shown_text};

/// An item that has come to rest, in words; None while it grows. A tool call is told once it has ended.
pub(super) fn item(item: &UpsertObject) -> Option<String> {
    let is_final = matches!(item.status, ItemStatus::Complete | ItemStatus::Error);
    let text = match &item.body {
        UpsertBody::ToolCall(call) if is_final && has_ended(item, call) => tool(call),
        UpsertBody::Message { content, origin } if is_final => {
            format!("{}: {}", speaker(*origin), shown_text(&content.to_string()))
        }
        UpsertBody::Thinking { content, .. } if is_final => {
            format!("thinking: {}", shown_text(&content.to_string()))
        }
        UpsertBody::ToolCall(_) | UpsertBody::Message { .. } | UpsertBody::Thinking { .. } => {
            return None;
        }
    };
    let failure = item.error_code.as_ref().map(|code| format!(" [{}]", shown(code.as_str())));
    let rest = item.truncated.as_ref().map(|whole| {
        format!("\n[the beginning of {} bytes; `liminal export` has all]", whole.bytes)
    });
    Some(text + &rest.unwrap_or_default() + &failure.unwrap_or_default())
}

/// The end of a turn, in words; None for its start.
pub(super) fn turn(event: &TurnEvent) -> Option<String> {
    match &event.kind {
        TurnEventKind::TurnStarted { .. } => None,
        TurnEventKind::TurnComplete { status: TurnStatus::Completed, .. } => {
            Some("-- done".to_owned())
        }
        TurnEventKind::TurnComplete { status: TurnStatus::Cancelled, .. } => {
            Some("-- cancelled".to_owned())
        }
        TurnEventKind::TurnError { error_code, error_message, .. } => {
            let (code, message) = (shown(error_code.as_str()), shown_text(error_message));
            Some(format!("-- failed: {message} [{code}]"))
        }
    }
}

/// A question, with all that is needed to answer it.
pub(super) fn asked(request: &PermissionRequest) -> String {
    let options = request
        .options
        .iter()
        .map(|option| format!("{} ({})", shown(option.option_id.as_str()), shown(&option.name)));
    let options = options.collect::<Vec<_>>().join(", ");
    let arguments = request.tool_arguments.as_ref().and_then(|it| serde_json::to_string(it).ok());
    let arguments = arguments.map(|text| format!(" {}", shown(&text))).unwrap_or_default();
    let (id, title) = (shown(request.permission_id.as_str()), shown(&request.title));
    format!("? {id}: {title}{arguments}\n  answer with one of: {options}")
}

fn has_ended(item: &UpsertObject, call: &ToolCall) -> bool {
    call.tool_output.is_some() || item.status == ItemStatus::Error
}

fn tool(call: &ToolCall) -> String {
    let arguments = serde_json::to_string(&call.tool_arguments).unwrap_or_default();
    let output = call.tool_output.as_ref().map(ToString::to_string).unwrap_or_default();
    let output = shown_text(output.trim_end());
    let output = output.lines().map(|line| format!("\n  {line}")).collect::<String>();
    format!("{} {}{output}", shown(&call.tool_name), shown(&arguments))
}

fn speaker(origin: MessageOrigin) -> &'static str {
    match origin {
        MessageOrigin::User => "you",
        MessageOrigin::Agent => "agent",
        MessageOrigin::System => "system",
    }
}
