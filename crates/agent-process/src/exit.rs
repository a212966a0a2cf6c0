//! How an agent ended, and how patiently it is asked to.

use std::time::Duration;

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ExitStatus {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// Its guard died first, so nobody could collect its status. Its tree has been ended.
    Lost,
}

/// The end of an agent: it has exited and nothing that it started is left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentExit {
    pub status: ExitStatus,
    /// The last 64 KiB of its standard error.
    pub stderr_tail: String,
}

/// The steps of stopping an agent; the last one, killing its whole tree, needs no patience.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopLadder {
    /// How long it may take to exit because it was told to or its input was closed.
    pub exit_by_itself: Duration,
    /// How long it may take after SIGTERM to its process group.
    pub after_terminate: Duration,
}
