//! Growth: when a newer state of an item is the older one with text appended, and nothing else.

use crate::text::utf16_len;
use crate::{ItemStatus, TextDelta, ToolCall, UpsertBody, UpsertObject};

impl TextDelta {
    /// What `after` appends to `before`, whose text is `offset` UTF-16 units long. Nothing if another difference would be
    /// lost: then the whole item has to be told.
    pub fn between(before: &UpsertObject, after: &UpsertObject, offset: u64) -> Option<Self> {
        let grows = match after.status {
            ItemStatus::Update | ItemStatus::Complete => true,
            ItemStatus::Create | ItemStatus::Error => false,
        };
        let is_whole = before.truncated.is_none() && after.truncated.is_none();
        if !grows || !is_whole || !before.differs_only_in_text(after) {
            return None;
        }
        let (old, new) = (before.growing_text()?, after.growing_text()?);
        if !new.starts_with(old) {
            return None;
        }
        Some(Self {
            session_id: after.session_id.clone(),
            seq: after.seq?,
            item_id: after.item_id.clone(),
            status: after.status,
            offset,
            append: new.after(old.len()),
            emitted_at: (after.status == ItemStatus::Complete).then_some(after.emitted_at),
        })
    }

    /// How much longer the text is with it, in UTF-16 units.
    pub fn units(&self) -> u64 {
        utf16_len(&self.append)
    }
}

impl UpsertObject {
    /// Whether both are states of one item that differ in nothing but text that grows, status, times, `seq` and how much of
    /// it is there. Every field is named, so that a new one cannot be forgotten here.
    pub fn differs_only_in_text(&self, other: &Self) -> bool {
        let Self {
            turn_id,
            session_id,
            item_id,
            source_timestamp: _,
            emitted_at: _,
            status: _,
            error_code,
            error_message,
            seq: _,
            position,
            started_at,
            parent_item_id,
            truncated: _,
            body,
        } = self;
        *item_id == other.item_id
            && *session_id == other.session_id
            && *turn_id == other.turn_id
            && *error_code == other.error_code
            && *error_message == other.error_message
            && *position == other.position
            && *started_at == other.started_at
            && *parent_item_id == other.parent_item_id
            && is_same_kind(body, &other.body)
    }
}

fn is_same_kind(one: &UpsertBody, other: &UpsertBody) -> bool {
    match (one, other) {
        (
            UpsertBody::Message { content: _, origin },
            UpsertBody::Message { content: _, origin: other },
        ) => origin == other,
        (
            UpsertBody::Thinking { content: _, provider_id },
            UpsertBody::Thinking { content: _, provider_id: other },
        ) => provider_id == other,
        (UpsertBody::ToolCall(one), UpsertBody::ToolCall(other)) => is_same_call(one, other),
        (UpsertBody::Message { .. } | UpsertBody::Thinking { .. } | UpsertBody::ToolCall(_), _) => {
            false
        }
    }
}

fn is_same_call(one: &ToolCall, other: &ToolCall) -> bool {
    let ToolCall {
        tool_name,
        tool_arguments,
        call_id,
        tool_output,
        tool_output_is_error,
        kind,
        locations,
        diff,
    } = one;
    *call_id == other.call_id
        && *tool_name == other.tool_name
        && tool_output.is_some() == other.tool_output.is_some()
        && *tool_output_is_error == other.tool_output_is_error
        && *kind == other.kind
        && *locations == other.locations
        && *diff == other.diff
        && *tool_arguments == other.tool_arguments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ErrorCode, MessageOrigin, Seq, Text, ToolArguments};

    fn message(text: &str, status: ItemStatus) -> UpsertObject {
        let body = UpsertBody::Message { content: text.into(), origin: MessageOrigin::Agent };
        let item = UpsertObject::new("t".into(), "s".into(), "i".into(), body);
        UpsertObject { status, seq: Some(Seq(1)), ..item }
    }

    fn call(output: Option<&str>) -> UpsertObject {
        let body = UpsertBody::ToolCall(ToolCall {
            tool_name: "Bash".to_owned(),
            tool_arguments: ToolArguments::default(),
            call_id: "c".into(),
            tool_output: output.map(Text::from),
            tool_output_is_error: None,
            kind: None,
            locations: None,
            diff: None,
        });
        UpsertObject { body, ..message("", ItemStatus::Update) }
    }

    fn appended(before: &UpsertObject, after: &UpsertObject) -> Option<String> {
        TextDelta::between(before, after, 0).map(|delta| delta.append)
    }

    #[test]
    fn text_that_goes_on_is_growth_and_so_is_its_completion() {
        let before = message("one ", ItemStatus::Create);
        assert_eq!(
            appended(&before, &message("one two", ItemStatus::Update)).as_deref(),
            Some("two")
        );
        let done = TextDelta::between(&before, &message("one ", ItemStatus::Complete), 4).unwrap();
        assert_eq!((done.append.as_str(), done.offset), ("", 4));
        assert!(done.emitted_at.is_some());
        assert_eq!(appended(&call(Some("a")), &call(Some("ab"))).as_deref(), Some("b"));
    }

    #[test]
    fn any_other_difference_is_told_whole() {
        let before = message("one ", ItemStatus::Create);
        let failed = UpsertObject {
            error_code: Some(ErrorCode::CANCELLED),
            ..message("one two", ItemStatus::Error)
        };
        let child = UpsertObject {
            parent_item_id: Some("p".into()),
            ..message("one 2", ItemStatus::Update)
        };
        let truncated = UpsertObject {
            truncated: Some(crate::Truncation { bytes: 9 }),
            ..message("one two", ItemStatus::Update)
        };
        for after in [failed, child, truncated, message("two", ItemStatus::Update)] {
            assert_eq!(appended(&before, &after), None, "{after:?}");
        }
        assert_eq!(appended(&call(None), &call(Some("a"))), None);
    }

    #[test]
    fn growth_counts_as_javascript_does() {
        let (before, after) =
            (message("", ItemStatus::Create), message("a\u{1f600}\u{e4}", ItemStatus::Update));
        assert_eq!(TextDelta::between(&before, &after, 0).unwrap().units(), 4);
    }
}
