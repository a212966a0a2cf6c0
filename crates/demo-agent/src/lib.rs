//! An agent for newcomers and for tests: no account, no network, no model.
//!
//! It speaks the Agent Client Protocol with the official implementation, so that our own client is proved against
//! somebody else's other side. It really lists, reads, searches and edits files, but only beneath the session's directory,
//! and an edit only after the user agreed.

mod agent;
mod commands;
mod intent;
mod mode;
mod project;
mod session;
mod session_files;
mod settings;
mod story;
mod turn;
mod wire;

pub use agent::{RunError, run, serve};
pub use settings::Settings;
