//! What comes out of a translator.

use contract::{
    BackgroundTask, ModeId, ModelId, Notice, PermissionId, TurnEvent, TurnId, UpsertObject,
};

use crate::asks::Ask;

#[derive(Debug)]
pub enum Output {
    Upsert(Box<UpsertObject>),
    Turn(Box<TurnEvent>),
    /// The agent asks for a permission.
    Asked(Box<Ask>),
    /// It does not wait for that answer any more.
    Withdrawn(PermissionId),
    /// All that runs in the background.
    BackgroundTasks(Vec<BackgroundTask>),
    /// Something to show while it lasts.
    Notice(Option<Notice>),
    /// The answer to a control request of ours.
    Answered(ControlAnswer),
    /// A message that was sent will never have a turn: the agent gave it back.
    NeverBegan(TurnId),
    /// A line to write to the agent.
    Reply(String),
    /// The interrupt missed: its turn began after it. It is to be written again.
    InterruptAgain,
    /// The agent's own id of the session, whenever it changes.
    AgentSession(String),
    Mode(ModeId),
    Model(ModelId),
    /// A line that nothing could be made of.
    Unknown(String),
}

/// How a control request went; the body as the agent wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlAnswer {
    pub request_id: String,
    pub result: Result<Option<String>, String>,
}

/// What was odd about an agent's output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct OddLines {
    /// Of a kind that is not known here.
    pub unknown: u64,
    /// Of a known kind, but lacking something.
    pub invalid: u64,
    /// Not JSON at all.
    pub malformed: u64,
}
