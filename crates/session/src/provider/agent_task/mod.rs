//! What the tasks of running agents have in common: how they are asked, and where they tell.

mod commands;
mod emitter;

pub(super) use commands::{AgentHandle, Command, Reply, gone};
pub(super) use emitter::Emitter;
