//! Sends, the queue they wait in, and cancelling.

use std::sync::Arc;
use std::time::Duration;

use contract::{
    Attachment, Cancelled, ClientMessageId, Delivery, ErrorCode, ItemId, ItemStatus, MessageOrigin,
    QueuedTurn, SendState, SessionSent, Text, TurnEventKind, TurnId, UpsertBody, UpsertObject,
};
use pipeline::Now;
use store::Change;

use super::effects::{Action, Effects, Reply};
use super::lifecycle::{Awaiting, being_ended};
use super::queue::{TurnQueue, Waiting};
use super::runs::{Phase, Run, RunEnd};
use super::{Autonomous, Lifecycle, SessionCore};
use crate::error::ServiceError;
use crate::provider::{AgentFailure, OutgoingMessage, ProviderErrorCode};

/// How long an agent has to end a turn that was interrupted.
pub(super) const INTERRUPT_DEADLINE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct SendCommand {
    pub(crate) content: String,
    pub(crate) client_message_id: Option<ClientMessageId>,
    pub(crate) delivery: Delivery,
    pub(crate) attachments: Vec<Attachment>,
    pub(crate) reply: Reply<SessionSent>,
    /// Retries of the same message that came while it waited for an agent.
    pub(crate) retries: Vec<Reply<SessionSent>>,
}

impl SendCommand {
    pub(super) fn answer(
        self,
        effects: &mut Effects,
        answer: impl Fn() -> Result<SessionSent, ServiceError>,
    ) {
        for reply in std::iter::once(self.reply).chain(self.retries) {
            effects.reply(reply, answer());
        }
    }
}

impl SessionCore {
    /// Takes a message. A session without an agent gets one first; if that fails nothing was written.
    pub(crate) fn send(
        &mut self,
        turn_id: TurnId,
        send: SendCommand,
        is_alive: bool,
        now: Now,
        effects: &mut Effects,
    ) {
        if let Err(error) = self.check_send(&send) {
            return effects.reply(send.reply, Err(error));
        }
        match &mut self.lifecycle {
            Lifecycle::Loading(awaiting) => {
                wait_for_agent(&mut awaiting.sends, turn_id, send, effects);
            }
            Lifecycle::Ending(ending) if ending.leaves_open() => {
                wait_for_agent(&mut ending.next.sends, turn_id, send, effects);
            }
            Lifecycle::Ending(_) | Lifecycle::Stopping => {
                effects.reply(send.reply, Err(being_ended()));
            }
            Lifecycle::Open if is_alive => self.accept_send(turn_id, send, now, effects),
            Lifecycle::Open | Lifecycle::Dead(_) => {
                let awaiting = Awaiting { sends: vec![(turn_id, send)], ..Awaiting::default() };
                self.lifecycle = Lifecycle::Loading(awaiting);
                effects.actions.push(Action::Load);
            }
        }
    }

    /// Writes the user's item and the queued turn, and starts the turn if nothing else runs.
    pub(super) fn accept_send(
        &mut self,
        turn_id: TurnId,
        mut send: SendCommand,
        now: Now,
        effects: &mut Effects,
    ) {
        // Sends that waited for an agent together may be more than the queue holds.
        if self.is_full() {
            return send.answer(effects, || Err(ServiceError::QueueFull(TurnQueue::BOUND)));
        }
        self.timeline.begin(turn_id.clone());
        let item = self.user_item(&turn_id, &send.content, now);
        let Change::Upsert(item) = self.timeline.put(item, None, now.wall) else { return };
        effects.changes.push(Change::Upsert(item.clone()));
        let turn = QueuedTurn {
            turn_id: turn_id.clone(),
            content: send.content.clone(),
            delivery: send.delivery,
            queued_at: now.wall,
            paused: false,
        };
        let attachments = Arc::new(std::mem::take(&mut send.attachments));
        if !attachments.is_empty() {
            effects.changes.push(Change::Attachments(turn_id.clone(), attachments.clone()));
        }
        self.enqueue(Waiting { turn, item, attachments }, now, effects);
        self.dispatch(effects);
        let state =
            if self.runs.contains(&turn_id) { SendState::Started } else { SendState::Queued };
        let answer = SessionSent { turn_id, state };
        self.save_queue(effects);
        self.name_after(&send.content, effects);
        self.touch(now.wall, effects);
        if let Some(id) = send.client_message_id.clone() {
            effects.changes.push(Change::Sent(id, answer.clone()));
        }
        send.answer(effects, || Ok(answer.clone()));
    }

    /// Hands over what the agent can take now. The caller saves the queue.
    pub(super) fn dispatch(&mut self, effects: &mut Effects) {
        while let Some(waiting) = self.next_to_hand_over() {
            let turn_id = waiting.turn.turn_id.clone();
            let message = OutgoingMessage {
                turn_id: Some(turn_id.clone()),
                content: waiting.turn.content.clone(),
                delivery: waiting.turn.delivery,
                attachments: (*waiting.attachments).clone(),
            };
            self.runs.begin(turn_id.clone(), Phase::AwaitingResponse(Box::new(waiting)));
            effects.actions.push(Action::Send(turn_id, message));
        }
    }

