//! Entries as clients of the legacy family show them.

use serde::{Deserialize, Serialize};

use crate::{CallId, ItemId, SessionId, Text, Timestamp};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub enum ChatEntry {
    User {
        entry_id: ItemId,
        content: Text,
        timestamp: Timestamp,
    },
    Assistant {
        entry_id: ItemId,
        content: Text,
        timestamp: Timestamp,
    },
    Thinking {
        entry_id: ItemId,
        content: Text,
    },
    ToolCall {
        entry_id: ItemId,
        tool_call_id: CallId,
        name: String,
        status: LegacyToolStatus,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        result: Option<Text>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error: Option<String>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum LegacyToolStatus {
    Running,
    Complete,
    Error,
}

/// The history as clients of the legacy family get it; otherwise `session:history` carries upserts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename = "session:history", rename_all = "camelCase")]
pub struct LegacyHistory {
    pub session_id: SessionId,
    pub entries: Vec<ChatEntry>,
}
