//! What connections are told of a session: what happened, how it stands, and what it does at a glance.

use std::sync::Arc;

use contract::SessionStatus;

use super::Actor;
use crate::fanout::{Publication, publish_to};

impl Actor {
    pub(super) fn publish(&mut self, publication: &Publication) {
        self.watch.published(publication, &self.parts.metrics, self.parts.environment.now());
        match publication.stream() {
            Some(_) => publish_to(&mut self.subscribers, publication),
            None => self.parts.hub.publish(publication),
        }
    }

    /// Current state is told whole, and only when it changed.
    pub(super) fn publish_status(&mut self) {
        self.note_status();
        let status = self.status.borrow().clone();
        if self.told.as_ref() == Some(&status) {
            return;
        }
        let told = SessionStatus { permissions: None, ..(*status).clone() };
        self.told = Some(status);
        self.parts.hub.publish(&Publication::Status(Arc::new(told)));
    }

    /// What is new at a glance, if it is time for it.
    pub(super) fn publish_glance(&mut self) {
        let session = &self.core.record().session_id;
        let Some(glance) = self.glance.take(session, self.parts.environment.now()) else { return };
        let glance = Arc::new(glance);
        self.glimpsed.send_replace(Some(glance.clone()));
        self.parts.hub.publish(&Publication::Glance(glance));
    }

    pub(super) fn note_status(&mut self) {
        let mode = self.parts.provider.mode(&self.core.record().session_id);
        let status = self.core.status(self.is_alive(), mode);
        if **self.status.borrow() != status {
            self.status.send_replace(Arc::new(status));
        }
    }
}