    /// The next turn if the agent is free. What is to join the running turn does not wait for its end, where the agent
    /// can take it in.
    fn next_to_hand_over(&mut self) -> Option<Waiting> {
        match &self.lifecycle {
            Lifecycle::Open if self.is_draining => None,
            Lifecycle::Open if !self.runs.is_active() => self.queue.pop_ready(),
            Lifecycle::Open if self.capabilities.steer => self.queue.pop_steering(),
            Lifecycle::Open
            | Lifecycle::Loading(_)
            | Lifecycle::Ending(_)
            | Lifecycle::Stopping
            | Lifecycle::Dead(_) => None,
        }
    }

    /// The agent did not take a turn. A dead agent leaves it waiting, paused; a living one has refused it.
    pub(crate) fn handle_send_failed(
        &mut self,
        turn: &TurnId,
        error: &AgentFailure,
        now: Now,
        effects: &mut Effects,
    ) {
        if !self.runs.awaiting().any(|waiting| waiting.turn.turn_id == *turn) {
            return;
        }
        let Some(run) = self.runs.take(turn) else { return };
        match error.code() {
            ProviderErrorCode::ProcessCrash => self.give_back(run, now, effects),
            ProviderErrorCode::UnsupportedCliType
            | ProviderErrorCode::SessionNotFound
            | ProviderErrorCode::ProtocolError
            | ProviderErrorCode::InvalidStreamEvent
            | ProviderErrorCode::InterruptFailed
            | ProviderErrorCode::SessionCreateFailed
            | ProviderErrorCode::NotSupported
            | ProviderErrorCode::InvalidProjectDir
            | ProviderErrorCode::ModeForbidden
            | ProviderErrorCode::TooManyAgents => {
                let kind = TurnEventKind::TurnError {
                    error_code: error.code().as_code(),
                    error_message: error.message().to_owned(),
                    error_class: None,
                };
                self.end_run(run, RunEnd::Error, effects);
                self.tell_turn(turn.clone(), kind, now, effects);
                self.dispatch(effects);
            }
        }
        self.save_queue(effects);
    }

    /// A turn that was handed over was taken back before it began. It leaves the queue, unless it was only taken back
    /// because the agent is being ended: then it waits for the next one.
    pub(super) fn handle_never_began(&mut self, turn: &TurnId, now: Now, effects: &mut Effects) {
        let Some(run) = self.runs.take(turn) else { return };
        if matches!(self.lifecycle, Lifecycle::Ending(_) | Lifecycle::Stopping) {
            self.give_back(run, now, effects);
            return self.save_queue(effects);
        }
        let (awaiting, waiters) = match run.phase {
            Phase::AwaitingResponse(waiting) => (Some(waiting), Vec::new()),
            Phase::Finalizing { awaiting, interrupt } => (awaiting, interrupt.waiters),
            Phase::Streaming => (None, Vec::new()),
        };
        if let Some(waiting) = awaiting {
            self.remove_queued(&waiting, now, effects);
        }
        for waiter in waiters {
            effects.reply(waiter, Ok(Cancelled { cancelled: true }));
        }
        self.dispatch(effects);
        self.save_queue(effects);
    }

    /// Cancels the named turn, or whatever runs. Answers when the turn has ended.
    pub(crate) fn cancel(
        &mut self,
        turn: Option<&TurnId>,
        reply: Reply<Cancelled>,
        now: Now,
        effects: &mut Effects,
    ) {
        if let Some(waiting) = turn.and_then(|turn| self.queue.remove(turn)) {
            self.remove_queued(&waiting, now, effects);
            return effects.reply(reply, Ok(Cancelled { cancelled: true }));
        }
        let running = self.runs.current().filter(|_| turn.is_none()).or(turn);
        let running =
            running.filter(|turn| self.capabilities.send && self.runs.contains(turn)).cloned();
        let Some(running) = running else {
            return effects.reply(reply, Ok(Cancelled { cancelled: false }));
        };
        self.interrupt(&running, Some(reply), now, effects);
    }

    pub(crate) fn handle_interrupt_failed(&mut self, turn: &TurnId, effects: &mut Effects) {
        for waiter in self.runs.give_up_interrupts(|run, _| run == turn) {
            effects.reply(waiter, Err(ServiceError::InterruptFailed));
        }
    }

    pub(crate) fn handle_deadline(&mut self, now: Now, effects: &mut Effects) {
        for waiter in self.runs.give_up_interrupts(|_, deadline| deadline <= now.moment) {
            effects.reply(waiter, Err(ServiceError::InterruptFailed));
        }
        self.end_idle_agent(now, effects);
    }

