//! Every agent that speaks the Agent Client Protocol, as a provider of sessions.

mod asking;
mod cli;
mod ending;
mod introduction;
mod memory;
mod native_program;
mod opening;
mod pump;
mod rollouts;
mod transcripts;
mod transport;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use acp::{AgentFacts, Replayed};
use async_trait::async_trait;
use contract::{
    AgentCapabilities, CliType, ModeId, SessionId, SessionOptions, TurnEvent, TurnId, UpsertObject,
};
use store::AgentChoices;
use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

pub use cli::AcpCli;
pub use rollouts::codex_home;
pub use transport::{
    AcpConnection, AcpTransport, AgentWords, ConnectRequest, ConnectionControl, TransportError,
    Word,
};

use super::agent_task::{AgentSessions, Command, Emitter};
use super::options::Adjustment;
use super::{
    AgentCheck, CliProvider, CreateSession, LoadSession, OutgoingMessage, ProviderError,
    ProviderErrorCode, ProviderNotice, ProviderSession, Sink, Transcripts,
};
use crate::environment::Environment;
use memory::SessionMemory;
use opening::Begin;
use rollouts::Rollouts;

/// How long an agent has to say how an adjustment went.
const CONTROL_DEADLINE: Duration = Duration::from_secs(10);

/// One kind of agent, whose `transport` starts it. One process per session.
pub struct AcpProvider {
    cli_type: CliType,
    transport: Arc<dyn AcpTransport>,
    environment: Environment,
    tasks: TaskTracker,
    emitter: Arc<Emitter>,
    sessions: AgentSessions<acp::Adjustment, SessionMemory>,
    /// What the agent last said of itself.
    facts: Mutex<Option<AgentFacts>>,
    /// Where Codex keeps its sessions.
    rollouts: Option<Rollouts>,
    /// Agents that are started only to be asked, one at a time.
    asking: Semaphore,
}

impl AcpProvider {
    pub fn new(
        cli_type: CliType,
        transport: Arc<dyn AcpTransport>,
        environment: Environment,
        tasks: TaskTracker,
    ) -> Self {
        Self {
            cli_type,
            transport,
            environment,
            tasks,
            emitter: Arc::default(),
            sessions: AgentSessions::default(),
            facts: Mutex::default(),
            rollouts: None,
            asking: Semaphore::new(1),
        }
    }

    /// Reads the agent's own sessions in the files that Codex keeps below `codex_home`, not by asking an agent.
    #[must_use]
    pub fn with_rollouts(self, codex_home: Option<&Path>) -> Self {
        Self { rollouts: codex_home.map(Rollouts::new), ..self }
    }

    fn facts(&self) -> Option<AgentFacts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn told(&self, session: SessionId) -> ProviderSession {
        ProviderSession { session_id: session, cli_type: self.cli_type.clone() }
    }
}

#[async_trait]
impl CliProvider for AcpProvider {
    fn cli_type(&self) -> &CliType {
        &self.cli_type
    }

    /// Before an agent was ever started it is believed to do what most do.
    fn capabilities(&self) -> AgentCapabilities {
        let facts = self.facts();
        let images = facts.as_ref().is_none_or(|facts| facts.images);
        let resume = facts.as_ref().is_none_or(|facts| facts.load || facts.resume);
        AgentCapabilities { send: true, steer: false, images, resume }
    }

    fn takes_attachment(&self, mime_type: &str) -> bool {
        mime_type.starts_with("image/") && self.capabilities().images
    }

    async fn check(&self) -> Result<AgentCheck, String> {
        self.greet().await
    }

    fn program(&self) -> Option<PathBuf> {
        self.transport.program()
    }

    async fn create_session(
        &self,
        options: CreateSession,
    ) -> Result<ProviderSession, ProviderError> {
        let session = options.session_id.unwrap_or_else(|| self.environment.ids.session_id());
        let chosen = options.mode_id.clone();
        let choices = AgentChoices {
            mode_id: options.mode_id,
            model_id: options.model_id,
            max_thinking_tokens: None,
        };
        let choices = adjustments(&choices);
        let memory = SessionMemory::new(session.clone(), options.project_dir, &choices);
        self.begin(Arc::new(memory), Begin::New(choices)).await.map_err(|error| {
            ProviderError::new(ProviderErrorCode::SessionCreateFailed, error.message.clone())
                .caused_by(error)
        })?;
        self.leave_bypass(&session, chosen.as_ref()).await.map_err(|error| {
            ProviderError::new(ProviderErrorCode::SessionCreateFailed, error.to_string())
                .caused_by(error)
        })?;
        Ok(self.told(session))
    }

