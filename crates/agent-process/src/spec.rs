//! What to run.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use crate::error::SpawnError;
use crate::program;

/// An agent to be started. It gets this environment and nothing else but its marker.
#[derive(Clone)]
pub struct AgentSpec {
    /// A path, or a name that is looked up in the `PATH` of `environment`.
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub directory: PathBuf,
    pub environment: Vec<(OsString, OsString)>,
}

impl AgentSpec {
    /// The absolute path of the program, found the way a shell in the agent's place would.
    pub fn find_program(&self) -> Result<PathBuf, SpawnError> {
        program::find(self)
    }
}

/// Without the values of the environment: they hold credentials, and this ends up in logs.
impl fmt::Debug for AgentSpec {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&OsString> = self.environment.iter().map(|(name, _)| name).collect();
        formatter
            .debug_struct("AgentSpec")
            .field("program", &self.program)
            .field("arguments", &self.arguments)
            .field("directory", &self.directory)
            .field("environment", &names)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spec_in_a_log_names_the_variables_and_hides_their_values() {
        let spec = AgentSpec {
            program: "agent".into(),
            arguments: Vec::new(),
            directory: "/".into(),
            environment: vec![("KEY".into(), "secret".into())],
        };
        let shown = format!("{spec:?}");
        assert!(shown.contains("KEY") && !shown.contains("secret"), "{shown}");
    }
}
