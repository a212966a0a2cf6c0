//! The task of one agent: hears its guard, passes demands on, and takes the guard's place if that dies.

use std::future::pending;
use std::io;
use std::time::Duration;

use tokio::process::Child;
use tokio::sync::{oneshot, watch};
use tokio::time::{Instant, sleep_until, timeout};

use crate::control::{Demand, Shared};
use crate::error::SpawnError;
use crate::exit::ExitStatus;
use crate::link::Link;
use crate::marker::Marker;
use crate::message::{Command, Order, Report, Started};
use crate::process_table::ProcessIdentity;
use crate::records::ProcessRecords;
use crate::survivors::Traces;

/// How long a guard may take to start an agent; it is a matter of milliseconds.
const START: Duration = Duration::from_secs(20);

/// How long a guard may take to kill a tree, somewhat more than it gives itself.
const KILL: Duration = Duration::from_secs(4);

/// How long a guard may take to exit after its last word.
const GOODBYE: Duration = Duration::from_secs(1);

pub(crate) struct Supervisor {
    guard: Child,
    link: Link,
    /// `None` once every handle is gone.
    demanded: Option<watch::Receiver<Demand>>,
    shared: Shared,
    records: Option<ProcessRecords>,
    traces: Traces,
    status: ExitStatus,
    /// When the guard must be done with a kill.
    deadline: Option<Instant>,
}

enum Event {
    Report(Report),
    Demanded(Demand),
    HandlesGone,
    /// It died, or it does not do what it is there for.
    GuardLost,
}

impl Supervisor {
    pub(crate) fn new(
        marker: Marker,
        guard: Child,
        link: Link,
        demanded: watch::Receiver<Demand>,
        shared: Shared,
        records: Option<ProcessRecords>,
    ) -> Self {
        let guard_identity = guard.id().and_then(ProcessIdentity::of);
        let traces = Traces { guard: guard_identity, ..Traces::of_marker(marker) };
        let (demanded, status) = (Some(demanded), ExitStatus::Lost);
        Self { guard, link, demanded, shared, records, traces, status, deadline: None }
    }

    /// Has the agent started, tells its number, and stays until its tree is gone.
    pub(crate) async fn run(
        mut self,
        order: Order,
        started: oneshot::Sender<Result<u32, SpawnError>>,
        exited: watch::Sender<Option<ExitStatus>>,
    ) {
        match timeout(START, self.start(order))
            .await
            .unwrap_or_else(|late| Err(SpawnError::Guard(late.into())))
        {
            Ok(agent) => {
                self.record(agent).await;
                // If nobody waits for it any more the handles are gone too, and that is seen next.
                started.send(Ok(agent)).ok();
                self.watch().await;
                self.forget();
            }
            Err(error) => {
                self.take_the_guards_place().await;
                started.send(Err(error)).ok();
            }
        }
        // Whoever hears of the end finds nothing of it left here either.
        let status = self.status;
        drop(self);
        exited.send_replace(Some(status));
    }

    async fn start(&mut self, order: Order) -> Result<u32, SpawnError> {
        let program = order.program.clone();
        self.link.send(&Command::Start(order)).await.map_err(SpawnError::Guard)?;
        match self.link.next_report().await.map_err(SpawnError::Guard)? {
            Some(Report::Started(Started { pid, identity, cgroup })) => {
                self.traces.agent = identity;
                self.traces.cgroup = cgroup;
                Ok(pid)
            }
            Some(Report::SpawnFailed(errno)) => {
                Err(SpawnError::Refused { program, source: io::Error::from_raw_os_error(errno) })
            }
            Some(Report::Stderr(_) | Report::Exited(_) | Report::TreeGone(_)) => {
                Err(SpawnError::Guard(io::ErrorKind::InvalidData.into()))
            }
            None => Err(SpawnError::Guard(io::ErrorKind::UnexpectedEof.into())),
        }
    }

    async fn watch(&mut self) {
        loop {
            match self.next_event().await {
                Event::Report(Report::Stderr(bytes)) => self.shared.push_stderr(&bytes),
                Event::Report(Report::Exited(status)) => self.status = status,
                Event::Report(Report::TreeGone(left)) => return self.part_from_guard(left).await,
                Event::Demanded(Demand::Nothing) => {}
                Event::Demanded(Demand::Terminate) => self.send(Command::Terminate).await,
                Event::Demanded(Demand::Kill) => self.kill().await,
                Event::HandlesGone => {
                    self.demanded = None;
                    self.kill().await;
                }
                Event::Report(Report::Started(_) | Report::SpawnFailed(_)) | Event::GuardLost => {
                    tracing::warn!(
                        marker = self.traces.marker.text(),
                        "the guard of an agent is lost"
                    );
                    return self.take_the_guards_place().await;
                }
            }
        }
    }

    async fn next_event(&mut self) -> Event {
        let deadline = self.deadline;
        tokio::select! {
            report = self.link.next_report() => match report {
                Ok(Some(report)) => Event::Report(report),
                Ok(None) | Err(_) => Event::GuardLost,
            },
            event = next_demand(self.demanded.as_mut()) => event,
            () = at(deadline) => Event::GuardLost,
        }
    }

    async fn kill(&mut self) {
        self.deadline.get_or_insert(Instant::now() + KILL);
        self.send(Command::Kill).await;
    }

    async fn send(&mut self, command: Command) {
        // A guard that cannot be reached has closed the channel, and that is seen when it is read.
        self.link.send(&command).await.ok();
    }

    async fn part_from_guard(&mut self, left: usize) {
        if left > 0 {
            tracing::error!(
                left,
                marker = self.traces.marker.text(),
                "processes of an agent cannot be killed"
            );
        }
        if timeout(GOODBYE, self.guard.wait()).await.is_err() {
            self.end_guard().await;
        }
    }

    /// Ends what the guard can no longer end.
    async fn take_the_guards_place(&mut self) {
        self.end_guard().await;
        let traces = self.traces.clone();
        if let Err(error) = tokio::task::spawn_blocking(move || traces.end_survivors()).await {
            tracing::error!(%error, "what a lost guard left behind was not ended");
        }
    }

    async fn end_guard(&mut self) {
        if let Err(error) = self.guard.kill().await {
            tracing::warn!(%error, "a guard cannot be ended");
        }
    }

    /// An agent without a record is as safe as its guard, so a disk that is full is no reason not to run it.
    async fn record(&self, agent_pid: u32) {
        let (Some(records), Some(guard_pid)) = (self.records.clone(), self.guard.id()) else {
            return;
        };
        let traces = self.traces.clone();
        let written =
            tokio::task::spawn_blocking(move || records.write(guard_pid, agent_pid, &traces));
        if let Ok(Err(error)) = written.await {
            tracing::warn!(%error, "a running agent is not written down");
        }
    }

    fn forget(&self) {
        self.records.iter().for_each(|records| records.remove(self.traces.marker));
    }
}

async fn next_demand(demanded: Option<&mut watch::Receiver<Demand>>) -> Event {
    match demanded {
        Some(demanded) => match demanded.changed().await {
            Ok(()) => Event::Demanded(*demanded.borrow_and_update()),
            Err(_) => Event::HandlesGone,
        },
        None => pending().await,
    }
}

async fn at(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => pending().await,
    }
}
