//! What the tasks of running agents have in common: how they are found and asked, and where they tell.

mod commands;
mod emitter;
mod sessions;

pub(super) use commands::{AgentHandle, Command, Reply, gone};
pub(super) use emitter::Emitter;
pub(super) use sessions::{AgentSessions, AlreadyStarting};
