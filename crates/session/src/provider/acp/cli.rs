//! The real agent: a process that speaks the protocol on its standard streams.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agent_process::{
    AgentControl, AgentExit, AgentInput, AgentOutput, AgentProcess, AgentSpec, Launcher,
    SpawnError, StderrFollower, StopLadder,
};
use async_trait::async_trait;
use recording::{Direction, Header};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use super::native_program;
use super::transport::{
    AcpConnection, AcpTransport, AgentWords, ConnectRequest, ConnectionControl, TransportError,
    Word,
};
use crate::provider::agent_command::{AgentCommand, process_end};
use crate::provider::cut_line;
use crate::provider::program_file;
use crate::provider::program_version::{KnownVersion, not_run};
use crate::recorder::{Recorder, Recording};

/// How an agent is ended that let go of its session. Its input is closed; some exit by that and some never do.
const LADDER: StopLadder = StopLadder {
    exit_by_itself: Duration::from_millis(300),
    after_terminate: Duration::from_secs(2),
};
/// How long a recording waits for an agent's end once its output has ended.
const END_DEADLINE: Duration = Duration::from_secs(1);
/// Lines that wait to be written.
const LINES: usize = 256;

/// Starts one kind of agent.
#[derive(Debug)]
pub struct AcpCli {
    /// What it is called in messages to people.
    name: String,
    /// What recordings say who it was.
    cli_type: String,
    command: AgentCommand,
    launcher: Launcher,
    tasks: TaskTracker,
    recorder: Option<Recorder>,
    install_hint: Option<String>,
    version: KnownVersion,
}

impl AcpCli {
    pub fn new(
        cli_type: &str,
        name: &str,
        command: AgentCommand,
        launcher: Launcher,
        tasks: TaskTracker,
    ) -> Self {
        let (name, cli_type) = (name.to_owned(), cli_type.to_owned());
        Self {
            name,
            cli_type,
            command,
            launcher,
            tasks,
            recorder: None,
            install_hint: None,
            version: KnownVersion::default(),
        }
    }

    /// Says how to get the agent when it is not there.
    #[must_use]
    pub fn with_install_hint(self, install_hint: Option<String>) -> Self {
        Self { install_hint, ..self }
    }

    /// Writes down what passes between us and the agents.
    #[must_use]
    pub fn with_recorder(self, recorder: Option<Recorder>) -> Self {
        Self { recorder, ..self }
    }

    fn spec(&self, cwd: &str) -> AgentSpec {
        let mut spec = self.command.spec(PathBuf::from(cwd), []);
        let native = spec.find_program().ok().and_then(|program| native_program::behind(&program));
        if let Some(native) = native {
            spec.program = native.into();
        }
        spec
    }

    fn record(&self, request: &ConnectRequest, spec: &AgentSpec) -> Option<Recording> {
        let argv = std::iter::once(&spec.program).chain(&spec.arguments);
        let argv = argv.map(|word| word.to_string_lossy().into_owned()).collect();
        let version = self.version.get();
        let header = Header { argv, version, ..Header::new(&self.cli_type) };
        self.recorder.as_ref()?.start(&request.session_id, &header, &self.tasks)
    }

    async fn start(
        &self,
        spec: AgentSpec,
        recording: Option<Recording>,
    ) -> Result<AcpConnection, SpawnError> {
        let variables = spec.environment.iter().filter(|(_, value)| !value.is_empty());
        let variables = variables.map(|(name, _)| name.to_string_lossy().into_owned()).collect();
        let AgentProcess { input, output, control } = self.launcher.spawn(spec).await?;
        let (lines, waiting) = mpsc::channel(LINES);
        self.tasks.spawn(write(input, waiting, recording.clone()));
        let stderr = control.follow_stderr();
        let output = CliWords { output, stderr, recording, control: control.clone() };
        let name = self.name.clone();
        Ok(AcpConnection {
            output: Box::new(output),
            input: lines,
            control: Arc::new(CliControl { control, name }),
            variables,
        })
    }

    /// What somebody can do whose agent does not run.
    fn hint(&self, error: &SpawnError) -> String {
        let which =
            format!("`[agents.{}]` in config.toml says which program is run", self.cli_type);
        match (error, &self.install_hint) {
            (SpawnError::MissingProgram { .. }, Some(hint)) => {
                format!("To get it: {hint}; {which}")
            }
            _ => which,
        }
    }
}

#[async_trait]
impl AcpTransport for AcpCli {
    async fn connect(&self, request: ConnectRequest) -> Result<AcpConnection, TransportError> {
        let spec = self.spec(&request.cwd);
        let recording = self.record(&request, &spec);
        self.start(spec, recording.clone()).await.map_err(|error| {
            if let Some(recording) = &recording {
                recording.agent_event(&format!("failed {error}"));
            }
            TransportError(format!("{error}. {}", self.hint(&error)))
        })
    }

    /// In no project, and not recorded: nothing is said that anybody would look for.
    async fn probe(&self) -> Result<AcpConnection, TransportError> {
        let started = self.start(self.spec("/"), None).await;
        started.map_err(|error| TransportError(not_run(&error)))
    }

    fn program(&self) -> Option<PathBuf> {
        program_file::of(&self.spec("/"))
    }

    fn note_version(&self, version: &str) {
        self.version.learn(version);
    }
}

/// The one task that writes to an agent, until nobody has anything to say or the agent is gone.
async fn write(
    mut input: AgentInput,
    mut lines: mpsc::Receiver<String>,
    recording: Option<Recording>,
) {
    while let Some(line) = lines.recv().await {
        if let Some(recording) = &recording {
            recording.line(Direction::Host, &line);
        }
        if let Err(error) = input.write_line(line.as_bytes()).await {
            return tracing::debug!(%error, "the agent's input cannot be written");
        }
    }
}

struct CliWords {
    output: AgentOutput,
    stderr: StderrFollower,
    recording: Option<Recording>,
    control: AgentControl,
}

#[async_trait]
impl AgentWords for CliWords {
    async fn next(&mut self) -> Option<Word<'_>> {
        let Self { output, stderr, recording, control } = self;
        let line = tokio::select! {
            // What an agent says beside was said before what it says next.
            biased;
            aside = stderr.next() => {
                record_aside(recording.as_ref(), &aside);
                return Some(Word::Aside(aside));
            }
            line = output.next_line() => line,
        };
        let line = line.unwrap_or_else(|error| {
            tracing::warn!(%error, "the agent's output cannot be read");
            None
        });
        let text = line.map(cut_line::text_of);
        match (recording, &text) {
            (Some(recording), Some(text)) => recording.line(Direction::Agent, text),
            (Some(recording), None) => record_end(recording, control).await,
            (None, _) => {}
        }
        text.map(Word::Line)
    }
}

fn record_aside(recording: Option<&Recording>, aside: &str) {
    let Some(recording) = recording else { return };
    for line in aside.lines().filter(|line| !line.trim().is_empty()) {
        recording.line(Direction::Stderr, line);
    }
}

async fn record_end(recording: &Recording, control: &AgentControl) {
    if let Ok(exit) = tokio::time::timeout(END_DEADLINE, control.exited()).await {
        recording.agent_event(&process_end(exit.status).event());
    }
    recording.agent_event("eof");
}

struct CliControl {
    control: AgentControl,
    name: String,
}

#[async_trait]
impl ConnectionControl for CliControl {
    async fn close(&self) {
        self.control.stop(LADDER).await;
    }

    async fn ended(&self) -> String {
        let AgentExit { status, stderr_tail } = self.control.exited().await;
        recording::describe_end(&self.name, Some(process_end(status)), &stderr_tail)
    }
}
