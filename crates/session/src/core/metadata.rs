//! What a session is called, whether it is put away, and what its agents are set to.

use contract::{SessionId, SessionListItem};
use std::sync::Arc;
use store::AgentChoices;

use super::SessionCore;
use super::effects::{Action, Effects, Reply};
use super::lifecycle::{EndWaiter, EndingReason};
use crate::fanout::{Asker, News, Publication};
use crate::title::{UNTITLED, title_of_prompt};

impl SessionCore {
    pub(crate) fn rename(
        &mut self,
        title: String,
        reply: Reply<SessionListItem>,
        effects: &mut Effects,
    ) {
        self.set_title(title, effects);
        effects.reply(reply, Ok(self.list_item()));
    }

    /// Puts the session away. Its agent is ended, and with it what runs: nobody would see what it does.
    pub(crate) fn archive(
        &mut self,
        asker: Option<Asker>,
        reply: Reply<SessionListItem>,
        is_alive: bool,
        effects: &mut Effects,
    ) {
        if !self.record.archived {
            self.record.archived = true;
            self.save_record(effects);
        }
        self.tell(News::Archived(self.session_id()), asker, effects);
        let waiter = Some(EndWaiter::Archive(reply));
        self.end_agent(EndingReason::Archived, waiter, is_alive, effects);
    }

    pub(crate) fn unarchive(&mut self, reply: Reply<SessionListItem>, effects: &mut Effects) {
        self.bring_back(effects);
        effects.reply(reply, Ok(self.list_item()));
    }

    /// To those who put it away it is as if it had been made just now.
    pub(super) fn bring_back(&mut self, effects: &mut Effects) {
        if !self.record.archived {
            return;
        }
        self.record.archived = false;
        self.save_record(effects);
        let back = Publication::Created(Arc::new(self.list_item()));
        effects.actions.push(Action::Tell(back, None));
    }

    pub(crate) fn keep_choices(&mut self, choices: AgentChoices, effects: &mut Effects) {
        if self.record.choices != choices {
            self.record.choices = choices;
            self.save_record(effects);
        }
    }

    /// A session without a title is called after its first prompt.
    pub(super) fn name_after(&mut self, prompt: &str, effects: &mut Effects) {
        if self.record.title != UNTITLED {
            return;
        }
        if let Some(title) = title_of_prompt(prompt) {
            self.set_title(title, effects);
        }
    }

    fn set_title(&mut self, title: String, effects: &mut Effects) {
        if self.record.title == title {
            return;
        }
        self.record.title.clone_from(&title);
        self.save_record(effects);
        self.tell(News::Titled { session_id: self.session_id(), title }, None, effects);
    }

    fn tell(&self, news: News, asker: Option<Asker>, effects: &mut Effects) {
        effects.actions.push(Action::Tell(Publication::News(Arc::new(news)), asker));
    }

    fn session_id(&self) -> SessionId {
        self.record.session_id.clone()
    }
}