    /// Puts a turn that the agent never began back to where it came from, or away if it was being cancelled.
    pub(super) fn give_back(&mut self, run: Run, now: Now, effects: &mut Effects) {
        match run.phase {
            Phase::AwaitingResponse(mut waiting) => {
                waiting.turn.paused = true;
                self.queue.push_returned(*waiting);
            }
            Phase::Finalizing { awaiting, interrupt } => {
                if let Some(waiting) = awaiting {
                    self.remove_queued(&waiting, now, effects);
                }
                for waiter in interrupt.waiters {
                    effects.reply(waiter, Ok(Cancelled { cancelled: true }));
                }
            }
            Phase::Streaming => {}
        }
        self.queue.set_paused(true);
    }

    fn check_send(&self, send: &SendCommand) -> Result<(), ServiceError> {
        if !self.capabilities.send {
            let message = format!("sessions of type {} take no messages", self.record.cli_type);
            Err(ServiceError::NotSupported(message))
        } else if self.is_draining {
            Err(ServiceError::ShuttingDown)
        } else if send.content.trim().is_empty() && send.attachments.is_empty() {
            Err(ServiceError::InvalidRequest("content: must not be empty".to_owned()))
        } else if self.is_full() {
            Err(ServiceError::QueueFull(TurnQueue::BOUND))
        } else {
            self.check_room()
        }
    }

    /// Those that were handed over to join a running turn wait too, with the agent.
    fn is_full(&self) -> bool {
        self.queue.is_full() || self.runs.awaiting().count() >= TurnQueue::BOUND
    }

    /// A send also wakes a queue that was paused. One that interrupts goes first.
    fn enqueue(&mut self, waiting: Waiting, now: Now, effects: &mut Effects) {
        self.queue.set_paused(false);
        match waiting.turn.delivery {
            Delivery::Interrupt => {
                self.queue.push_urgent(waiting);
                for running in self.runs.turns() {
                    self.interrupt(&running, None, now, effects);
                }
            }
            Delivery::Queue | Delivery::Steer => {
                self.queue.push_back(waiting);
                let own = self.runs.autonomous().filter(|_| self.autonomous == Autonomous::Preempt);
                if let Some(own) = own.cloned() {
                    self.interrupt(&own, None, now, effects);
                }
            }
        }
    }

    pub(super) fn interrupt(
        &mut self,
        turn: &TurnId,
        waiter: Option<Reply<Cancelled>>,
        now: Now,
        effects: &mut Effects,
    ) {
        if self.runs.interrupt(turn, now.moment + INTERRUPT_DEADLINE, waiter) {
            effects.actions.push(Action::Interrupt(turn.clone()));
        }
    }

    pub(super) fn remove_queued(&mut self, waiting: &Waiting, now: Now, effects: &mut Effects) {
        let removed = UpsertObject {
            status: ItemStatus::Error,
            error_code: Some(ErrorCode::REMOVED),
            error_message: Some("removed from the queue".to_owned()),
            emitted_at: now.wall,
            ..(*waiting.item).clone()
        };
        let change = self.timeline.put(removed, Some(&waiting.item), now.wall);
        self.timeline.forget(&waiting.turn.turn_id);
        effects.changes.push(change);
        self.save_queue(effects);
    }

    fn user_item(&self, turn_id: &TurnId, content: &str, now: Now) -> UpsertObject {
        self.whole_message(turn_id, MessageOrigin::User, content, now)
    }

    /// A message that no agent wrote.
    pub(super) fn whole_message(
        &self,
        turn_id: &TurnId,
        origin: MessageOrigin,
        content: &str,
        now: Now,
    ) -> UpsertObject {
        let item_id = match origin {
            MessageOrigin::User => ItemId::of_user_message(turn_id),
            MessageOrigin::System | MessageOrigin::Agent => ItemId::of_system_message(turn_id),
        };
        let body = UpsertBody::Message { content: Text::from(content), origin };
        UpsertObject {
            source_timestamp: now.wall,
            emitted_at: now.wall,
            status: ItemStatus::Complete,
            ..UpsertObject::new(turn_id.clone(), self.record.session_id.clone(), item_id, body)
        }
    }
}

/// A retry joins the message it repeats; more than the queue holds are refused.
fn wait_for_agent(
    sends: &mut Vec<(TurnId, SendCommand)>,
    turn_id: TurnId,
    send: SendCommand,
    effects: &mut Effects,
) {
    let is_same = |waiting: &SendCommand| {
        send.client_message_id.is_some() && waiting.client_message_id == send.client_message_id
    };
    if let Some((_, waiting)) = sends.iter_mut().find(|(_, waiting)| is_same(waiting)) {
        waiting.retries.push(send.reply);
    } else if sends.len() >= TurnQueue::BOUND {
        effects.reply(send.reply, Err(ServiceError::QueueFull(TurnQueue::BOUND)));
    } else {
        sends.push((turn_id, send));
    }
}
