//! Where the agents' emissions go.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use contract::{SessionId, TurnEvent, UpsertObject};

use crate::provider::{Listeners, ProviderNotice, Sink};

#[derive(Debug, Default)]
pub(in crate::provider) struct Emitter {
    pub(in crate::provider) upserts: Listeners<UpsertObject>,
    pub(in crate::provider) turns: Listeners<TurnEvent>,
    /// A notice can be answered once, so a session has one sink for them.
    notices: Mutex<HashMap<SessionId, Sink<ProviderNotice>>>,
}

impl Emitter {
    pub(in crate::provider) fn set_notice_sink(
        &self,
        session: &SessionId,
        sink: Sink<ProviderNotice>,
    ) {
        let mut sinks = self.lock();
        sinks.retain(|_, known| !known.is_gone());
        sinks.insert(session.clone(), sink);
    }

    pub(in crate::provider) async fn notice(&self, session: &SessionId, notice: ProviderNotice) {
        let sink = self.lock().get(session).cloned();
        if let Some(sink) = sink {
            sink.accept(notice).await;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, Sink<ProviderNotice>>> {
        self.notices.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
