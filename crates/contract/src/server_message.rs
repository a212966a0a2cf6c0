//! What the server says over WebSocket.

use serde::{Deserialize, Serialize};

use crate::{
    AgentConnection, ChatEntry, CliType, ClientMessageId, ErrorCode, HistoryMode, HistoryPage,
    ItemId, ItemStatus, PermissionRequest, Project, ProjectId, RequestId, SendState, Seq,
    SessionGlance, SessionId, SessionListItem, SessionStatus, Timestamp, TurnEvent, TurnId,
    UpsertObject,
};

/// One message; an answer echoes the id of what it answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct ServerFrame {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
    #[serde(flatten)]
    pub message: ServerMessage,
}

/// Which messages a connection gets; chosen once, by its hello.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum Family {
    #[serde(rename = "legacy")]
    Legacy,
    /// Whole items.
    #[serde(rename = "upsert-v1")]
    UpsertV1,
    /// Whole items, but growth of text as appended suffixes.
    #[serde(rename = "upsert-v2")]
    UpsertV2,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub enum ServerMessage {
    #[serde(rename = "session:hello:ack")]
    HelloAck { selected_family: Family },
    #[serde(rename = "session:upsert")]
    Upsert { session_id: SessionId, seq: Seq, payload: UpsertObject },
    #[serde(rename = "session:delta")]
    Delta(TextDelta),
    #[serde(rename = "session:turn")]
    Turn { session_id: SessionId, seq: Seq, payload: TurnEvent },
    #[serde(rename = "session:history")]
    History {
        session_id: SessionId,
        mode: HistoryMode,
        /// Set when the server had to drop what this connection had not read yet.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        resync: Option<bool>,
        #[serde(flatten)]
        page: HistoryPage,
    },
    #[serde(rename = "session:status")]
    Status(SessionStatus),
    /// Only to connections whose hello asks for it.
    #[serde(rename = "session:glance")]
    Glance(SessionGlance),
    #[serde(rename = "server:draining")]
    Draining {
        #[cfg_attr(test, ts(type = "number"))]
        deadline_ms: u64,
    },
    #[serde(rename = "pong")]
    Pong {},
    /// What was asked for is done, and nothing else says so with the id of the request.
    #[serde(rename = "ok")]
    Done {},
    #[serde(rename = "permission:requested")]
    PermissionRequested(PermissionRequest),
    #[serde(rename = "permission:resolved")]
    PermissionResolved(PermissionRequest),
    #[serde(rename = "session:plan")]
    Plan { session_id: SessionId, entries: Vec<PlanEntry> },
    #[serde(rename = "session:sent")]
    Sent {
        session_id: SessionId,
        turn_id: TurnId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client_message_id: Option<ClientMessageId>,
        state: SendState,
    },
    #[serde(rename = "session:update")]
    LegacyUpdate { session_id: SessionId, entry: ChatEntry },
    #[serde(rename = "session:chunk")]
    LegacyChunk { session_id: SessionId, entry_id: ItemId, content: String },
    #[serde(rename = "session:complete")]
    LegacyComplete { session_id: SessionId, entry_id: ItemId },
    #[serde(rename = "session:cancelled")]
    LegacyCancelled { session_id: SessionId, entry_id: ItemId },
    #[serde(rename = "session:created")]
    SessionCreated { session: SessionListItem },
    #[serde(rename = "session:archived")]
    SessionArchived { session_id: SessionId },
    #[serde(rename = "session:title-updated")]
    SessionTitleUpdated { session_id: SessionId, title: String },
    #[serde(rename = "session:list")]
    SessionList { project_id: ProjectId, sessions: Vec<SessionListItem> },
    #[serde(rename = "session:error")]
    SessionError { session_id: SessionId, message: String },
    #[serde(rename = "project:added")]
    ProjectAdded { project: Project },
    #[serde(rename = "project:removed")]
    ProjectRemoved { project_id: ProjectId },
    #[serde(rename = "project:list")]
    ProjectList { projects: Vec<Project> },
    #[serde(rename = "agent:status")]
    AgentStatus { cli_type: CliType, status: AgentConnection },
    #[serde(rename = "error")]
    Error {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        code: Option<ErrorCode>,
        message: String,
        /// What is wrong with a message that is not understood, for whoever writes a client.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
        /// The project that is there already.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        project_id: Option<ProjectId>,
    },
}

/// Text of an item that grew, or that grew and is complete.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct TextDelta {
    pub session_id: SessionId,
    pub seq: Seq,
    pub item_id: ItemId,
    pub status: ItemStatus,
    /// Length of the text so far in UTF-16 units. A mismatch means: fetch the item.
    #[cfg_attr(test, ts(type = "number"))]
    pub offset: u64,
    pub append: String,
    /// Only with `complete`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub emitted_at: Option<Timestamp>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct PlanEntry {
    pub content: String,
    pub status: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
}
