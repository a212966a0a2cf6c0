//! What is written to the journal and read back.

use std::collections::HashMap;
use std::sync::Arc;

use contract::{
    Attachment, CliType, ClientMessageId, Epoch, ModeId, ModelId, PermissionRequest, Project,
    ProjectId, QueuedTurn, Seq, SessionId, SessionSent, SessionSource, Timestamp, TurnEvent,
    TurnId, UpsertObject,
};
use serde::{Deserialize, Serialize};

/// What a session is, besides what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRecord {
    pub session_id: SessionId,
    pub project_id: ProjectId,
    pub project_dir: String,
    pub cli_type: CliType,
    /// The agent's own id of the session, once it told one that may differ from ours.
    pub agent_session: Option<String>,
    pub choices: AgentChoices,
    pub epoch: Epoch,
    pub title: String,
    pub created_at: Timestamp,
    pub last_active_at: Timestamp,
    pub archived: bool,
    /// Its agent died, was killed, or could not be resumed.
    pub dead: bool,
    pub source: SessionSource,
}

/// What the next agent of a session is set to: what was chosen for the one before, as far as it is inherited.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentChoices {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_id: Option<ModelId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode_id: Option<ModeId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_thinking_tokens: Option<u32>,
}

/// The project of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedProject {
    pub project: Project,
    /// False if it was there already.
    pub is_new: bool,
}

/// One change of a session. The first two consume a `seq`, which they carry; the others replace current state.
#[derive(Clone, Debug)]
pub enum Change {
    /// The newest state of an item, with `seq`, `position` and `startedAt`.
    Upsert(Arc<UpsertObject>),
    /// With `seq` and `at`.
    Turn(Arc<TurnEvent>),
    /// All turns that wait, in order. What was sent along with others is forgotten.
    Queue(Vec<QueuedTurn>),
    /// What is sent along with a turn, before it waits.
    Attachments(TurnId, Arc<Vec<Attachment>>),
    /// A permission request as it stands now.
    Permission(Box<PermissionRequest>),
    /// The answer to a send, so that a retry gets the same.
    Sent(ClientMessageId, SessionSent),
    Record(Box<SessionRecord>),
}

impl Change {
    /// The `seq` that this change consumes.
    pub fn seq(&self) -> Option<Seq> {
        match self {
            Self::Upsert(upsert) => upsert.seq,
            Self::Turn(event) => event.seq,
            Self::Queue(_)
            | Self::Attachments(..)
            | Self::Permission(_)
            | Self::Sent(..)
            | Self::Record(_) => None,
        }
    }

    pub(crate) fn consumes_seq(&self) -> bool {
        match self {
            Self::Upsert(_) | Self::Turn(_) => true,
            Self::Queue(_)
            | Self::Attachments(..)
            | Self::Permission(_)
            | Self::Sent(..)
            | Self::Record(_) => false,
        }
    }
}

/// How far a turn got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TurnProgress {
    Started,
    Ended,
}

/// What an owner needs to take a session up again.
#[derive(Clone, Debug)]
pub struct SavedSession {
    pub record: SessionRecord,
    /// The last `seq` that was consumed.
    pub head: Seq,
    pub queue: Vec<QueuedTurn>,
    /// What was sent along with turns of the queue.
    pub attachments: HashMap<TurnId, Vec<Attachment>>,
    /// Requests without an outcome.
    pub waiting: Vec<PermissionRequest>,
    /// Turns that started and have not ended.
    pub started: Vec<TurnId>,
    /// Whether any turn ever started.
    pub has_run: bool,
    /// What its items hold, about.
    pub bytes: u64,
    /// The last turn that ended did so with an error.
    pub last_failed: bool,
    /// Items that have not reached their end, in order of position.
    pub unfinished: Vec<Arc<UpsertObject>>,
}
