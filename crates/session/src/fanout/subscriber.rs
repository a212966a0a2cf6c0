//! One connection as sessions see it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use contract::{RequestId, SessionId};
use tokio::sync::Notify;

use super::encodings::Encodings;
use super::outbox::{Outbox, OutboxEntry};
use super::publication::Publication;

/// An outbox that wakes the connection's writer. Publishing never waits.
#[derive(Debug)]
pub struct Subscriber {
    outbox: Mutex<Outbox>,
    ready: Notify,
    /// Whether it is told what sessions do that it did not open. That comes every second from each that works, so nobody is
    /// woken for it who does not care.
    wants_glances: AtomicBool,
}

impl Subscriber {
    /// `bound` is in bytes.
    pub fn new(bound: usize) -> Self {
        let outbox = Mutex::new(Outbox::new(bound));
        Self { outbox, ready: Notify::new(), wants_glances: AtomicBool::new(false) }
    }

    pub fn want_glances(&self) {
        self.wants_glances.store(true, Ordering::Relaxed);
    }

    pub fn publish(&self, publication: Publication) {
        self.answer(publication, None);
    }

    pub fn answer(&self, publication: Publication, request_id: Option<RequestId>) {
        self.with_outbox(|outbox| outbox.push(publication, request_id));
        self.wake();
    }

    /// Publishes what other connections are told too.
    pub(crate) fn share(
        &self,
        publication: &Publication,
        encodings: &Arc<Encodings>,
        request_id: Option<RequestId>,
    ) {
        if matches!(publication, Publication::Glance(_))
            && !self.wants_glances.load(Ordering::Relaxed)
        {
            return;
        }
        let (publication, encodings) = (publication.clone(), encodings.clone());
        let entry = OutboxEntry { request_id, publication, encodings };
        self.with_outbox(|outbox| outbox.push_entry(entry));
        self.wake();
    }

    pub fn with_outbox<T>(&self, act: impl FnOnce(&mut Outbox) -> T) -> T {
        act(&mut self.outbox.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The stream of a session broke off and has to be told again.
    pub fn lose(&self, session: &SessionId) {
        self.with_outbox(|outbox| outbox.lose(session));
        self.wake();
    }

    /// Makes `ready` return once more.
    pub fn wake(&self) {
        self.ready.notify_one();
    }

    /// Returns when there may be something to send. Safe to drop at any point: a wake-up is not lost.
    pub async fn ready(&self) {
        self.ready.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use contract::SessionGlance;
    use futures_util::FutureExt;

    use super::*;

    #[test]
    fn who_does_not_care_is_not_woken_by_what_other_sessions_do() {
        let glance = SessionGlance {
            session_id: SessionId::from("s"),
            at: contract::Timestamp::default(),
            line: None,
            tool: None,
            turn_started_at: None,
        };
        let glance = Publication::Glance(Arc::new(glance));
        let subscriber = Subscriber::new(1);
        subscriber.share(&glance, &Arc::default(), None);
        assert!(subscriber.ready().now_or_never().is_none());
        subscriber.want_glances();
        subscriber.share(&glance, &Arc::default(), None);
        assert!(subscriber.ready().now_or_never().is_some());
        assert!(subscriber.with_outbox(Outbox::pop).is_some());
    }
}
