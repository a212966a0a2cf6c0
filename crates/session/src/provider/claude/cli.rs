//! The real agent: a process of the `claude` CLI that speaks stream-json.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agent_process::{
    AgentControl, AgentExit, AgentOutput, AgentProcess, AgentSpec, Launcher, SpawnError, StopLadder,
};
use async_trait::async_trait;
use claude::stdin::ControlRequest;
use claude::{Initialized, initialize_answer};
use contract::SessionOptions;
use recording::{Direction, Header, last_words};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use super::adapter::{
    ClaudeSdkAdapter, QueryControl, QueryError, QueryHandle, QueryOutput, QueryRequest, Spoken,
};
use super::cli_writer::CliWriter;
use super::settable::DEFAULT_MODE;
use crate::provider::agent_command::{AgentCommand, process_end};
use crate::provider::bypass::CLAUDE_BYPASS;
use crate::provider::cut_line;
use crate::provider::program_file;
use crate::provider::program_version::{self, KnownVersion};
use crate::recorder::{Recorder, Recording};

/// How long an agent has to say that it is ready. A cold start on a busy machine takes seconds.
const READY_DEADLINE: Duration = Duration::from_secs(60);
/// How an agent is ended once it was told to end its session.
const LADDER: StopLadder =
    StopLadder { exit_by_itself: Duration::from_secs(2), after_terminate: Duration::from_secs(2) };
/// How long a recording waits for an agent's end and last words once its output has ended.
const LAST_WORDS_DEADLINE: Duration = Duration::from_secs(1);
/// How an agent is ended that closed its output.
const CLOSED: StopLadder =
    StopLadder { exit_by_itself: Duration::from_secs(1), after_terminate: Duration::from_secs(1) };
/// What somebody can do whose agent does not run.
const HINT: &str = "Is Claude Code installed completely? Try `claude --version` in a terminal; \
    `[agents.claude-code]` in config.toml says which program is run";
const INITIALIZE: &str = "initialize";
const SETTINGS: &str = "--settings";
/// Settings of the agent's, over those that it finds.
const NO_BYPASS: &str = r#"{"permissions":{"disableBypassPermissionsMode":"disable"}}"#;

#[derive(Debug)]
pub struct ClaudeCli {
    command: AgentCommand,
    launcher: Launcher,
    tasks: TaskTracker,
    recorder: Option<Recorder>,
    version: KnownVersion,
}

impl ClaudeCli {
    pub fn new(command: AgentCommand, launcher: Launcher, tasks: TaskTracker) -> Self {
        Self { command, launcher, tasks, recorder: None, version: KnownVersion::default() }
    }

    /// Writes down what passes between us and the agents.
    #[must_use]
    pub fn with_recorder(self, recorder: Option<Recorder>) -> Self {
        Self { recorder, ..self }
    }

    fn spec(&self, request: &QueryRequest) -> AgentSpec {
        let mut arguments = arguments(request);
        arguments.extend(self.no_bypass_by_settings(request).map(OsString::from));
        self.command.spec(PathBuf::from(&request.cwd), arguments)
    }

    /// Keeps settings, the user's or a repository's, from choosing the mode in which nothing is asked. What else they choose
    /// stays. Where the command has settings of its own, which ours would replace, the mode is said.
    fn no_bypass_by_settings(&self, request: &QueryRequest) -> Option<String> {
        let mode = request.options.mode.as_deref();
        let has_settings = |word: &OsString| word.to_string_lossy().starts_with(SETTINGS);
        match mode {
            Some(CLAUDE_BYPASS) => None,
            _ if !self.command.command.iter().any(has_settings) => {
                Some(format!("{SETTINGS}={NO_BYPASS}"))
            }
            Some(_) => None,
            None => Some(format!("--permission-mode={DEFAULT_MODE}")),
        }
    }

    fn record(&self, request: &QueryRequest, spec: &AgentSpec) -> Option<Recording> {
        let argv = std::iter::once(&spec.program).chain(&spec.arguments);
        let argv = argv.map(|word| word.to_string_lossy().into_owned()).collect();
        let header = Header { argv, version: self.version.get(), ..Header::new("claude-code") };
        self.recorder.as_ref()?.start(&request.session_id, &header, &self.tasks)
    }
}

fn arguments(request: &QueryRequest) -> Vec<OsString> {
    let mut words: Vec<String> = [
        "-p",
        "--input-format",
        "stream-json",
        "--output-format",
        "stream-json",
        "--verbose",
        "--include-partial-messages",
        "--permission-prompt-tool",
        "stdio",
        "--replay-user-messages",
    ]
    .map(str::to_owned)
    .into();
    // Values go with their flags in one word, so that none is ever taken for a flag.
    words.push(match &request.resume_session_id {
        Some(id) => format!("--resume={id}"),
        None => format!("--session-id={}", request.session_id),
    });
    words.extend(request.options.model.as_ref().map(|model| format!("--model={model}")));
    words.extend(request.options.mode.as_ref().map(|mode| format!("--permission-mode={mode}")));
    words.into_iter().map(OsString::from).collect()
}

#[async_trait]
impl ClaudeSdkAdapter for ClaudeCli {
    async fn query(&self, request: QueryRequest) -> Result<QueryHandle, QueryError> {
        let spec = self.spec(&request);
        let recording = self.record(&request, &spec);
        let started = self.start(request, spec, recording.clone()).await;
        if let (Some(recording), Err(error)) = (recording, &started) {
            recording.agent_event(&format!("failed {}", error.message));
        }
        started
    }

