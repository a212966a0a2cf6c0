//! What people do to turns that wait: change one, move it, send it now, remove it, or wake the queue.

use std::sync::Arc;

use contract::{
    Delivery, QueuePatch, QueueRemoved, QueuedTurn, Text, TurnId, UpsertBody, UpsertObject,
};
use pipeline::Now;
use store::Change;

use super::effects::{Effects, Reply};
use super::lifecycle::{Lifecycle, being_ended};
use super::queue::TurnQueue;
use super::{Action, SessionCore};
use crate::error::ServiceError;

#[derive(Debug)]
pub(crate) enum QueueCommand {
    Change(TurnId, QueuePatch, Reply<Vec<QueuedTurn>>),
    Remove(TurnId, Reply<QueueRemoved>),
    Resume(Reply<Vec<QueuedTurn>>),
}

impl QueueCommand {
    /// The turn that is meant, if it is one.
    pub(crate) fn turn(&self) -> Option<&TurnId> {
        match self {
            Self::Change(turn, ..) | Self::Remove(turn, _) => Some(turn),
            Self::Resume(_) => None,
        }
    }

    pub(crate) fn refuse(self, error: ServiceError, effects: &mut Effects) {
        match self {
            Self::Change(_, _, reply) | Self::Resume(reply) => effects.reply(reply, Err(error)),
            Self::Remove(_, reply) => effects.reply(reply, Err(error)),
        }
    }
}

impl SessionCore {
    /// `has_begun` is whether the journal knows the turn to have begun. What makes a turn run gets an agent first, as a
    /// send does; if that fails nothing has changed.
    pub(crate) fn change_queue(
        &mut self,
        command: QueueCommand,
        has_begun: bool,
        is_alive: bool,
        now: Now,
        effects: &mut Effects,
    ) {
        if let Err(error) = self.check_queue(&command, has_begun) {
            return command.refuse(error, effects);
        }
        if !self.needs_agent(&command) {
            return self.apply_to_queue(command, now, effects);
        }
        if self.is_draining {
            return command.refuse(ServiceError::ShuttingDown, effects);
        }
        match &mut self.lifecycle {
            Lifecycle::Loading(awaiting) => awaiting.wait_with(command, effects),
            Lifecycle::Ending(ending) if ending.leaves_open() => {
                ending.next.wait_with(command, effects);
            }
            Lifecycle::Ending(_) | Lifecycle::Stopping => command.refuse(being_ended(), effects),
            Lifecycle::Open if is_alive => self.apply_to_queue(command, now, effects),
            Lifecycle::Open | Lifecycle::Dead(_) => {
                let awaiting =
                    super::lifecycle::Awaiting { queue: vec![command], ..Default::default() };
                self.lifecycle = Lifecycle::Loading(awaiting);
                effects.actions.push(Action::Load);
            }
        }
    }

    /// The agent is there, or is not needed. The turn may have gone while it was waited for.
    pub(super) fn apply_to_queue(
        &mut self,
        command: QueueCommand,
        now: Now,
        effects: &mut Effects,
    ) {
        if let Err(error) = self.check_queue(&command, false) {
            return command.refuse(error, effects);
        }
        match command {
            QueueCommand::Change(turn, patch, reply) => {
                self.change_queued(&turn, patch, now, effects);
                effects.reply(reply, Ok(self.queue.turns()));
            }
            QueueCommand::Remove(turn, reply) => {
                if let Some(waiting) = self.queue.remove(&turn) {
                    self.remove_queued(&waiting, now, effects);
                }
                effects.reply(reply, Ok(QueueRemoved { removed: true }));
            }
            QueueCommand::Resume(reply) => {
                self.queue.set_paused(false);
                self.dispatch(effects);
                self.save_queue(effects);
                effects.reply(reply, Ok(self.queue.turns()));
            }
        }
    }

    fn change_queued(&mut self, turn: &TurnId, patch: QueuePatch, now: Now, effects: &mut Effects) {
        if let Some(content) = patch.content {
            self.reword(turn, content, now, effects);
        }
        if let Some(before) = &patch.before {
            self.queue.move_before(turn, before);
        }
        if patch.send_now == Some(true) {
            self.send_now(turn, now, effects);
        }
        self.dispatch(effects);
        self.save_queue(effects);
    }

    /// The user's item says what will be sent.
    fn reword(&mut self, turn: &TurnId, content: String, now: Now, effects: &mut Effects) {
        let Some(waiting) = self.queue.find_mut(turn) else { return };
        let UpsertBody::Message { origin, .. } = waiting.item.body else { return };
        let body = UpsertBody::Message { content: Text::from(content.as_str()), origin };
        let item = UpsertObject { body, emitted_at: now.wall, ..(*waiting.item).clone() };
        let Change::Upsert(item) = self.timeline.put(item, Some(&waiting.item), now.wall) else {
            return;
        };
        waiting.turn.content = content;
        waiting.item = Arc::clone(&item);
        effects.changes.push(Change::Upsert(item));
    }

    /// Goes first, and what runs is interrupted for it. Others that are paused stay so.
    fn send_now(&mut self, turn: &TurnId, now: Now, effects: &mut Effects) {
        let Some(mut waiting) = self.queue.remove(turn) else { return };
        waiting.turn.delivery = Delivery::Interrupt;
        waiting.turn.paused = false;
        self.queue.push_front(waiting);
        for running in self.runs.turns() {
            self.interrupt(&running, None, now, effects);
        }
    }

    fn needs_agent(&self, command: &QueueCommand) -> bool {
        match command {
            QueueCommand::Change(_, patch, _) => patch.send_now == Some(true),
            QueueCommand::Remove(..) => false,
            QueueCommand::Resume(_) => self.queue.is_paused(),
        }
    }

    fn check_queue(&self, command: &QueueCommand, has_begun: bool) -> Result<(), ServiceError> {
        let Some(turn) = command.turn() else { return Ok(()) };
        let Some(waiting) = self.queue.find(turn) else {
            let turn = turn.clone();
            let is_ours = has_begun || self.runs.contains(&turn);
            return Err(if is_ours {
                ServiceError::TurnStarted(turn)
            } else {
                ServiceError::UnknownTurn(turn)
            });
        };
        let QueueCommand::Change(_, patch, _) = command else { return Ok(()) };
        let invalid = |message: String| Err(ServiceError::InvalidRequest(message));
        if patch.content.is_none() && patch.before.is_none() && patch.send_now != Some(true) {
            return invalid("give content, before or sendNow: true".to_owned());
        }
        let is_blank = |content: &String| content.trim().is_empty();
        if patch.content.as_ref().is_some_and(is_blank) && waiting.attachments.is_empty() {
            return invalid("content: must not be empty".to_owned());
        }
        match &patch.before {
            Some(before) if self.queue.find(before).is_none() => {
                invalid(format!("before: no turn {before} waits"))
            }
            Some(_) | None => Ok(()),
        }
    }
}

impl super::lifecycle::Awaiting {
    /// As many may wait as turns can.
    fn wait_with(&mut self, command: QueueCommand, effects: &mut Effects) {
        if self.queue.len() >= TurnQueue::BOUND {
            return command.refuse(ServiceError::QueueFull(TurnQueue::BOUND), effects);
        }
        self.queue.push(command);
    }
}
