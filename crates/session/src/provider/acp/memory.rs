//! What is remembered of a session beyond the life of its agent, so that the next one goes on where it ended.

use std::sync::{Mutex, PoisonError};

use acp::Adjustment;
use contract::{ModeId, ModelId, SessionId};

/// Modes in which an agent never asks. They are chosen anew each time.
const NEVER_ASK: [&str; 4] = ["full-access", "bypassPermissions", "dontAsk", "yolo"];

#[derive(Debug)]
pub(super) struct SessionMemory {
    pub(super) session: SessionId,
    pub(super) cwd: String,
    known: Mutex<Known>,
}

#[derive(Clone, Debug, Default)]
struct Known {
    agent_session: Option<String>,
    mode: Option<ModeId>,
    model: Option<ModelId>,
    /// Whether a turn ever began: some agents keep nothing before.
    has_run: bool,
}

impl SessionMemory {
    pub(super) fn new(session: SessionId, cwd: String, choices: &[Adjustment]) -> Self {
        let memory = Self { session, cwd, known: Mutex::default() };
        choices.iter().for_each(|choice| memory.choose(choice));
        memory
    }

    pub(super) fn agent_session(&self) -> Option<String> {
        self.lock(|known| known.agent_session.clone())
    }

    pub(super) fn set_agent_session(&self, id: &str) {
        self.lock(|known| known.agent_session = Some(id.to_owned()));
    }

    pub(super) fn has_run(&self) -> bool {
        self.lock(|known| known.has_run)
    }

    pub(super) fn note_run(&self) {
        self.lock(|known| known.has_run = true);
    }

    pub(super) fn choose(&self, choice: &Adjustment) {
        self.lock(|known| match choice {
            Adjustment::Mode(mode) => known.mode = Some(mode.clone()),
            Adjustment::Model(model) => known.model = Some(model.clone()),
        });
    }

    /// The agent is in this mode, by somebody's choice or by its own.
    pub(super) fn note_mode(&self, mode: Option<&ModeId>) {
        self.lock(|known| known.mode = mode.cloned().or(known.mode.take()));
    }

    /// What the next agent of the session is set to.
    pub(super) fn inherited(&self) -> Vec<Adjustment> {
        self.lock(|known| {
            let mode = known.mode.clone().filter(|mode| !NEVER_ASK.contains(&mode.as_str()));
            let model = known.model.clone().map(Adjustment::Model);
            mode.map(Adjustment::Mode).into_iter().chain(model).collect()
        })
    }

    fn lock<T>(&self, act: impl FnOnce(&mut Known) -> T) -> T {
        act(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
