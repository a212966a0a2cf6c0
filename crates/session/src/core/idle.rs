//! An agent that has had nothing to do for long is ended; the session goes on with the next message.

use std::time::Duration;

use pipeline::{Moment, Now};

use super::SessionCore;
use super::effects::Effects;
use super::lifecycle::{EndingReason, Lifecycle};

/// How long an agent may be idle, and since when it is.
#[derive(Debug, Default)]
pub(super) struct Idleness {
    limit: Option<Duration>,
    since: Option<Moment>,
}

impl Idleness {
    pub(super) fn with_limit(limit: Option<Duration>) -> Self {
        Self { limit, since: None }
    }

    pub(super) fn begin_anew(&mut self) {
        self.since = None;
    }

    pub(super) fn deadline(&self) -> Option<Moment> {
        Some(self.since? + self.limit?)
    }
}

impl SessionCore {
    /// The agent said something.
    pub(crate) fn note_word(&mut self) {
        self.idleness.begin_anew();
    }

    /// To be told after everything that happens.
    pub(crate) fn note_idleness(&mut self, is_alive: bool, now: Now) {
        let is_idle = is_alive && self.has_nothing_to_do();
        self.idleness.since = is_idle.then(|| self.idleness.since.unwrap_or(now.moment));
    }

    pub(super) fn end_idle_agent(&mut self, now: Now, effects: &mut Effects) {
        if self.idleness.deadline().is_some_and(|deadline| deadline <= now.moment) {
            self.idleness.begin_anew();
            self.end_agent(EndingReason::Idle, None, true, effects);
        }
    }

    /// A session that is fed from outside has no process that could be ended.
    fn has_nothing_to_do(&self) -> bool {
        matches!(self.lifecycle, Lifecycle::Open)
            && self.capabilities.send
            && !self.runs.is_active()
            && !self.queue.is_ready()
            && !self.permissions.is_waiting()
            && self.background_tasks.is_empty()
    }
}
