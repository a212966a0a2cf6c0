//! Runs agents as child processes, and leaves nothing of them behind.
//!
//! An agent is not our child but that of a *guard*: a process of our own binary ([`guard::run`]) which does nothing else.
//! The agent's standard input and output are pipes between it and us ([`AgentInput`], [`AgentOutput`]); the guard only
//! hands them on. Guard and server share a socket, the control channel: commands go down; standard error and how the agent
//! ended come up. When the channel ends, however the server died, the guard kills the tree. A guard is needed because only
//! a living parent can do that: agents ignore the end of their input, and the processes they start put themselves into
//! sessions of their own, lose their parents, and ignore SIGTERM.
//!
//! What belongs to an agent is found by, in this order:
//!
//! 1. the process tree below the guard, which on Linux inherits every orphan (it is a "child subreaper");
//! 2. a control group, where we may make one;
//! 3. a marker in its environment, which every descendant inherits.
//!
//! Should the guard be killed, the task that serves the agent here does its work by the last two, by what it knows of the
//! agent, and by what a server has inherited then ([`orphans`]). Should both be killed, [`ProcessRecords::sweep`] does at the next start. A process is identified by its
//! number and its start time together, never by its name. An agent has ended ([`AgentControl::exited`]) only once all that
//! it started has.
//!
//! On other systems than Linux there is no process table to read: what left the agent's process group is not found there.

mod ancestry;
pub mod beside;
mod cgroup;
#[cfg(test)]
mod chunked_conversations;
mod control;
mod environment;
mod error;
mod exit;
mod frame;
pub mod guard;
mod input;
mod launcher;
mod line_splitter;
mod link;
mod marker;
mod message;
mod open_files;
pub mod orphans;
mod output;
mod process_table;
mod program;
mod records;
mod redaction;
mod spec;
mod stderr_tail;
mod supervisor;
mod survivors;

pub use control::{AgentControl, StderrFollower};
pub use environment::allowed_environment;
pub use error::SpawnError;
pub use exit::{AgentExit, ExitStatus, StopLadder};
pub use input::AgentInput;
pub use launcher::{AgentProcess, Launcher};
pub use line_splitter::Line;
pub use open_files::allow_many_open_files;
pub use output::AgentOutput;
pub use records::ProcessRecords;
pub use spec::AgentSpec;
