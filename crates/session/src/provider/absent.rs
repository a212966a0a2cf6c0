//! Stands in for an agent that is not in the settings any more, so that its sessions can still be read and settled.

use async_trait::async_trait;
use contract::{AgentCapabilities, CliType, SessionId, TurnEvent, TurnId, UpsertObject};

use super::{
    CliProvider, CreateSession, LoadSession, OutgoingMessage, ProviderError, ProviderErrorCode,
    ProviderNotice, ProviderSession, Sink,
};

#[derive(Debug)]
pub(crate) struct AbsentProvider {
    cli_type: CliType,
}

impl AbsentProvider {
    pub(crate) fn new(cli_type: CliType) -> Self {
        Self { cli_type }
    }

    fn refuse<T>(&self) -> Result<T, ProviderError> {
        let message = format!("no agent of type {} is configured", self.cli_type);
        Err(ProviderError::new(ProviderErrorCode::UnsupportedCliType, message))
    }
}

#[async_trait]
impl CliProvider for AbsentProvider {
    fn cli_type(&self) -> &CliType {
        &self.cli_type
    }

    fn capabilities(&self) -> AgentCapabilities {
        AgentCapabilities::default()
    }

    async fn create_session(&self, _: CreateSession) -> Result<ProviderSession, ProviderError> {
        self.refuse()
    }

    async fn load_session(
        &self,
        _: &SessionId,
        _: LoadSession,
    ) -> Result<ProviderSession, ProviderError> {
        self.refuse()
    }

    async fn send_message(
        &self,
        _: &SessionId,
        _: OutgoingMessage,
    ) -> Result<TurnId, ProviderError> {
        self.refuse()
    }

    async fn cancel_turn(&self, _: &SessionId, _: Option<&TurnId>) -> Result<(), ProviderError> {
        self.refuse()
    }

    /// There is nothing to end.
    async fn kill_session(&self, _: &SessionId) -> Result<(), ProviderError> {
        Ok(())
    }

    fn is_alive(&self, _: &SessionId) -> bool {
        false
    }

    fn on_upsert(&self, _: &SessionId, _: Sink<UpsertObject>) {}

    fn on_turn(&self, _: &SessionId, _: Sink<TurnEvent>) {}

    fn on_notice(&self, _: &SessionId, _: Sink<ProviderNotice>) {}
}
