//! Sessions that a program of the user's own feeds with canonical envelopes.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use contract::{
    AgentCapabilities, CliType, SessionId, StreamEventEnvelope, TurnEvent, TurnId, UpsertObject,
};
use tokio_util::task::TaskTracker;

use super::external_session::ExternalSession;
use super::{
    CliProvider, CreateSession, EnvelopeIngestion, Listeners, LoadSession, OutgoingMessage,
    ProviderError, ProviderErrorCode, ProviderNotice, ProviderSession, Sink,
};
use crate::environment::Environment;

#[derive(Debug)]
pub struct ExternalProvider {
    cli_type: CliType,
    sessions: Mutex<HashMap<SessionId, ExternalSession>>,
    outputs: Arc<Outputs>,
    environment: Environment,
    tasks: TaskTracker,
}

/// Where the sessions' emissions go.
#[derive(Debug, Default)]
pub(super) struct Outputs {
    pub(super) upserts: Listeners<UpsertObject>,
    pub(super) turns: Listeners<TurnEvent>,
}

impl ExternalProvider {
    pub fn new(environment: Environment, tasks: TaskTracker) -> Self {
        let cli_type = CliType::from("external");
        Self { cli_type, sessions: Mutex::default(), outputs: Arc::default(), environment, tasks }
    }

    fn open(&self, session: SessionId) -> ProviderSession {
        self.lock(|sessions| {
            sessions.entry(session.clone()).or_insert_with(|| {
                ExternalSession::start(
                    session.clone(),
                    self.environment.clone(),
                    self.outputs.clone(),
                    &self.tasks,
                )
            });
        });
        ProviderSession { session_id: session, cli_type: self.cli_type.clone() }
    }

    fn find(&self, session: &SessionId) -> Result<ExternalSession, ProviderError> {
        self.lock(|sessions| sessions.get(session).cloned()).ok_or_else(|| {
            ProviderError::new(
                ProviderErrorCode::ProcessCrash,
                format!("session {session} was ended; load it to go on"),
            )
        })
    }

    fn lock<R>(&self, act: impl FnOnce(&mut HashMap<SessionId, ExternalSession>) -> R) -> R {
        act(&mut self.sessions.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl CliProvider for ExternalProvider {
    fn cli_type(&self) -> &CliType {
        &self.cli_type
    }

    fn capabilities(&self) -> AgentCapabilities {
        AgentCapabilities { send: false, steer: false, images: false, resume: true }
    }

    async fn create_session(
        &self,
        options: CreateSession,
    ) -> Result<ProviderSession, ProviderError> {
        Ok(self.open(options.session_id.unwrap_or_else(|| self.environment.ids.session_id())))
    }

    async fn load_session(
        &self,
        session: &SessionId,
        _: LoadSession,
    ) -> Result<ProviderSession, ProviderError> {
        Ok(self.open(session.clone()))
    }

    async fn send_message(
        &self,
        _: &SessionId,
        _: OutgoingMessage,
    ) -> Result<TurnId, ProviderError> {
        let message = "an external session is fed by envelopes and takes no messages";
        Err(ProviderError::new(ProviderErrorCode::ProtocolError, message))
    }

    async fn cancel_turn(&self, _: &SessionId, _: Option<&TurnId>) -> Result<(), ProviderError> {
        let message = "an external session is stopped by whoever feeds it";
        Err(ProviderError::new(ProviderErrorCode::InterruptFailed, message))
    }

    async fn kill_session(&self, session: &SessionId) -> Result<(), ProviderError> {
        if let Some(found) = self.lock(|sessions| sessions.remove(session)) {
            found.end().await;
        }
        Ok(())
    }

    fn is_alive(&self, session: &SessionId) -> bool {
        self.lock(|sessions| sessions.contains_key(session))
    }

    fn on_upsert(&self, session: &SessionId, sink: Sink<UpsertObject>) {
        self.outputs.upserts.add(session, sink);
    }

    fn on_turn(&self, session: &SessionId, sink: Sink<TurnEvent>) {
        self.outputs.turns.add(session, sink);
    }

    fn on_notice(&self, _: &SessionId, _: Sink<ProviderNotice>) {
        // Envelopes carry neither requests nor news.
    }

    fn ingestion(&self) -> Option<&dyn EnvelopeIngestion> {
        Some(self)
    }
}

#[async_trait]
impl EnvelopeIngestion for ExternalProvider {
    async fn ingest(
        &self,
        session: &SessionId,
        envelopes: Vec<StreamEventEnvelope>,
    ) -> Result<u64, ProviderError> {
        self.find(session)?.ingest(envelopes).await
    }

    async fn flush(&self, session: &SessionId) -> Result<(), ProviderError> {
        self.find(session)?.flush().await
    }
}
