//! What is remembered of a session beyond the life of its agent, so that the next one goes on where it ended.

use std::sync::{Mutex, PoisonError};

use acp::Adjustment;
use contract::{ModeId, ModeInfo, ModelId, SessionId, SessionOptions};
use store::AgentChoices;

use super::adjustments;
use crate::provider::bypass::never_asks;

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
    /// What the agent said last of its modes.
    offered: Vec<ModeInfo>,
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

    /// The mode that the agent is in, by somebody's choice or by its own, and which there are.
    pub(super) fn note_modes(&self, options: &SessionOptions) {
        self.lock(|known| {
            known.mode = options.current_mode_id.clone().or(known.mode.take());
            known.offered.clone_from(&options.modes);
        });
    }

    /// What the next agent of the session is set to.
    pub(super) fn choices(&self) -> AgentChoices {
        self.lock(|known| AgentChoices {
            mode_id: known.mode.clone().filter(|mode| !never_asks(mode, &known.offered)),
            model_id: known.model.clone(),
            max_thinking_tokens: None,
        })
    }

    pub(super) fn inherited(&self) -> Vec<Adjustment> {
        adjustments(&self.choices())
    }

    fn lock<T>(&self, act: impl FnOnce(&mut Known) -> T) -> T {
        act(&mut self.known.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As agents tell them.
    const MODES: [(&str, &str, &str, bool); 16] = [
        ("read-only", "Read Only", "Approval is required to edit files.", true),
        ("auto", "Default", "Codex can read and edit files, and run commands.", true),
        ("full-access", "Full Access", "Codex can edit files outside this workspace", false),
        ("default", "Default", "Standard behavior, prompts for dangerous operations", true),
        ("acceptEdits", "Accept Edits", "Auto-accept file edit operations", true),
        ("plan", "Plan Mode", "Planning mode, no actual tool execution", true),
        ("dontAsk", "Don't Ask", "Don't prompt for permissions", false),
        ("bypassPermissions", "Bypass Permissions", "Bypass all permission checks", false),
        ("yolo", "YOLO", "Auto-approves all tools", false),
        ("auto", "Auto", "Automatically approve tool calls", false),
        ("FULL_ACCESS", "Everything", "", false),
        ("c", "Free", "Never asks", false),
        ("d", "Free", "Runs commands without asking for approval", false),
        ("e", "Free", "Edits files and runs commands without asking for approval", false),
        ("auto-edit", "Auto-edit", "Changes files in this directory without asking", true),
        ("acceptEdits", "Accept edits", "Changes files without asking", true),
    ];

    #[test]
    fn a_mode_in_which_an_agent_never_asks_is_not_inherited() {
        for (id, name, description, is_inherited) in MODES {
            let memory = SessionMemory::new("s".into(), String::new(), &[]);
            let mode = ModeInfo {
                mode_id: id.into(),
                name: name.to_owned(),
                description: Some(description.to_owned()),
                never_asks: false,
            };
            let other = ModeInfo { mode_id: "other".into(), ..mode.clone() };
            memory.note_modes(&SessionOptions {
                modes: vec![other, mode],
                ..SessionOptions::default()
            });
            memory.choose(&Adjustment::Mode(id.into()));
            let inherited = memory.inherited();
            assert_eq!(!inherited.is_empty(), is_inherited, "{id}: {name}: {description}");
        }
    }

    #[test]
    fn a_mode_of_which_nothing_is_known_is_judged_by_its_id() {
        for (id, is_inherited) in [("plan", true), ("bypassPermissions", false)] {
            let memory =
                SessionMemory::new("s".into(), String::new(), &[Adjustment::Mode(id.into())]);
            assert_eq!(!memory.inherited().is_empty(), is_inherited, "{id}");
        }
    }
}
