//! Programs that are started beside agents, such as the user's browser: what is left of them is nobody's to end.
//!
//! A server inherits what loses its parent ([`crate::orphans`]), and by nothing that a process has, no name and no variable, can
//! it tell what a browser left from what an agent left: an agent can have the same. So such a program is started by a *keeper*, a
//! process of our own binary which does nothing else. What it leaves behind stays below the keeper, and there no agent gets.

use std::ffi::OsString;
use std::io;
use std::process::{Command, ExitCode};

use rustix::io::Errno;
use rustix::process::{WaitOptions, wait};

use crate::orphans;

/// Starts a program that is no agent. `keeper` is the command, with its first arguments and its streams, that calls [`keep`] with
/// the rest of them. Nobody waits for its end.
pub fn start(keeper: &mut Command) -> io::Result<()> {
    orphans::start(|| keeper.spawn(), |child| Some(child.id())).map(drop)
}

/// Runs a program and stays until it and all that it left behind have ended. The whole life of the process: a subcommand calls
/// this and nothing else.
pub fn keep(command: &[OsString]) -> ExitCode {
    let Some((program, arguments)) = command.split_first() else { return ExitCode::FAILURE };
    // Where this fails, what it leaves is the server's, and goes the way of all orphans.
    #[cfg(target_os = "linux")]
    rustix::process::set_child_subreaper(Some(rustix::process::getpid())).ok();
    #[expect(clippy::disallowed_methods, reason = "it is no agent")]
    let started = Command::new(program).args(arguments).spawn();
    if started.is_err() {
        return ExitCode::FAILURE;
    }
    while matches!(wait(WaitOptions::empty()), Ok(_) | Err(Errno::INTR)) {}
    ExitCode::SUCCESS
}
