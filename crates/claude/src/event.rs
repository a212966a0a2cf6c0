//! What the agent tells, whichever way it came: as lines of the CLI or as events of an SDK.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use crate::line::{ApiUsage, Block, Content, Delta, Message, ModelUsage, TaskField, Word};

#[derive(Debug)]
pub(crate) enum Event<'a> {
    /// A turn begins.
    Init(Init<'a>),
    /// A turn ends.
    Result(Box<TurnResult<'a>>),
    /// The agent is about to call its model, for these messages of ours.
    Requesting(Vec<Word<'a>>),
    Compacting,
    ModeChanged(Word<'a>),
    /// Some other status; a notice that lasted until now is over.
    StatusCleared,
    MessageStart {
        id: Word<'a>,
        model: Word<'a>,
        usage: Option<ApiUsage>,
        messages: Vec<Word<'a>>,
    },
    BlockStart {
        index: u32,
        block: Block<'a>,
    },
    BlockDelta {
        index: u32,
        delta: Delta<'a>,
    },
    BlockStop {
        index: u32,
    },
    MessageDelta {
        stop_reason: Word<'a>,
    },
    MessageStop {
        /// Blocks from this index on never get a snapshot: the agent took them back.
        abandoned_from: Option<u32>,
    },
    /// Finished blocks of a message, authoritative.
    Snapshot(Snapshot<'a>),
    /// What the user's side of the conversation says: results of tools, or words of the CLI itself.
    User(UserLine<'a>),
    /// One of our messages comes back.
    Replay(Word<'a>),
    Lifecycle {
        message: Word<'a>,
        state: Lifecycle,
    },
    TaskStarted(TaskStarted<'a>),
    /// A task ended, or said that it did.
    TaskEnded {
        task_id: Word<'a>,
    },
    TaskNotification {
        task_id: Word<'a>,
        has_output: bool,
    },
    /// All that runs in the background now.
    BackgroundTasks(Vec<TaskField<'a>>),
    Retry(Retry<'a>),
    Refused,
    /// The agent asks us something.
    Asked {
        request_id: Word<'a>,
        request: &'a RawValue,
    },
    /// The agent does not wait for that answer any more.
    AskWithdrawn(Word<'a>),
    /// The answer to something that we asked.
    Answered(&'a RawValue),
    /// Session state, progress, counters: known, and nothing follows from it.
    Quiet,
    /// A line that tells nothing about what precedes a turn.
    SessionState,
    Unknown,
}

#[derive(Debug, Default)]
pub(crate) struct Init<'a> {
    pub(crate) session_id: Word<'a>,
    pub(crate) model: Word<'a>,
    pub(crate) permission_mode: Word<'a>,
    /// Our messages that started the turn.
    pub(crate) messages: Vec<Word<'a>>,
    /// Whether this agent reports the life of every message, so that naming none means: nobody asked.
    pub(crate) reports_messages: bool,
}

#[derive(Debug, Default)]
pub(crate) struct TurnResult<'a> {
    pub(crate) subtype: Word<'a>,
    pub(crate) is_error: bool,
    pub(crate) terminal_reason: Word<'a>,
    pub(crate) stop_reason: Word<'a>,
    pub(crate) text: Word<'a>,
    pub(crate) errors: Vec<Word<'a>>,
    pub(crate) api_error_status: Option<u16>,
    pub(crate) num_turns: u64,
    pub(crate) messages: Vec<Word<'a>>,
    pub(crate) is_from_notification: bool,
    pub(crate) usage: Option<ApiUsage>,
    pub(crate) model_usage: BTreeMap<Word<'a>, ModelUsage>,
    pub(crate) model_usage_of_turn: Option<BTreeMap<Word<'a>, ModelUsage>>,
    pub(crate) total_cost_usd: Option<f64>,
}

#[derive(Debug)]
pub(crate) struct Snapshot<'a> {
    pub(crate) parent: Word<'a>,
    pub(crate) message: Message<'a>,
    /// The class of a failure that the CLI words as a message.
    pub(crate) error: Word<'a>,
    pub(crate) is_aborted: bool,
}

#[derive(Debug)]
pub(crate) struct UserLine<'a> {
    pub(crate) parent: Word<'a>,
    pub(crate) content: Content<'a>,
    pub(crate) tool_use_result: Option<&'a RawValue>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lifecycle {
    Queued,
    Started,
    Completed,
    /// Also after failures of the API and preemption: never the same as the user's cancel.
    NotCompleted,
}

#[derive(Debug)]
pub(crate) struct TaskStarted<'a> {
    pub(crate) task_id: Word<'a>,
    pub(crate) tool_use_id: Word<'a>,
    pub(crate) task_type: Word<'a>,
    pub(crate) description: Word<'a>,
    pub(crate) is_backgrounded: Option<bool>,
}

#[derive(Debug)]
pub(crate) struct Retry<'a> {
    pub(crate) attempt: u32,
    pub(crate) max_retries: u32,
    pub(crate) delay_ms: f64,
    pub(crate) status: Option<u16>,
    pub(crate) error: Word<'a>,
}

impl Event<'_> {
    /// A short name for the log; never anything that was said.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Init(_) => "init",
            Self::Result(_) => "result",
            Self::Requesting(_) => "requesting",
            Self::Compacting => "compacting",
            Self::ModeChanged(_) => "mode_changed",
            Self::StatusCleared => "status_cleared",
            Self::MessageStart { .. } => "message_start",
            Self::BlockStart { .. } => "block_start",
            Self::BlockDelta { .. } => "block_delta",
            Self::BlockStop { .. } => "block_stop",
            Self::MessageDelta { .. } => "message_delta",
            Self::MessageStop { .. } => "message_stop",
            Self::Snapshot(_) => "snapshot",
            Self::User(_) => "user",
            Self::Replay(_) => "replay",
            Self::Lifecycle { .. } => "lifecycle",
            Self::TaskStarted(_) => "task_started",
            Self::TaskEnded { .. } => "task_ended",
            Self::TaskNotification { .. } => "task_notification",
            Self::BackgroundTasks(_) => "background_tasks",
            Self::Retry(_) => "retry",
            Self::Refused => "refused",
            Self::Asked { .. } => "asked",
            Self::AskWithdrawn(_) => "ask_withdrawn",
            Self::Answered(_) => "answered",
            Self::Quiet => "quiet",
            Self::SessionState => "session_state",
            Self::Unknown => "unknown",
        }
    }
}
