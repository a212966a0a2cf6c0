//! Claude Code as a provider of sessions.

mod adapter;
mod cli;
mod cli_writer;
mod ending;
mod memory;
mod pump;
mod settable;
mod transcripts;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use claude::ClaudeTranslator;
use claude::stdin::{self, ControlRequest};
use contract::{
    AgentCapabilities, CliType, ModeId, ModelId, SessionId, SessionOptions, TurnEvent, TurnId,
    UpsertObject,
};
use store::AgentChoices;
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

pub use adapter::{
    ClaudeSdkAdapter, Input, QueryControl, QueryError, QueryHandle, QueryOptions, QueryOutput,
    QueryRequest, Spoken, UserMessage,
};
pub use cli::ClaudeCli;
use memory::SessionMemory;
use pump::{Agent, Pump, Shared, Talk};
use transcripts::ClaudeTranscripts;
pub use transcripts::config_dir;

use super::agent_task::{AgentHandle, AgentSessions, AlreadyStarting, Command, Emitter};
use super::options::Adjustment;
use super::{
    AgentCheck, BypassModes, CliProvider, CreateSession, LoadSession, OutgoingMessage,
    ProviderError, ProviderErrorCode, ProviderNotice, ProviderSession, Sink, Transcripts,
};
use crate::environment::Environment;

/// How long an agent has to say how an adjustment went.
const CONTROL_DEADLINE: Duration = Duration::from_secs(10);
/// Inputs that wait to be written. Full means that the agent does not read; then telling it more fails.
const INPUTS: usize = 64;

pub struct ClaudeProvider {
    cli_type: CliType,
    adapter: Arc<dyn ClaudeSdkAdapter>,
    environment: Environment,
    tasks: TaskTracker,
    emitter: Arc<Emitter>,
    sessions: AgentSessions<ControlRequest, SessionMemory>,
    transcripts: Option<ClaudeTranscripts>,
    bypass: BypassModes,
}

impl ClaudeProvider {
    pub fn new(
        adapter: Arc<dyn ClaudeSdkAdapter>,
        environment: Environment,
        tasks: TaskTracker,
    ) -> Self {
        Self {
            cli_type: CliType::from("claude-code"),
            adapter,
            environment,
            tasks,
            emitter: Arc::default(),
            sessions: AgentSessions::default(),
            transcripts: None,
            bypass: BypassModes::default(),
        }
    }

    /// Under another name than the usual one, such as a second installation has.
    #[must_use]
    pub fn with_cli_type(self, cli_type: CliType) -> Self {
        let told_by = |kept: ClaudeTranscripts| kept.told_by(cli_type.as_str().into());
        Self { transcripts: self.transcripts.map(told_by), cli_type, ..self }
    }

    /// Reads the agent's own sessions below its configuration, where `config_dir` finds that.
    #[must_use]
    pub fn with_transcripts(self, config_dir: Option<&Path>) -> Self {
        let provider = self.cli_type.as_str();
        let transcripts = config_dir.map(|dir| ClaudeTranscripts::new(dir, provider.into()));
        Self { transcripts, ..self }
    }

    /// Where modes in which nothing is asked are forbidden, the agent is always told its mode: settings of its own may
    /// name such a one.
    #[must_use]
    pub fn with_bypass(self, bypass: BypassModes) -> Self {
        Self { bypass, ..self }
    }

