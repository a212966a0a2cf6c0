//! What is run as an agent, and with what.

use std::ffi::OsString;
use std::path::PathBuf;

use agent_process::{AgentSpec, ExitStatus};
use recording::ProcessEnd;

#[derive(Clone)]
pub struct AgentCommand {
    /// The program and its first arguments.
    pub command: Vec<OsString>,
    /// All of the agent's environment.
    pub environment: Vec<(OsString, OsString)>,
}

impl AgentCommand {
    /// The command in a directory, with more arguments.
    pub fn spec(
        &self,
        directory: PathBuf,
        arguments: impl IntoIterator<Item = OsString>,
    ) -> AgentSpec {
        let mut words = self.command.iter().cloned();
        AgentSpec {
            program: words.next().unwrap_or_default(),
            arguments: words.chain(arguments).collect(),
            directory,
            environment: self.environment.clone(),
        }
    }
}

/// Without the environment: it holds credentials.
impl std::fmt::Debug for AgentCommand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AgentCommand").field("command", &self.command).finish_non_exhaustive()
    }
}

/// How a process ended, as recordings and messages have it.
pub(super) fn process_end(status: ExitStatus) -> ProcessEnd {
    match status {
        ExitStatus::Code(code) => ProcessEnd::Code(code),
        ExitStatus::Signal(signal) => ProcessEnd::Signal(signal),
        ExitStatus::Lost => ProcessEnd::Lost,
    }
}
