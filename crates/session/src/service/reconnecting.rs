//! Trying again whether agents of a type can be run.

use std::time::Duration;

use contract::{AgentConnection, CliType};

use super::SessionService;
use crate::agent_states::Presence;
use crate::error::ServiceError;
use crate::provider::{ProviderError, ProviderErrorCode};

/// How long an agent has to show that it runs.
const DEADLINE: Duration = Duration::from_secs(10);

impl SessionService {
    /// Finds out whether agents of this type can be run. Those that sessions lost come back with the next message: every
    /// session has one of its own, and nothing is started that nobody needs.
    pub async fn reconnect(&self, cli_type: &CliType) -> Result<AgentConnection, ServiceError> {
        let provider = self.provider(cli_type)?;
        if self.agents.is_running(cli_type) {
            return Ok(AgentConnection::Connected);
        }
        self.check_open()?;
        let mut agent = self.agents.agent(cli_type);
        agent.set(Presence::Reconnecting);
        let checked = tokio::select! {
            checked = tokio::time::timeout(DEADLINE, provider.check()) => checked,
            () = self.parts.stop.cancelled() => return Err(ServiceError::ShuttingDown),
        };
        let late = |_| Err(format!("it did not answer within {} seconds", DEADLINE.as_secs()));
        match checked.unwrap_or_else(late) {
            Ok(_) => {
                agent.set(Presence::Running);
                Ok(AgentConnection::Connected)
            }
            Err(problem) => {
                agent.set(Presence::Failed);
                Err(self.failed(ProviderError::new(ProviderErrorCode::ProcessCrash, problem)))
            }
        }
    }

    /// Whatever an agent's failure is an answer to, it is told without secrets.
    pub(super) fn failed(&self, error: ProviderError) -> ServiceError {
        error.without(&self.parts.environment.secrets).into()
    }
}
