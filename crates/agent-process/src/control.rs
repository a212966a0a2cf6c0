//! The handle on a running agent: how it is doing, and how to end it.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Notify, watch};
use tokio::time::timeout;

use crate::exit::{AgentExit, ExitStatus, StopLadder};
use crate::redaction::Redaction;
use crate::stderr_tail::StderrTail;

/// What is wanted of an agent. It only grows, so the newest stands for all before it and no queue is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Demand {
    Nothing,
    Terminate,
    Kill,
}

/// What the task of an agent fills and its handles read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shared {
    stderr: Arc<Mutex<StderrTail>>,
    stderr_grew: Arc<Notify>,
    redaction: Redaction,
}

impl Shared {
    pub(crate) fn new(redaction: Redaction) -> Self {
        Self { redaction, ..Self::default() }
    }

    pub(crate) fn push_stderr(&self, bytes: &[u8]) {
        self.with_stderr(|tail| tail.push(bytes));
        self.stderr_grew.notify_waiters();
    }

    fn with_stderr<T>(&self, act: impl FnOnce(&mut StderrTail) -> T) -> T {
        act(&mut self.stderr.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What an agent writes to its standard error, as it comes. Whoever reads too slowly misses what is older than 64 KiB.
#[derive(Debug)]
pub struct StderrFollower {
    shared: Shared,
    seen: u64,
}

impl StderrFollower {
    /// What is new, as soon as there is something. Dropped half-way, it loses nothing.
    pub async fn next(&mut self) -> String {
        loop {
            let grew = self.shared.stderr_grew.notified();
            let mut grew = std::pin::pin!(grew);
            // From here on nothing is missed, also between looking and waiting.
            grew.as_mut().enable();
            let (text, written) =
                self.shared.with_stderr(|tail| (tail.after(self.seen), tail.written()));
            if written > self.seen {
                self.seen = written;
                return text;
            }
            grew.await;
        }
    }
}

/// A handle on an agent. When the last clone is dropped, the agent and all it started are killed.
#[derive(Clone, Debug)]
pub struct AgentControl {
    pid: u32,
    demand: watch::Sender<Demand>,
    exit: watch::Receiver<Option<ExitStatus>>,
    shared: Shared,
}

impl AgentControl {
    pub(crate) fn new(
        pid: u32,
        demand: watch::Sender<Demand>,
        exit: watch::Receiver<Option<ExitStatus>>,
        shared: Shared,
    ) -> Self {
        Self { pid, demand, exit, shared }
    }

    /// The agent's number, which is also that of its process group.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Whether anything of the agent's tree may still be there.
    pub fn is_alive(&self) -> bool {
        self.exit.borrow().is_none() && self.exit.has_changed().is_ok()
    }

    /// The last 64 KiB of the agent's standard error, with marks in place of what is not UTF-8, and without what the
    /// launcher's redaction takes out.
    pub fn stderr_tail(&self) -> String {
        self.shared.redaction.apply(self.shared.with_stderr(|tail| tail.text()))
    }

    /// Follows the agent's standard error from its beginning, as far as that is kept.
    pub fn follow_stderr(&self) -> StderrFollower {
        StderrFollower { shared: self.shared.clone(), seen: 0 }
    }

    /// Waits until the agent has exited and its tree is gone. Any number of callers may, at any time.
    pub async fn exited(&self) -> AgentExit {
        let mut exit = self.exit.clone();
        // The task ends without a word only with its runtime; the guard then ends the tree by itself.
        let status = exit.wait_for(Option::is_some).await.ok().and_then(|status| *status);
        AgentExit { status: status.unwrap_or(ExitStatus::Lost), stderr_tail: self.stderr_tail() }
    }

    /// Asks the agent and its process group to end: SIGTERM, once.
    pub fn terminate(&self) {
        self.demand(Demand::Terminate);
    }

    /// Kills the agent and everything it started.
    pub fn kill(&self) {
        self.demand(Demand::Kill);
    }

    /// Climbs the ladder until the agent has ended. Close its input, or ask it to end, before.
    pub async fn stop(&self, ladder: StopLadder) -> AgentExit {
        if let Ok(exit) = timeout(ladder.exit_by_itself, self.exited()).await {
            return exit;
        }
        self.terminate();
        if let Ok(exit) = timeout(ladder.after_terminate, self.exited()).await {
            return exit;
        }
        self.kill();
        self.exited().await
    }

    fn demand(&self, wanted: Demand) {
        self.demand.send_if_modified(|demand| {
            let grows = *demand < wanted;
            *demand = wanted.max(*demand);
            grows
        });
    }
}
