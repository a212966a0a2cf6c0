//! What comes out of a client.

use contract::{
    Notice, PermissionId, PermissionRequest, PlanEntry, SessionOptions, TurnEvent, TurnId,
    UpsertObject,
};

use crate::rpc::RpcError;

#[derive(Debug)]
pub enum Output {
    /// A line to write to the agent.
    Write(String),
    /// What the agent says of itself, where nothing else is wanted of it.
    Introduced(AgentFacts),
    /// The session is open and takes prompts.
    Ready(Box<Ready>),
    /// The session could not be opened.
    Refused(Refusal),
    Upsert(Box<UpsertObject>),
    Turn(Box<TurnEvent>),
    /// A message that was handed over will never have a turn.
    NeverBegan(TurnId),
    /// The agent asks for a permission.
    Asked(Box<PermissionRequest>),
    /// It does not wait for that answer any more.
    Withdrawn(PermissionId),
    /// What the agent means to do, whole.
    Plan(Vec<PlanEntry>),
    /// Something to show while it lasts.
    Notice(Option<Notice>),
    /// What the session can be set to, whenever it changes.
    Options(Box<SessionOptions>),
    /// How a change of the settings went.
    Adjusted(u64, Result<(), String>),
    /// The agent's sessions of a directory, as asked for.
    Listed(Vec<ListedSession>),
    /// The agent closed the session.
    Closed,
    /// A message that nothing could be made of.
    Unknown(String),
}

/// An open session as the agent told it.
#[derive(Clone, Debug, Default)]
pub struct Ready {
    /// The agent's own id of the session.
    pub agent_session: String,
    pub agent: AgentFacts,
    pub options: SessionOptions,
}

/// A session in an agent's list.
#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ListedSession {
    pub session_id: String,
    #[serde(default)]
    pub cwd: Option<String>,
    #[serde(default)]
    pub title: Option<String>,
    #[serde(default)]
    pub updated_at: Option<String>,
}

/// What an agent says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts that the agent tells by name")]
pub struct AgentFacts {
    pub name: Option<String>,
    pub version: Option<String>,
    pub images: bool,
    pub load: bool,
    pub resume: bool,
    pub close: bool,
    pub list: bool,
}

/// Why a session could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub kind: RefusalKind,
    pub message: String,
    pub cause: Option<RpcError>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// The agent keeps no such session.
    UnknownSession,
    /// The agent cannot go on with a session.
    CannotResume,
    /// Somebody has to log in first.
    NotLoggedIn,
    Other,
}

/// What was odd about an agent's output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OddMessages {
    /// Updates and requests of kinds that are not known here, or lacking something.
    pub unknown: u64,
    /// Of another session than the one that is open.
    pub foreign: u64,
    /// Answers that nobody waited for.
    pub unasked: u64,
    /// No messages at all.
    pub malformed: u64,
}
