//! Starting an agent and opening its session.

use std::sync::{Arc, PoisonError};

use acp::{
    AcpClient, Adjustment, AgentFacts, Fresh, OpenWhat, Opening, Parties, Ready, RefusalKind,
    Replayed,
};
use contract::{ModeId, ProviderId, SessionId};

use super::AcpProvider;
use super::memory::SessionMemory;
use super::pump::{NotOpened, Pump, Shared};
use super::transport::ConnectRequest;
use crate::provider::agent_task::{AgentHandle, AlreadyStarting};
use crate::provider::bypass::never_asks;
use crate::provider::{self, CliProvider, ProviderError, ProviderNotice};

/// What an agent is started for.
#[derive(Clone, Debug)]
pub(super) enum Begin {
    New(Vec<Adjustment>),
    /// In the place of a session of which the agent keeps nothing, with what was chosen for that.
    Anew(Vec<Adjustment>),
    Existing {
        agent_session: String,
        replayed: Replayed,
        choices: Vec<Adjustment>,
    },
}

/// Why an agent could not be started, or opened no session.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(super) struct BeginError {
    pub(super) message: String,
    /// The agent keeps no such session, or cannot go on with any.
    pub(super) is_unknown_session: bool,
}

impl AcpProvider {
    /// Starts an agent, opens its session, and starts the task that reads it.
    pub(super) async fn begin(
        &self,
        memory: Arc<SessionMemory>,
        begin: Begin,
    ) -> Result<(), BeginError> {
        let refused = |error: AlreadyStarting| BeginError::new(error.to_string());
        let starting = self.sessions.start(&memory.session).map_err(refused)?;
        let mut pump = self.connect(memory.clone(), begin).await?;
        let ready = pump.open().await.map_err(|error| not_opened(&error))?;
        self.note_ready(&memory, &ready).await;
        let (handle, commands) = AgentHandle::new(ready.options);
        starting.done(handle.clone(), memory);
        self.tasks.spawn(pump.run(handle, commands));
        Ok(())
    }

    /// An agent that begins in a mode in which nothing is asked, and that nobody chose for it, is set to another: such a mode
    /// ends with the agent that somebody set it for. One that stays in it all the same is ended, so that nothing is sent to it.
    pub(super) async fn leave_bypass(
        &self,
        session: &SessionId,
        chosen: Option<&ModeId>,
    ) -> Result<(), ProviderError> {
        let Some(options) = self.options(session) else { return Ok(()) };
        let asks = |mode: &ModeId| !never_asks(mode, &options.modes);
        let is_nobodys = |mode: &&ModeId| !asks(mode) && chosen != Some(*mode);
        let Some(bypass) = options.current_mode_id.as_ref().filter(is_nobodys) else {
            return Ok(());
        };
        let Some(other) = options.modes.iter().map(|mode| &mode.mode_id).find(|mode| asks(mode))
        else {
            // It knows no other, so it was nobody's choice.
            return Ok(());
        };
        tracing::info!(%session, %bypass, %other, "the agent began in a mode in which it asks nothing");
        let left = self.adjust(session, provider::Adjustment::Mode(other.clone())).await;
        if left.is_err() {
            self.sessions.kill(session).await;
        }
        left
    }

    async fn connect(&self, memory: Arc<SessionMemory>, begin: Begin) -> Result<Pump, BeginError> {
        let (session_id, cwd) = (memory.session.clone(), memory.cwd.clone());
        let request = ConnectRequest { session_id: session_id.clone(), cwd: cwd.clone() };
        let failed = |error: super::TransportError| BeginError::new(error.to_string());
        let connection = self.transport.connect(request).await.map_err(failed)?;
        let (session, choices) = match begin {
            Begin::New(choices) => (OpenWhat::New, choices),
            Begin::Anew(choices) => (OpenWhat::Anew, choices),
            Begin::Existing { agent_session, replayed, choices } => {
                (OpenWhat::Existing { agent_session, replayed }, choices)
            }
        };
        let variables = connection.variables.clone();
        let opening = Opening { cwd, session, choices, variables };
        let client = AcpClient::new(self.parties(session_id), opening, self.fresh_ids());
        let shared =
            Shared { emitter: self.emitter.clone(), environment: self.environment.clone(), memory };
        Ok(Pump::new(client, connection, shared))
    }

    pub(super) fn note_facts(&self, facts: &AgentFacts) {
        if let Some(version) = &facts.version {
            self.transport.note_version(version);
        }
        *self.facts.lock().unwrap_or_else(PoisonError::into_inner) = Some(facts.clone());
    }

    pub(super) fn parties(&self, session: SessionId) -> Parties {
        Parties {
            session,
            provider: ProviderId::from(self.cli_type.as_str()),
            client_version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    pub(super) fn fresh_ids(&self) -> impl FnMut(Fresh) -> String + Send + use<> {
        let ids = self.environment.ids.clone();
        move |kind| match kind {
            Fresh::Turn => ids.turn_id().as_str().to_owned(),
            // Unlike a turn's it is of no interest to anybody, so it need not come from the same source.
            Fresh::Permission => uuid::Uuid::new_v4().to_string(),
        }
    }

    async fn note_ready(&self, memory: &SessionMemory, ready: &Ready) {
        self.note_facts(&ready.agent);
        memory.set_agent_session(&ready.agent_session);
        memory.note_modes(&ready.options);
        let notice = ProviderNotice::AgentSession(ready.agent_session.clone());
        self.emitter.notice(&memory.session, notice).await;
    }
}

fn not_opened(error: &NotOpened) -> BeginError {
    match error {
        NotOpened::Gone(reason) => BeginError::new(reason.clone()),
        NotOpened::Refused(refusal) => BeginError {
            message: refusal.message.clone(),
            is_unknown_session: match refusal.kind {
                RefusalKind::UnknownSession | RefusalKind::CannotResume | RefusalKind::Other => {
                    true
                }
                RefusalKind::NotLoggedIn => false,
            },
        },
    }
}

impl BeginError {
    fn new(message: String) -> Self {
        Self { message, is_unknown_session: false }
    }
}
