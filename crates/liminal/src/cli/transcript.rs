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

/// A question, with all that is needed to answer it: nobody is to allow what they have not seen.
pub(super) fn asked(request: &PermissionRequest) -> String {
    let options = request
        .options
        .iter()
        .map(|option| format!("{} ({})", shown(option.option_id.as_str()), shown(&option.name)));
    let options = options.collect::<Vec<_>>().join(", ");
    let arguments = request.tool_arguments.as_ref().and_then(|it| serde_json::to_string(it).ok());
    let arguments = arguments.map(|text| format!(" {}", shown(&text))).unwrap_or_default();
    let (id, title) = (shown(request.permission_id.as_str()), shown(&request.title));
    let details = [diffs(request), plan(request), questions(request)].concat();
    let details = details.iter().map(|line| format!("\n    {line}")).collect::<String>();
    format!("? {id}: {title}{arguments}{details}\n  answer with one of: {options}")
}

/// What would be changed, as a diff is usually written.
fn diffs(request: &PermissionRequest) -> Vec<String> {
    let mut lines = Vec::new();
    for diff in request.diff.iter().flatten() {
        lines.push(shown(&diff.path));
        for hunk in &diff.hunks {
            lines.push(format!(
                "@@ -{},{} +{},{} @@",
                hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines
            ));
            lines.extend(hunk.lines.iter().map(|line| shown(line)));
        }
    }
    lines
}

fn plan(request: &PermissionRequest) -> Vec<String> {
    let lines = request.plan.iter().flat_map(|plan| plan.lines());
    lines.map(|line| format!("| {}", shown(line))).collect()
}

fn questions(request: &PermissionRequest) -> Vec<String> {
    let mut lines = Vec::new();
    for question in request.questions.iter().flatten() {
        let choice = if question.multi_select { "any of" } else { "one of" };
        lines.push(format!("{} ({choice})", shown(&question.question)));
        lines.extend(question.options.iter().map(|option| {
            let more = option.description.as_deref().map(|text| format!(": {}", shown(text)));
            format!("- {}{}", shown(&option.label), more.unwrap_or_default())
        }));
    }
    lines
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn s_29_a_question_is_told_with_its_diff_its_plan_and_what_it_asks() {
        let hunk = json!({
            "oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1,
            "lines": ["-old", "+new \u{1b}[8mhidden", "+\u{202e}turned\n+forged"],
        });
        let request = json!({
            "permissionId": "p", "sessionId": "s", "title": "Edit", "askedAt": "2026-01-01T00:00:00.000Z",
            "toolArguments": {"path": "a.rs"},
            "diff": [{"path": "a\u{7}.rs", "hunks": [hunk]}],
            "plan": "first\nthen \u{1b}[2J",
            "questions": [{
                "question": "Which\u{200b}?", "multiSelect": true,
                "options": [{"label": "this\r", "description": "the best"}, {"label": "that"}],
            }],
            "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}],
        });
        let request: PermissionRequest = serde_json::from_value(request).unwrap();
        let expected = "\
? p: Edit {\"path\":\"a.rs\"}
    a\u{fffd}.rs
    @@ -1,1 +1,1 @@
    -old
    +new \u{fffd}[8mhidden
    +<U+202E>turned\u{fffd}+forged
    | first
    | then \u{fffd}[2J
    Which<U+200B>? (any of)
    - this\u{fffd}: the best
    - that
  answer with one of: yes (Allow)";
        assert_eq!(asked(&request), expected);
    }
}
