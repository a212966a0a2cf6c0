//! Sessions that a scripted agent keeps on its own.

use async_trait::async_trait;
use contract::{SessionId, TurnEvent, UpsertObject};
use session::provider::{
    AgentSession, HistoryEvent, ImportedHistory, ProviderError, ProviderErrorCode, Transcripts,
};

use crate::scripted_calls::Operation;
use crate::scripted_provider::ScriptedProvider;

/// A session that was never ours.
#[derive(Clone, Debug)]
pub struct KeptSession {
    pub session: AgentSession,
    pub events: Vec<HistoryEvent>,
}

impl From<UpsertObject> for KeptEvent {
    fn from(upsert: UpsertObject) -> Self {
        Self(HistoryEvent::Upsert(Box::new(upsert)))
    }
}

impl From<TurnEvent> for KeptEvent {
    fn from(event: TurnEvent) -> Self {
        Self(HistoryEvent::Turn(Box::new(event)))
    }
}

/// An item or a turn event of such a session.
#[derive(Clone, Debug)]
pub struct KeptEvent(HistoryEvent);

impl KeptSession {
    pub fn new(id: &str, title: &str, events: impl IntoIterator<Item = KeptEvent>) -> Self {
        let session = AgentSession {
            id: id.to_owned(),
            title: title.to_owned(),
            created_at: None,
            last_active_at: contract::Timestamp::from_millis(1000),
            prompts: 1,
        };
        Self { session, events: events.into_iter().map(|KeptEvent(event)| event).collect() }
    }
}

#[async_trait]
impl Transcripts for ScriptedProvider {
    async fn importable(&self, _: &str) -> Result<Vec<AgentSession>, ProviderError> {
        Ok(self.kept().into_iter().map(|kept| kept.session).collect())
    }

    async fn history(
        &self,
        session: &SessionId,
        _: &str,
    ) -> Result<ImportedHistory, ProviderError> {
        self.wait_if_held(Operation::Read).await;
        let found = self.kept().into_iter().find(|kept| *session == *kept.session.id);
        let kept = found.ok_or_else(|| {
            ProviderError::new(ProviderErrorCode::SessionNotFound, "it keeps no such session")
        })?;
        Ok(ImportedHistory { session: kept.session, events: kept.events })
    }
}
