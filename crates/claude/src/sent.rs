//! Messages that were written to the agent, until their turns end.

use std::collections::VecDeque;

use contract::TurnId;

use crate::event::Lifecycle;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Written,
    /// The agent said that it has it.
    Queued,
    /// The agent said that it begins; on some versions before the turn itself does.
    Started,
}

#[derive(Debug)]
struct Message {
    turn_id: TurnId,
    progress: Progress,
    /// Whether the agent was told the turn's id, so that it can name it.
    is_named: bool,
}

/// In the order of writing. At most one is outstanding, besides those that were sent to join a running turn.
#[derive(Debug, Default)]
pub(crate) struct SentMessages {
    messages: VecDeque<Message>,
}

impl SentMessages {
    pub(crate) fn add(&mut self, turn_id: TurnId, is_named: bool) {
        self.messages.push_back(Message { turn_id, progress: Progress::Written, is_named });
    }

    /// Takes a message whose turn begins or that joins one. `None` if it is not one of ours that waits.
    pub(crate) fn take(&mut self, uuid: &str) -> Option<TurnId> {
        let index = self.messages.iter().position(|message| message.turn_id == *uuid)?;
        self.messages.remove(index).map(|message| message.turn_id)
    }

    pub(crate) fn contains(&self, uuid: &str) -> bool {
        self.messages.iter().any(|message| message.turn_id == *uuid)
    }

    pub(crate) fn head(&self) -> Option<&TurnId> {
        self.messages.front().map(|message| &message.turn_id)
    }

    pub(crate) fn turns(&self) -> impl Iterator<Item = &TurnId> {
        self.messages.iter().map(|message| &message.turn_id)
    }

    /// The first message that the agent could not name if it wanted to.
    pub(crate) fn unnamed_head(&self) -> Option<&TurnId> {
        self.messages.iter().find(|message| !message.is_named).map(|message| &message.turn_id)
    }

    /// The messages that the agent said it begins.
    pub(crate) fn started(&self) -> Vec<TurnId> {
        let started = |message: &&Message| message.progress == Progress::Started;
        self.messages.iter().filter(started).map(|message| message.turn_id.clone()).collect()
    }

    pub(crate) fn note(&mut self, uuid: &str, state: Lifecycle) {
        let Some(message) = self.messages.iter_mut().find(|message| message.turn_id == *uuid)
        else {
            return;
        };
        match state {
            Lifecycle::Queued => message.progress = Progress::Queued,
            Lifecycle::Started => message.progress = Progress::Started,
            Lifecycle::Completed | Lifecycle::NotCompleted => {}
        }
    }

    pub(crate) fn take_all(&mut self) -> Vec<TurnId> {
        self.messages.drain(..).map(|message| message.turn_id).collect()
    }
}