    /// Starts an agent and the task that reads it.
    async fn start(
        &self,
        memory: Arc<SessionMemory>,
        mut options: QueryOptions,
        resume_session_id: Option<String>,
    ) -> Result<ProviderSession, QueryError> {
        let session = memory.session.clone();
        let refused = |error: AlreadyStarting| QueryError::new(error.to_string());
        let starting = self.sessions.start(&session).map_err(refused)?;
        if self.bypass == BypassModes::Forbidden {
            options.mode.get_or_insert_with(|| settable::DEFAULT_MODE.to_owned());
        }
        let (input, receiver) = mpsc::channel(INPUTS);
        let request = QueryRequest {
            session_id: session.clone(),
            cwd: memory.cwd.clone(),
            input: receiver,
            resume_session_id,
            options: options.clone(),
        };
        let mut query = self.adapter.query(request).await?;
        let told = std::mem::take(&mut query.options);
        let (handle, commands) = AgentHandle::new(settable::at_the_start(told, &options));
        let ids = self.environment.ids.clone();
        let pump = Pump {
            translator: ClaudeTranslator::new(session.clone(), move || ids.turn_id())
                .told_by(self.cli_type.as_str().into()),
            agent: Agent::new(query, input),
            commands,
            shared: Shared {
                handle: handle.clone(),
                emitter: self.emitter.clone(),
                environment: self.environment.clone(),
                memory: memory.clone(),
            },
            talk: Talk::default(),
        };
        starting.done(handle, memory);
        self.tasks.spawn(pump.run());
        Ok(ProviderSession { session_id: session, cli_type: self.cli_type.clone() })
    }
}

#[async_trait]
impl CliProvider for ClaudeProvider {
    fn cli_type(&self) -> &CliType {
        &self.cli_type
    }

    fn capabilities(&self) -> AgentCapabilities {
        AgentCapabilities { send: true, steer: true, images: true, resume: true }
    }

    fn takes_attachment(&self, mime_type: &str) -> bool {
        stdin::takes_attachment(mime_type)
    }

    fn takes_full_answers(&self) -> bool {
        true
    }

    async fn check(&self) -> Result<AgentCheck, String> {
        let version = self.adapter.version().await.map_err(|error| error.message)?;
        Ok(AgentCheck { version, modes: settable::all_modes() })
    }

    fn program(&self) -> Option<PathBuf> {
        self.adapter.program()
    }

    async fn create_session(
        &self,
        options: CreateSession,
    ) -> Result<ProviderSession, ProviderError> {
        for id in [
            options.model_id.as_ref().map(ModelId::as_str),
            options.mode_id.as_ref().map(ModeId::as_str),
        ] {
            if id.is_some_and(|id| id.contains('\0')) {
                let message = "a model or a mode has no such name";
                return Err(ProviderError::new(ProviderErrorCode::SessionCreateFailed, message));
            }
        }
        let session = options.session_id.unwrap_or_else(|| self.environment.ids.session_id());
        let query_options = QueryOptions {
            model: options.model_id.map(|id| id.as_str().to_owned()),
            mode: options.mode_id.map(|id| id.as_str().to_owned()),
            max_thinking_tokens: options.provider_options.max_thinking_tokens,
        };
        let memory = SessionMemory::new(session, options.project_dir, query_options);
        let chosen = memory.chosen_options();
        self.start(Arc::new(memory), chosen, None).await.map_err(|error| {
            ProviderError::new(ProviderErrorCode::SessionCreateFailed, error.message.clone())
                .caused_by(error)
        })
    }

    async fn load_session(
        &self,
        session: &SessionId,
        options: LoadSession,
    ) -> Result<ProviderSession, ProviderError> {
        if self.sessions.running(session).is_some() {
            let (session_id, cli_type) = (session.clone(), self.cli_type.clone());
            return Ok(ProviderSession { session_id, cli_type });
        }
        let (known, never_ran) = (self.sessions.known(session), options.never_ran);
        let resume = match &known {
            Some(memory) => memory.agent_session(),
            None => {
                let id = options.agent_session.as_deref().unwrap_or(session.as_str());
                Some(id.to_owned())
            }
        };
        let memory = known.unwrap_or_else(|| {
            let cwd = directory(&options).unwrap_or_default();
            Arc::new(SessionMemory::new(session.clone(), cwd, chosen(&options.choices)))
        });
        let inherited = memory.inherited_options();
        let started = match self.start(memory.clone(), inherited.clone(), resume).await {
            // No turn ever ran, or the agent ended before it wrote down what was said: the id is still free.
            Err(error) if error.is_unknown_session => {
                let started = self.start(memory, inherited, None).await;
                if started.is_ok() && !never_ran {
                    self.emitter.notice(session, ProviderNotice::BeganAnew).await;
                }
                started
            }
            other => other,
        };
        started.map_err(|error| {
            ProviderError::new(ProviderErrorCode::ProcessCrash, error.message.clone())
                .caused_by(error)
        })
    }