    async fn load_session(
        &self,
        session: &SessionId,
        options: LoadSession,
    ) -> Result<ProviderSession, ProviderError> {
        if self.sessions.running(session).is_some() {
            return Ok(self.told(session.clone()));
        }
        let known = self.sessions.known(session);
        let is_told = known.is_some() || options.holds_history;
        let replayed = if is_told { Replayed::Discarded } else { Replayed::Told };
        let memory = known.unwrap_or_else(|| {
            let cwd = directory(&options).unwrap_or_default();
            let memory = SessionMemory::new(session.clone(), cwd, &adjustments(&options.choices));
            if !options.never_ran {
                memory.note_run();
            }
            Arc::new(memory)
        });
        let own = memory.agent_session().or(options.agent_session);
        let agent_session = own.unwrap_or_else(|| session.as_str().to_owned());
        let resume = Begin::Existing { agent_session, replayed, choices: memory.inherited() };
        let resumed = match self.begin(memory.clone(), resume).await {
            // Nothing was ever said in it, so nothing is lost with another one.
            Err(error) if error.is_unknown_session && !memory.has_run() => {
                let choices = memory.inherited();
                self.begin(memory, Begin::Anew(choices)).await
            }
            other => other,
        };
        resumed.map_err(|error| {
            ProviderError::new(ProviderErrorCode::ProcessCrash, error.message.clone())
                .caused_by(error)
        })?;
        self.leave_bypass(session, None).await?;
        Ok(self.told(session.clone()))
    }

    async fn send_message(
        &self,
        session: &SessionId,
        message: OutgoingMessage,
    ) -> Result<TurnId, ProviderError> {
        let agent = self.sessions.find(session)?;
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
        Some(self)
    }

    fn options(&self, session: &SessionId) -> Option<SessionOptions> {
        self.sessions.running(session).map(|agent| agent.options())
    }

    fn mode(&self, session: &SessionId) -> Option<ModeId> {
        self.sessions.running(session)?.mode()
    }

    fn choices(&self, session: &SessionId) -> Option<AgentChoices> {
        self.sessions.known(session).map(|memory| memory.choices())
    }

    async fn adjust(
        &self,
        session: &SessionId,
        adjustment: Adjustment,
    ) -> Result<(), ProviderError> {
        let agent = self.sessions.find(session)?;
        check_offered(&agent.options(), &adjustment)?;
        let wish = match adjustment {
            Adjustment::Mode(mode) => acp::Adjustment::Mode(mode),
            Adjustment::Model(model) => acp::Adjustment::Model(model),
            Adjustment::StopTask(_) => {
                let message = "this agent tells of no work in the background";
                return Err(ProviderError::new(ProviderErrorCode::NotSupported, message));
            }
        };
        let asked = agent.ask(|reply| Command::Control(wish, reply));
        tokio::time::timeout(CONTROL_DEADLINE, asked).await.map_err(|_| {
            ProviderError::new(ProviderErrorCode::ProcessCrash, "the agent does not answer")
        })??;
        Ok(())
    }
}

/// What the agent does not offer is refused before it is asked: that is nobody's failure but the asker's.
fn check_offered(options: &SessionOptions, wish: &Adjustment) -> Result<(), ProviderError> {
    let (is_offered, what) = match wish {
        Adjustment::Mode(mode) => {
            (options.modes.iter().any(|known| known.mode_id == *mode), format!("modeId: {mode}"))
        }
        Adjustment::Model(model) => (
            options.models.iter().any(|known| known.model_id == *model),
            format!("modelId: {model}"),
        ),
        Adjustment::StopTask(_) => return Ok(()),
    };
    let message = || format!("{what} is not offered");
    is_offered
        .then_some(())
        .ok_or_else(|| ProviderError::new(ProviderErrorCode::NotSupported, message()))
}

/// What an agent is asked for to be set so.
fn adjustments(choices: &AgentChoices) -> Vec<acp::Adjustment> {
    let mode = choices.mode_id.clone().map(acp::Adjustment::Mode);
    mode.into_iter().chain(choices.model_id.clone().map(acp::Adjustment::Model)).collect()
}

fn directory(options: &LoadSession) -> Option<String> {
    let of_file = || {
        let file = options.view_file_path.as_deref()?;
        Some(Path::new(file).parent()?.to_string_lossy().into_owned())
    };
    options.project_dir.clone().or_else(of_file)
}

impl std::fmt::Debug for AcpProvider {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AcpProvider").field("cli_type", &self.cli_type).finish_non_exhaustive()
    }
}
