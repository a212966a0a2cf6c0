//! Sessions as lists and status messages show them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    CliType, Delivery, ModeId, PermissionRequest, ProjectId, SessionId, StandingPermission, TaskId,
    Timestamp, TurnId, Usage,
};

/// Whether there is an agent to talk to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum SessionState {
    Open,
    /// The agent is being started or resumed.
    Loading,
    /// It died by itself, was killed, or could not be resumed.
    Dead,
}

/// What a session does; derived from its runs and permissions, never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Activity {
    Idle,
    Running,
    /// A permission request waits for an answer.
    Permission,
    /// The last run failed.
    Error,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum SessionSource {
    Created,
    Imported,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SessionListItem {
    pub session_id: SessionId,
    pub project_id: ProjectId,
    pub cli_type: CliType,
    pub title: String,
    pub status: SessionState,
    pub activity: Activity,
    pub created_at: Timestamp,
    pub last_active_at: Timestamp,
    pub archived: bool,
    pub source: SessionSource,
}

/// The whole current status of a session.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct SessionStatus {
    pub session_id: SessionId,
    pub cli_type: CliType,
    pub is_alive: bool,
    pub state: SessionState,
    pub activity: Activity,
    /// When a message was last taken or a turn ended: it tells of turns that were over before anyone was told that they run.
    pub last_active_at: Timestamp,
    /// The turn that runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    pub queued: Vec<QueuedTurn>,
    pub background_tasks: Vec<BackgroundTask>,
    /// The permissions that wait; over HTTP only, sockets get them as messages of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<PermissionRequest>>,
    /// What its agent was allowed for more than once. Ending the agent takes it back.
    pub allowed: Vec<StandingPermission>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub notice: Option<Notice>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// The mode that its agent is in, while one runs and as far as it tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode_id: Option<ModeId>,
}

/// What a session does, in a few words: for a reader who watches many sessions and has opened none of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct SessionGlance {
    pub session_id: SessionId,
    /// When the turn that runs began.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_started_at: Option<Timestamp>,
    /// The tool that runs and what it works on, on one line of at most 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The last line that the agent wrote, or its end: at most 200 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<String>,
    /// When the agent was last heard.
    pub at: Timestamp,
}

/// A turn that was accepted and has not begun.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct QueuedTurn {
    pub turn_id: TurnId,
    pub content: String,
    pub delivery: Delivery,
    pub queued_at: Timestamp,
    /// Waits until the user sends or resumes the queue.
    pub paused: bool,
}

/// Work of an agent that goes on beside its turns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct BackgroundTask {
    pub task_id: TaskId,
    pub kind: String,
    pub description: String,
}

/// Something to show beside the status while it lasts, such as a retry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Notice {
    pub kind: String,
    pub text: String,
}
