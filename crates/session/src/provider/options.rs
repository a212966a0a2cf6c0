//! What a session's agent can be set to.

use contract::{ModeId, ModeInfo, ModelId, ModelInfo, SlashCommand, TaskId};

/// What can be chosen, and what is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionOptions {
    pub models: Vec<ModelInfo>,
    pub current_model: Option<ModelId>,
    pub modes: Vec<ModeInfo>,
    pub current_mode: Option<ModeId>,
    pub commands: Vec<SlashCommand>,
}

/// A change of a session's agent that is no message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Adjustment {
    Mode(ModeId),
    Model(ModelId),
    /// Ends one piece of work in the background and nothing else.
    StopTask(TaskId),
}
