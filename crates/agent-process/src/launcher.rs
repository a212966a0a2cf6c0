//! Starts agents under guards.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::process::Stdio;

use tokio::net::UnixStream;
use tokio::process::{Child, Command};
use tokio::sync::{oneshot, watch};
use tokio_util::task::TaskTracker;

use crate::control::{AgentControl, Demand, Shared};
use crate::error::SpawnError;
use crate::input::AgentInput;
use crate::link::Link;
use crate::marker::Marker;
use crate::message::Order;
use crate::orphans;
use crate::output::AgentOutput;
use crate::program;
use crate::records::ProcessRecords;
use crate::redaction::Redaction;
use crate::spec::AgentSpec;
use crate::supervisor::Supervisor;

/// A running agent. Dropping the last clone of its control ends it.
#[derive(Debug)]
pub struct AgentProcess {
    pub input: AgentInput,
    pub output: AgentOutput,
    pub control: AgentControl,
}

/// Starts agents; a clone starts them in the same way.
#[derive(Clone, Debug)]
pub struct Launcher {
    guard: Vec<OsString>,
    tasks: TaskTracker,
    records: Option<ProcessRecords>,
    redaction: Redaction,
    open_files: Option<u64>,
}

impl Launcher {
    /// `guard` is the command, with its first arguments, that calls [`crate::guard::run`]. For each agent one task runs on
    /// `tasks`, until the agent's tree is gone.
    pub fn new(guard: Vec<OsString>, tasks: TaskTracker) -> Self {
        Self { guard, tasks, records: None, redaction: Redaction::default(), open_files: None }
    }

    /// Writes down which agents run, for [`ProcessRecords::sweep`] after a crash.
    #[must_use]
    pub fn with_records(self, records: ProcessRecords) -> Self {
        Self { records: Some(records), ..self }
    }

    /// What agents write to their standard error is told only after `redact` took out what must not be.
    #[must_use]
    pub fn with_redaction(self, redact: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        Self { redaction: Redaction::new(redact), ..self }
    }

    /// Agents may have so many files open at once, instead of as many as the server.
    #[must_use]
    pub fn with_open_files(self, open_files: Option<u64>) -> Self {
        Self { open_files, ..self }
    }

    /// Starts an agent and waits until it runs or could not be started. Dropped half-way, it leaves nothing behind.
    pub async fn spawn(&self, spec: AgentSpec) -> Result<AgentProcess, SpawnError> {
        let marker = Marker::fresh();
        let order = Order { open_files: self.open_files, ..order(spec, marker).await? };
        let (mut guard, link) = self.start_guard(marker).map_err(SpawnError::Guard)?;
        let (Some(input), Some(output)) = (guard.stdin.take(), guard.stdout.take()) else {
            return Err(SpawnError::Guard(io::ErrorKind::BrokenPipe.into()));
        };
        let (demand, demanded) = watch::channel(Demand::Nothing);
        let (started, has_started) = oneshot::channel();
        let (exited, exit) = watch::channel(None);
        let shared = Shared::new(self.redaction.clone());
        let supervisor =
            Supervisor::new(marker, guard, link, demanded, shared.clone(), self.records.clone());
        self.tasks.spawn(supervisor.run(order, started, exited));
        let pid = has_started
            .await
            .map_err(|_| SpawnError::Guard(io::ErrorKind::BrokenPipe.into()))??;
        Ok(AgentProcess {
            input: AgentInput::new(input),
            output: AgentOutput::new(output),
            control: AgentControl::new(pid, demand, exit, shared),
        })
    }

    /// The guard's standard input and output are to be the agent's; its standard error is the control channel.
    fn start_guard(&self, marker: Marker) -> io::Result<(Child, Link)> {
        let (program, arguments) =
            self.guard.split_first().ok_or(io::Error::from(io::ErrorKind::InvalidInput))?;
        let (ours, its) = std::os::unix::net::UnixStream::pair()?;
        ours.set_nonblocking(true)?;
        let (name, value) = marker.variable();
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            .env(name, value)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(OwnedFd::from(its));
        let guard = orphans::start(|| command.spawn(), Child::id)?;
        Ok((guard, Link::new(UnixStream::from_std(ours)?)))
    }
}

/// Looks at the file system, which may take its time, on a thread that may wait.
async fn order(mut spec: AgentSpec, marker: Marker) -> Result<Order, SpawnError> {
    let ordered = tokio::task::spawn_blocking(move || {
        // The guard sits in another directory than we do.
        spec.directory = std::path::absolute(&spec.directory)
            .map_err(|_| SpawnError::MissingDirectory(spec.directory.clone()))?;
        let program = program::find(&spec)?.into();
        let AgentSpec { arguments, directory, environment, .. } = spec;
        let environment = program::with_absolute_paths(environment);
        let directory = directory.into();
        Ok(Order { program, arguments, directory, environment, marker, open_files: None })
    });
    ordered.await.map_err(|error| SpawnError::Guard(error.into()))?
}
