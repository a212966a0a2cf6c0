//! Envelopes for sessions that are fed from outside.

use std::sync::Arc;

use contract::{SessionId, SessionState, StreamEventEnvelope};

use super::SessionService;
use crate::actor::{Command, SessionHandle};
use crate::error::ServiceError;
use crate::provider::{CliProvider, EnvelopeIngestion};

impl SessionService {
    /// Takes canonical envelopes for a session that is fed from outside; returns how many had no effect.
    pub async fn ingest(
        &self,
        session: &SessionId,
        envelopes: Vec<StreamEventEnvelope>,
    ) -> Result<u64, ServiceError> {
        let (handle, provider) = self.feeding(session).await?;
        attach(&handle, &*provider).await?;
        if handle.is_full() {
            return Err(ServiceError::SessionFull(self.caps.session_bytes));
        }
        let ingested = ingestion_of(&*provider)?.ingest(session, envelopes).await;
        let ignored = ingested.map_err(|error| self.failed(error))?;
        // What is answered is committed, by the one that was told: another one would know nothing of it.
        handle.ask(Command::CatchUp).await?;
        Ok(ignored)
    }

    /// Has text told that waits for more of it: whoever fed it is about to hear that it was accepted.
    pub async fn end_ingestion(&self, session: &SessionId) -> Result<(), ServiceError> {
        let (handle, provider) = self.feeding(session).await?;
        let flushed = ingestion_of(&*provider)?.flush(session).await;
        flushed.map_err(|error| self.failed(error))?;
        handle.ask(Command::CatchUp).await
    }

    /// Refuses a session that takes no envelopes, before any is sent.
    pub async fn check_ingestion(&self, session: &SessionId) -> Result<(), ServiceError> {
        let (handle, provider) = self.feeding(session).await?;
        attach(&handle, &*provider).await
    }

    async fn feeding(
        &self,
        session: &SessionId,
    ) -> Result<(SessionHandle, Arc<dyn CliProvider>), ServiceError> {
        let handle = self.session(session).await?;
        let provider = self.agent_of(&handle)?;
        ingestion_of(&*provider)?;
        Ok((handle, provider))
    }
}

/// A session that lost its end of the line, as by a restart of the server, gets another one. One that somebody ended
/// stays ended.
async fn attach(handle: &SessionHandle, provider: &dyn CliProvider) -> Result<(), ServiceError> {
    let status = handle.status();
    if !provider.is_alive(&status.session_id) && status.state != SessionState::Dead {
        handle.ask(Command::Load).await?;
    }
    Ok(())
}

fn ingestion_of(provider: &dyn CliProvider) -> Result<&dyn EnvelopeIngestion, ServiceError> {
    let kind = provider.cli_type();
    let not_fed =
        || ServiceError::NotSupported(format!("sessions of type {kind} take no envelopes"));
    provider.ingestion().ok_or_else(not_fed)
}
