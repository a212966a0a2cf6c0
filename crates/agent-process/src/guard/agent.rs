//! The agent as its parent sees it.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{ChildStderr, Command, Stdio};
use std::time::Duration;

use rustix::process::{
    Pid, Signal, WaitOptions, WaitStatus, kill_process, kill_process_group, wait,
};

use crate::exit::ExitStatus;
use crate::message::Order;
use crate::process_table::ProcessIdentity;

/// How much standard error is relayed in one frame.
const RELAYED_AT_ONCE: usize = 16 * 1024;

/// How long an orphan that has ended may wait to be collected while nothing else happens.
const ORPHANS_WAIT: Duration = Duration::from_secs(2);

/// How soon the end of the agent is noticed where the system cannot tell us.
const END_WAITS: Duration = Duration::from_millis(50);

pub(super) struct Agent {
    pid: Pid,
    identity: Option<ProcessIdentity>,
    stderr: Option<ChildStderr>,
    end_notice: Option<OwnedFd>,
    /// Set in the moment it is collected: until then its number belongs to it, also as that of its group.
    status: Option<ExitStatus>,
}

impl Agent {
    /// Starts the agent in a process group of its own, with our standard input and output.
    ///
    /// Nothing else that we have open stays open when its program begins.
    pub(super) fn spawn(order: &Order) -> io::Result<Self> {
        let (name, value) = order.marker.variable();
        #[expect(
            clippy::disallowed_methods,
            reason = "this is the one place where agents are started"
        )]
        let mut child = Command::new(&order.program)
            .args(&order.arguments)
            .current_dir(&order.directory)
            .env_clear()
            .envs(order.environment.iter().map(|(name, value)| (name, value)))
            .env(name, value)
            .stdin(Stdio::inherit())
            .stdout(Stdio::inherit())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        let pid = Pid::from_child(&child);
        let stderr = child.stderr.take();
        stderr.iter().try_for_each(|stderr| rustix::io::ioctl_fionbio(stderr, true))?;
        let identity = ProcessIdentity::of(child.id());
        Ok(Self { pid, identity, stderr, end_notice: end_notice(pid), status: None })
    }

    pub(super) fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    pub(super) fn identity(&self) -> Option<ProcessIdentity> {
        self.identity
    }

    pub(super) fn status(&self) -> Option<ExitStatus> {
        self.status
    }

    pub(super) fn stderr(&self) -> Option<&ChildStderr> {
        self.stderr.as_ref()
    }

    pub(super) fn end_notice(&self) -> Option<&OwnedFd> {
        self.end_notice.as_ref()
    }

    pub(super) fn longest_sleep(&self) -> Duration {
        if self.end_notice.is_some() { ORPHANS_WAIT } else { END_WAITS }
    }

    pub(super) fn terminate(&self) {
        if self.status.is_none() {
            kill_process_group(self.pid, Signal::TERM).ok();
        }
    }

    pub(super) fn kill(&self) {
        if self.status.is_none() {
            kill_process(self.pid, Signal::KILL).ok();
            kill_process_group(self.pid, Signal::KILL).ok();
        }
    }

    /// What the agent wrote to standard error since; `None` while there is nothing, and when there will be nothing.
    pub(super) fn read_stderr(&mut self) -> Option<Vec<u8>> {
        let mut bytes = vec![0; RELAYED_AT_ONCE];
        match self.stderr.as_mut()?.read(&mut bytes) {
            Ok(0) => self.stderr = None,
            Ok(count) => {
                bytes.truncate(count);
                return Some(bytes);
            }
            Err(error) if is_passing(&error) => {}
            Err(_) => self.stderr = None,
        }
        None
    }

    /// Collects every child that has ended: the agent, and orphans that became ours.
    pub(super) fn collect(&mut self) {
        while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
            if pid == self.pid {
                self.status = Some(exit_status(status));
                self.kill_what_shares_its_group();
            }
        }
    }

    /// All of the tree that can be reached where there is no process table. It must follow at once upon the end of the
    /// agent, before its number can belong to another group.
    fn kill_what_shares_its_group(&self) {
        if cfg!(not(target_os = "linux")) {
            kill_process_group(self.pid, Signal::KILL).ok();
        }
    }
}

/// Puts nothing in place of our standard input and output: the agent alone holds its ends of the pipes.
pub(super) fn let_go_of_its_pipes() -> io::Result<()> {
    let nothing = File::options().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    Ok(())
}

/// Becomes readable when the process ends.
#[cfg(target_os = "linux")]
fn end_notice(pid: Pid) -> Option<OwnedFd> {
    rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn end_notice(_: Pid) -> Option<OwnedFd> {
    None
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

fn exit_status(status: WaitStatus) -> ExitStatus {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => ExitStatus::Code(code),
        (None, Some(signal)) => ExitStatus::Signal(signal),
        (None, None) => ExitStatus::Lost,
    }
}
