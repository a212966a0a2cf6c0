//! How a session's agent is set.

use contract::{ModeId, ModelId, TaskId};

/// A change of a session's agent that is no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Adjustment {
    Mode(ModeId),
    Model(ModelId),
    /// Ends one piece of work in the background and nothing else.
    StopTask(TaskId),
}