    async fn send_message(
        &self,
        session: &SessionId,
        message: OutgoingMessage,
    ) -> Result<TurnId, ProviderError> {
        let agent = self.sessions.find(session)?;
        let refused =
            message.attachments.iter().find(|file| !self.takes_attachment(&file.mime_type));
        if let Some(file) = refused {
            let message = format!("{}: files of type {} are not taken", file.name, file.mime_type);
            return Err(ProviderError::new(ProviderErrorCode::ProtocolError, message));
        }
        let turn = message.turn_id.clone().unwrap_or_else(|| self.environment.ids.turn_id());
        agent.ask(|reply| Command::Send(turn, message, reply)).await
    }

    async fn cancel_turn(
        &self,
        session: &SessionId,
        turn: Option<&TurnId>,
    ) -> Result<(), ProviderError> {
        self.sessions.find(session)?.ask(|reply| Command::Cancel(turn.cloned(), reply)).await
    }

    async fn kill_session(&self, session: &SessionId) -> Result<(), ProviderError> {
        self.sessions.kill(session).await;
        Ok(())
    }

    fn is_alive(&self, session: &SessionId) -> bool {
        self.sessions.running(session).is_some()
    }

    fn on_upsert(&self, session: &SessionId, sink: Sink<UpsertObject>) {
        self.emitter.upserts.add(session, sink);
    }

    fn on_turn(&self, session: &SessionId, sink: Sink<TurnEvent>) {
        self.emitter.turns.add(session, sink);
    }

    fn on_notice(&self, session: &SessionId, sink: Sink<ProviderNotice>) {
        self.emitter.set_notice_sink(session, sink);
    }

    fn transcripts(&self) -> Option<&dyn Transcripts> {
        self.transcripts.as_ref().map(|transcripts| transcripts as &dyn Transcripts)
    }

    fn options(&self, session: &SessionId) -> Option<SessionOptions> {
        self.sessions.running(session).map(|agent| agent.options())
    }

    fn mode(&self, session: &SessionId) -> Option<ModeId> {
        self.sessions.running(session)?.mode()
    }

    fn choices(&self, session: &SessionId) -> Option<AgentChoices> {
        self.sessions.known(session).map(|memory| kept(memory.inherited_options()))
    }

    async fn adjust(
        &self,
        session: &SessionId,
        adjustment: Adjustment,
    ) -> Result<(), ProviderError> {
        let agent = self.sessions.find(session)?;
        let request = match adjustment {
            Adjustment::Mode(mode) => ControlRequest::SetMode(mode.as_str().to_owned()),
            Adjustment::Model(model) => ControlRequest::SetModel(Some(model.as_str().to_owned())),
            Adjustment::StopTask(task) => ControlRequest::StopTask(task.as_str().to_owned()),
        };
        let asked = agent.ask(|reply| Command::Control(request, reply));
        tokio::time::timeout(CONTROL_DEADLINE, asked).await.map_err(|_| {
            ProviderError::new(ProviderErrorCode::ProcessCrash, "the agent does not answer")
        })??;
        Ok(())
    }
}

fn chosen(choices: &AgentChoices) -> QueryOptions {
    QueryOptions {
        model: choices.model_id.as_ref().map(|id| id.as_str().to_owned()),
        mode: choices.mode_id.as_ref().map(|id| id.as_str().to_owned()),
        max_thinking_tokens: choices.max_thinking_tokens,
    }
}

fn kept(options: QueryOptions) -> AgentChoices {
    AgentChoices {
        model_id: options.model.map(ModelId::from),
        mode_id: options.mode.map(ModeId::from),
        max_thinking_tokens: options.max_thinking_tokens,
    }
}

fn directory(options: &LoadSession) -> Option<String> {
    let of_file = || {
        let file = options.view_file_path.as_deref()?;
        Some(Path::new(file).parent()?.to_string_lossy().into_owned())
    };
    options.project_dir.clone().or_else(of_file)
}

impl std::fmt::Debug for ClaudeProvider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClaudeProvider").field("cli_type", &self.cli_type).finish_non_exhaustive()
    }
}
