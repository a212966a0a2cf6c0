//! What is remembered of a session beyond the life of its agent, so that the next one goes on where it ended.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use contract::{SessionId, TurnId};

use super::adapter::QueryOptions;
use crate::provider::bypass::CLAUDE_BYPASS;

/// Turns that are remembered as written. Only those that come back are asked for, and they come back soon.
const WRITTEN: usize = 64;

#[derive(Debug)]
pub(super) struct SessionMemory {
    pub(super) session: SessionId,
    pub(super) cwd: String,
    known: Mutex<Known>,
}

#[derive(Clone, Debug, Default)]
struct Known {
    /// The agent's own id, once it told one; clearing the conversation changes it.
    agent_session: Option<String>,
    options: QueryOptions,
    /// The turns whose messages were written last, to this agent or an earlier one.
    written: VecDeque<TurnId>,
}

impl SessionMemory {
    pub(super) fn new(session: SessionId, cwd: String, options: QueryOptions) -> Self {
        Self { session, cwd, known: Mutex::new(Known { options, ..Known::default() }) }
    }

    /// `None` if no turn ever ran: then there is nothing to go on with.
    pub(super) fn agent_session(&self) -> Option<String> {
        self.lock(|known| known.agent_session.clone())
    }

    pub(super) fn set_agent_session(&self, id: String) {
        self.lock(|known| known.agent_session = Some(id));
    }

    /// A mode in which nothing is asked is chosen anew each time.
    pub(super) fn set_mode(&self, mode: &str) {
        let inherited = Some(mode.to_owned()).filter(|mode| mode != CLAUDE_BYPASS);
        self.lock(|known| known.options.mode = inherited);
    }

    /// Notes that a turn's message is written. Returns whether it is for the first time.
    pub(super) fn note_written(&self, turn: &TurnId) -> bool {
        self.lock(|known| {
            if known.written.contains(turn) {
                return false;
            }
            if known.written.len() >= WRITTEN {
                known.written.pop_front();
            }
            known.written.push_back(turn.clone());
            true
        })
    }

    /// Only a model that was chosen is chosen again; the default may change.
    pub(super) fn set_model(&self, model: &str) {
        self.lock(|known| {
            if known.options.model.is_some() {
                known.options.model = Some(model.to_owned());
            }
        });
    }

    pub(super) fn choose_model(&self, model: &str) {
        self.lock(|known| known.options.model = Some(model.to_owned()));
    }

    /// With what the first agent of the session is started.
    pub(super) fn chosen_options(&self) -> QueryOptions {
        self.lock(|known| known.options.clone())
    }

    /// With what a later one is.
    pub(super) fn inherited_options(&self) -> QueryOptions {
        let mut options = self.chosen_options();
        options.mode = options.mode.filter(|mode| mode != CLAUDE_BYPASS);
        options
    }

    fn lock<T>(&self, act: impl FnOnce(&mut Known) -> T) -> T {
        act(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
