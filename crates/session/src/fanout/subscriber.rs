//! One connection as sessions see it.

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
}

impl Subscriber {
    /// `bound` is in bytes.
    pub fn new(bound: usize) -> Self {
        Self { outbox: Mutex::new(Outbox::new(bound)), ready: Notify::new() }
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
