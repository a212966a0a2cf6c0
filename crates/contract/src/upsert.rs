//! Upserts: the whole state of one item. A newer one may stand in for an unsent older one.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    CallId, ErrorCode, FileDiff, ItemId, Location, MessageOrigin, ProviderId, Seq, SessionId, Text,
    Timestamp, ToolArguments, ToolKind, TurnId,
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct UpsertObject {
    pub turn_id: TurnId,
    pub session_id: SessionId,
    pub item_id: ItemId,
    /// When what caused this state reached us.
    pub source_timestamp: Timestamp,
    /// When the provider or processor made this state.
    pub emitted_at: Timestamp,
    pub status: ItemStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_code: Option<ErrorCode>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_message: Option<String>,
    /// The seq of this change; present once journalled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<Seq>,
    /// The seq of the item's creation: the sort key; present once journalled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<Seq>,
    /// When the item was created; present once journalled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<Timestamp>,
    /// The item of the subagent whose work this is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_item_id: Option<ItemId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub truncated: Option<Truncation>,
    #[serde(flatten)]
    pub body: UpsertBody,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ItemStatus {
    Create,
    Update,
    /// Final, or for a tool call: its arguments are final and it runs.
    Complete,
    /// Failed or cut short; it never becomes `complete` again.
    Error,
}

/// The stream carries a part of the item; the whole is had by HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Truncation {
    /// Length of the whole.
    #[cfg_attr(test, ts(type = "number"))]
    pub bytes: u64,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum UpsertBody {
    Message { content: Text, origin: MessageOrigin },
    Thinking { content: Text, provider_id: ProviderId },
    ToolCall(ToolCall),
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct ToolCall {
    pub tool_name: String,
    pub tool_arguments: ToolArguments,
    pub call_id: CallId,
    /// Absent while the tool runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_output: Option<Text>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_output_is_error: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ToolKind>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub locations: Option<Vec<Location>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<Vec<FileDiff>>,
}

impl UpsertObject {
    /// A `create` without times and without anything optional, to be completed by whoever makes one.
    pub fn new(turn_id: TurnId, session_id: SessionId, item_id: ItemId, body: UpsertBody) -> Self {
        Self {
            turn_id,
            session_id,
            item_id,
            source_timestamp: Timestamp::default(),
            emitted_at: Timestamp::default(),
            status: ItemStatus::Create,
            error_code: None,
            error_message: None,
            seq: None,
            position: None,
            started_at: None,
            parent_item_id: None,
            truncated: None,
            body,
        }
    }

    /// The item's growing text: of a message or of thinking.
    pub fn content(&self) -> Option<&Text> {
        match &self.body {
            UpsertBody::Message { content, .. } | UpsertBody::Thinking { content, .. } => {
                Some(content)
            }
            UpsertBody::ToolCall(_) => None,
        }
    }

    /// The text that grows: of a message, of thinking, or what a call gives.
    pub fn growing_text(&self) -> Option<&Text> {
        match &self.body {
            UpsertBody::Message { content, .. } | UpsertBody::Thinking { content, .. } => {
                Some(content)
            }
            UpsertBody::ToolCall(tool) => tool.tool_output.as_ref(),
        }
    }

    pub fn growing_text_mut(&mut self) -> Option<&mut Text> {
        match &mut self.body {
            UpsertBody::Message { content, .. } | UpsertBody::Thinking { content, .. } => {
                Some(content)
            }
            UpsertBody::ToolCall(tool) => tool.tool_output.as_mut(),
        }
    }

    /// Whether nothing more is expected of this item: it failed, or it is complete and is no tool still at work.
    pub fn is_final(&self) -> bool {
        match (self.status, &self.body) {
            (ItemStatus::Create | ItemStatus::Update, _) => false,
            (ItemStatus::Complete, UpsertBody::ToolCall(tool)) => tool.tool_output.is_some(),
            (ItemStatus::Complete, UpsertBody::Message { .. } | UpsertBody::Thinking { .. })
            | (ItemStatus::Error, _) => true,
        }
    }
}

/// What a state costs in memory and on the wire, near enough to bound a queue by.
mod size {
    use super::{ToolCall, UpsertBody, UpsertObject};

    const FIXED: usize = 512;

    impl UpsertObject {
        pub fn approximate_size(&self) -> usize {
            FIXED + self.text_size()
        }

        /// What of it has no bound of its own: its text, and of a call its arguments, changes and output.
        pub fn text_size(&self) -> usize {
            match &self.body {
                UpsertBody::Message { content, .. } | UpsertBody::Thinking { content, .. } => {
                    content.len()
                }
                UpsertBody::ToolCall(tool) => of_tool(tool),
            }
        }
    }

    fn of_tool(tool: &ToolCall) -> usize {
        let output = tool.tool_output.as_ref().map_or(0, crate::Text::len);
        let lines =
            tool.diff.iter().flatten().flat_map(|file| &file.hunks).flat_map(|hunk| &hunk.lines);
        output + lines.map(String::len).sum::<usize>() + tool.tool_arguments.approximate_size()
    }
}
