//! Envelopes for sessions that are fed from outside.

use std::sync::Arc;

use contract::{CliType, SessionId, SessionState, StreamEventEnvelope};

use super::SessionService;
use crate::actor::Command;
use crate::error::ServiceError;
use crate::provider::CliProvider;

impl SessionService {
    /// Takes canonical envelopes for a session that is fed from outside; returns how many had no effect.
    pub async fn ingest(
        &self,
        session: &SessionId,
        envelopes: Vec<StreamEventEnvelope>,
    ) -> Result<u64, ServiceError> {
        let provider = self.feeding_provider(session).await?;
        let ingestion = provider.ingestion().ok_or_else(|| not_fed(provider.cli_type()))?;
        let ignored = ingestion.ingest(session, envelopes).await?;
        // What is answered is committed.
        self.session(session).await?.ask(Command::CatchUp).await?;
        Ok(ignored)
    }

    /// Has text told that waits for more of it: whoever fed it is about to hear that it was accepted.
    pub async fn end_ingestion(&self, session: &SessionId) -> Result<(), ServiceError> {
        let provider = self.feeding_provider(session).await?;
        let ingestion = provider.ingestion().ok_or_else(|| not_fed(provider.cli_type()))?;
        ingestion.flush(session).await?;
        self.session(session).await?.ask(Command::CatchUp).await
    }

    /// Refuses a session that takes no envelopes, before any is sent.
    pub async fn check_ingestion(&self, session: &SessionId) -> Result<(), ServiceError> {
        self.feeding_provider(session).await.map(drop)
    }

    /// A session that lost its end of the line, as by a restart of the server, gets another one. One that somebody ended
    /// stays ended.
    async fn feeding_provider(
        &self,
        session: &SessionId,
    ) -> Result<Arc<dyn CliProvider>, ServiceError> {
        let handle = self.session(session).await?;
        let provider = self.agent_of(&handle)?;
        if provider.ingestion().is_none() {
            return Err(not_fed(&handle.created().cli_type));
        }
        if !provider.is_alive(session) && handle.status().state != SessionState::Dead {
            handle.ask(Command::Load).await?;
        }
        Ok(provider)
    }
}

fn not_fed(cli_type: &CliType) -> ServiceError {
    ServiceError::NotSupported(format!("sessions of type {cli_type} take no envelopes"))
}
