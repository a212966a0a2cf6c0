//! Why an agent could not be started, by who can do something about it.

use std::ffi::OsString;
use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    /// The project has been moved or deleted.
    #[error("the directory {} does not exist", .0.display())]
    MissingDirectory(PathBuf),
    /// The agent is not installed, or not where the agent's own `PATH` leads.
    #[error("the program {} was not found in {}", .program.display(), .searched.display())]
    MissingProgram { program: OsString, searched: OsString },
    #[error("{} is not an executable file", .0.display())]
    NotExecutable(PathBuf),
    /// The operating system refused, for instance because the interpreter of a script is missing.
    #[error("{} could not be run: {source}", .program.display())]
    Refused { program: OsString, source: io::Error },
    /// Our own fault: the guard did not start or did not answer.
    #[error("the agent's guard failed: {0}")]
    Guard(#[source] io::Error),
}
