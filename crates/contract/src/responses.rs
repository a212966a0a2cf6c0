//! Bodies of HTTP answers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Activity, CliType, ErrorCode, ItemId, ModeId, ModeInfo, ModelId, ModelInfo, ProjectId,
    SessionId, SessionListItem, SlashCommand, Timestamp, TurnId,
};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SessionCreated {
    pub session_id: SessionId,
    pub cli_type: CliType,
    pub project_id: ProjectId,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SessionLoaded {
    pub session_id: SessionId,
    pub cli_type: CliType,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Sessions {
    pub sessions: Vec<SessionListItem>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SessionSent {
    pub turn_id: TurnId,
    pub state: SendState,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum SendState {
    Started,
    Queued,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Cancelled {
    /// False when nothing was running.
    pub cancelled: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Killed {
    pub killed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct WaitResult {
    pub activity: Activity,
    pub timed_out: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PermissionAnswered {
    pub answered: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct QueueRemoved {
    pub removed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ProjectRemoved {
    pub removed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TaskStopped {
    pub stopped: bool,
}

/// What a session's agent can be set to, and what it is set to. Empty while no agent runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct SessionOptions {
    pub models: Vec<ModelInfo>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_model_id: Option<ModelId>,
    pub modes: Vec<ModeInfo>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_mode_id: Option<ModeId>,
    pub commands: Vec<SlashCommand>,
}

/// How many envelopes of a body were taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct EventsAccepted {
    #[cfg_attr(test, ts(type = "number"))]
    pub accepted: u64,
    /// How many of these had no effect: of unknown items, repeated, or after the end of their turn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "number"))]
    pub ignored: Option<u64>,
}

/// Why a line of envelopes was refused. The lines before it stay accepted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct EventsRejected {
    pub code: ErrorCode,
    pub message: String,
    /// Counted from 1, blank lines included.
    #[cfg_attr(test, ts(type = "number"))]
    pub line: u64,
    /// Where in the envelope; empty for the whole line.
    pub path: String,
    #[cfg_attr(test, ts(type = "number"))]
    pub accepted: u64,
}

/// An earlier session of an agent, made without us.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct ImportableSession {
    pub cli_type: CliType,
    pub provider_session_id: String,
    /// The beginning of its first prompt.
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Timestamp>,
    pub last_active_at: Timestamp,
    /// How many prompts it holds; of a very long one those in its first part.
    #[cfg_attr(test, ts(type = "number"))]
    pub prompts: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ImportableSessions {
    pub sessions: Vec<ImportableSession>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct DirectoryCompletions {
    pub dirs: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct FileCompletions {
    pub files: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SearchResults {
    pub hits: Vec<SearchHit>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SearchHit {
    pub session_id: SessionId,
    pub item_id: ItemId,
    pub snippet: String,
}

/// What a login code is worth, beside the cookie. Both are needed together.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LoggedIn {
    /// For the page alone: cookies are sent to every port of a host, this is not.
    pub page_key: String,
}

/// The key is a credential: it is not written anywhere.
impl std::fmt::Debug for LoggedIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LoggedIn { page_key: <hidden> }")
    }
}
