//! Sessions that an agent keeps on its own, and how they are read.

use async_trait::async_trait;
use contract::{SessionId, Timestamp};
use recording::HistoryEvent;

use super::ProviderError;

/// Reads what an agent keeps of its sessions, also of those that began without us.
#[async_trait]
pub trait Transcripts: Send + Sync {
    /// The agent's sessions of a directory, the last used first. Bounded: of very many the oldest are left out.
    async fn importable(&self, project_dir: &str) -> Result<Vec<AgentSession>, ProviderError>;

    /// What happened in one of them, as items and turns of a session with the same id.
    async fn history(
        &self,
        session: &SessionId,
        project_dir: &str,
    ) -> Result<ImportedHistory, ProviderError>;
}

/// A session as its agent knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentSession {
    /// The agent's own id of it.
    pub id: String,
    /// The beginning of its first prompt.
    pub title: String,
    pub created_at: Option<Timestamp>,
    pub last_active_at: Timestamp,
    pub prompts: u64,
}

#[derive(Debug)]
pub struct ImportedHistory {
    pub session: AgentSession,
    /// In order; every item once, in its last state.
    pub events: Vec<HistoryEvent>,
}