    async fn version(&self) -> Result<Option<String>, QueryError> {
        let spec = self.command.spec(PathBuf::from("/"), ["--version".into()]);
        let version = program_version::ask(&self.launcher, spec, claude::NAME).await;
        let version = version.map_err(QueryError::new)?;
        self.version.learn(&version);
        Ok(Some(version))
    }

    fn program(&self) -> Option<PathBuf> {
        program_file::of(&self.command.spec(PathBuf::from("/"), []))
    }
}

impl ClaudeCli {
    async fn start(
        &self,
        request: QueryRequest,
        spec: AgentSpec,
        recording: Option<Recording>,
    ) -> Result<QueryHandle, QueryError> {
        let process = self.launcher.spawn(spec).await;
        let AgentProcess { input, output, control } =
            process.map_err(|error| cannot_be_run(&error))?;
        let (own, own_lines) = mpsc::channel(CliWriter::OWN_LINES);
        let writer = CliWriter::new(input, request.input, own_lines, recording.clone());
        self.tasks.spawn(writer.run());
        let mut output = CliOutput { output, recording, control: control.clone() };
        let control = CliControl { control, own };
        control.write(ControlRequest::Initialize.line(INITIALIZE))?;
        if let Some(tokens) = request.options.max_thinking_tokens {
            control.write(ControlRequest::SetMaxThinkingTokens(tokens).line("thinking"))?;
        }
        let ready = tokio::time::timeout(READY_DEADLINE, output.wait_until_ready());
        match ready.await {
            Ok(Some(Ok(told))) => Ok(QueryHandle {
                output: Box::new(output),
                control: Arc::new(control),
                options: SessionOptions {
                    models: told.models,
                    commands: told.commands,
                    ..SessionOptions::default()
                },
            }),
            Ok(Some(Err(refusal))) => Err(QueryError::new(refusal)),
            // It exits, or has only closed its output: then it is of no use and is ended.
            Ok(None) => Err(did_not_start(&control.control.stop(CLOSED).await)),
            Err(_) => Err(QueryError::new("the agent did not become ready in time")),
        }
    }
}

fn did_not_start(exit: &AgentExit) -> QueryError {
    let is_unknown_session = exit.stderr_tail.contains("No conversation found");
    QueryError { is_unknown_session, ..QueryError::new(describe(exit)) }
}

fn describe(exit: &AgentExit) -> String {
    recording::describe_end(claude::NAME, Some(process_end(exit.status)), &exit.stderr_tail)
}

fn cannot_be_run(error: &SpawnError) -> QueryError {
    match error {
        SpawnError::MissingProgram { .. }
        | SpawnError::NotExecutable(_)
        | SpawnError::Refused { .. } => QueryError::new(format!("{error}. {HINT}")),
        SpawnError::MissingDirectory(_) | SpawnError::Guard(_) => {
            QueryError::new(error.to_string())
        }
    }
}

struct CliOutput {
    output: AgentOutput,
    recording: Option<Recording>,
    control: AgentControl,
}

/// The end of a recording: how the agent ended and its last words, which come another way than its lines.
async fn record_end(recording: &Recording, control: &AgentControl) {
    let exit = tokio::time::timeout(LAST_WORDS_DEADLINE, control.exited()).await;
    let words = control.stderr_tail();
    for line in last_words(&words).split('\n').filter(|_| !words.trim().is_empty()) {
        recording.line(Direction::Stderr, line);
    }
    if let Ok(exit) = exit {
        recording.agent_event(&process_end(exit.status).event());
    }
    recording.agent_event("eof");
}

impl CliOutput {
    /// Reads up to the answer to `initialize`; nothing of a conversation comes before it.
    async fn wait_until_ready(&mut self) -> Option<Result<Initialized, String>> {
        loop {
            let Spoken::Line(line) = self.next().await? else { continue };
            if let Some(answer) = initialize_answer(&line, INITIALIZE) {
                return Some(answer);
            }
        }
    }
}

#[async_trait]
impl QueryOutput for CliOutput {
    async fn next(&mut self) -> Option<Spoken<'_>> {
        let Self { output, recording, control } = self;
        let line = output.next_line().await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the agent's output cannot be read");
            None
        });
        let text = line.map(cut_line::text_of);
        match (recording, &text) {
            (Some(recording), Some(text)) => recording.line(Direction::Agent, text),
            (Some(recording), None) => record_end(recording, control).await,
            (None, _) => {}
        }
        text.map(Spoken::Line)
    }
}

struct CliControl {
    control: AgentControl,
    own: mpsc::Sender<String>,
}

impl CliControl {
    fn write(&self, line: String) -> Result<(), QueryError> {
        let stuck = |_| QueryError::new("the agent does not read what it is told");
        self.own.try_send(line).map_err(stuck)
    }
}

#[async_trait]
impl QueryControl for CliControl {
    async fn interrupt(&self) -> Result<(), QueryError> {
        self.write(ControlRequest::Interrupt.line("interrupt"))
    }

    async fn close(&self) {
        // An agent that does not read is ended by the ladder.
        self.write(ControlRequest::EndSession.line("end")).ok();
        self.control.stop(LADDER).await;
    }

    fn is_alive(&self) -> bool {
        self.control.is_alive()
    }

    async fn ended(&self) -> String {
        describe(&self.control.exited().await)
    }
}
