//! Whether there is an agent, and who waits for one to come or go.

use contract::{Killed, SessionListItem, SessionLoaded, SessionState, TurnId};
use pipeline::Now;

use super::SessionCore;
use super::effects::{Action, Effects, Reply};
use super::endings::Cut;
use super::queue_changes::QueueCommand;
use super::sends::SendCommand;
use crate::agent_states::Presence;
use crate::error::ServiceError;
use crate::provider::{AgentFailure, ProviderErrorCode};

#[derive(Debug)]
pub(crate) enum Lifecycle {
    /// There is an agent, or one comes with the next message.
    Open,
    /// An agent is being attached.
    Loading(Awaiting),
    /// The agent is being ended.
    Ending(Ending),
    /// The server stops, and the agent with it. Nothing begins any more, and what has not begun waits for the next one.
    Stopping,
    Dead(Death),
}

/// How a session lost its agent for good, until somebody asks for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Death {
    /// Somebody ended it, or it is not known any more.
    Ended,
    /// It died by itself, or could not be attached.
    Failed,
}

/// Those who wait for an agent.
#[derive(Debug, Default)]
pub(crate) struct Awaiting {
    pub(super) sends: Vec<(TurnId, SendCommand)>,
    pub(super) loads: Vec<Reply<SessionLoaded>>,
    pub(super) queue: Vec<QueueCommand>,
}

/// An agent on its way out. One that is still being attached is ended once that has been given up.
#[derive(Debug)]
pub(crate) struct Ending {
    why: EndingReason,
    waiters: Vec<EndWaiter>,
    /// Those who want the next agent, where there may be one.
    pub(super) next: Awaiting,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndingReason {
    /// The session is dead afterwards.
    Killed,
    Archived,
    ProjectRemoved,
    /// It went into a mode in which nothing is asked, where that is forbidden.
    ModeForbidden,
    /// Nothing had happened for long.
    Idle,
    /// The session failed and was taken up again, and nobody knows what its agent is at.
    LeftOver,
}

/// Who is answered once the agent is gone.
#[derive(Debug)]
pub(crate) enum EndWaiter {
    Kill(Reply<Killed>),
    Archive(Reply<SessionListItem>),
    Rest(Reply<()>),
}

impl Lifecycle {
    pub(super) fn state(&self) -> SessionState {
        match self {
            Self::Open | Self::Stopping => SessionState::Open,
            Self::Loading(_) => SessionState::Loading,
            Self::Ending(ending) if ending.leaves_open() => SessionState::Open,
            Self::Ending(_) | Self::Dead(_) => SessionState::Dead,
        }
    }
}

impl Ending {
    /// Whether the session goes on with another agent when somebody wants it to.
    pub(super) fn leaves_open(&self) -> bool {
        self.why != EndingReason::Killed
    }
}

impl EndingReason {
    /// Whether somebody wanted it so, who will not be told of it as a failure.
    fn is_wanted(self) -> bool {
        match self {
            Self::Killed | Self::Archived | Self::ProjectRemoved | Self::Idle => true,
            Self::ModeForbidden | Self::LeftOver => false,
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Self::Killed => "the session was ended",
            Self::Archived => "the session was archived",
            Self::ProjectRemoved => "the project was removed",
            Self::ModeForbidden => "the agent went into a mode in which it never asks",
            Self::Idle => "the agent was idle",
            Self::LeftOver => "the session was taken up again",
        }
    }
}

impl Awaiting {
    pub(super) fn refuse(self, effects: &mut Effects, error: impl Fn() -> ServiceError) {
        self.loads.into_iter().for_each(|reply| effects.reply(reply, Err(error())));
        self.sends.into_iter().for_each(|(_, send)| send.answer(effects, || Err(error())));
        self.queue.into_iter().for_each(|command| command.refuse(error(), effects));
    }

    fn is_empty(&self) -> bool {
        self.loads.is_empty() && self.sends.is_empty() && self.queue.is_empty()
    }
}

impl SessionCore {
    /// How it stands with the agent, for those who sum up.
    pub(crate) fn presence(&self, is_alive: bool) -> Presence {
        match &self.lifecycle {
            Lifecycle::Loading(_) => Presence::Starting,
            Lifecycle::Dead(Death::Failed) => Presence::Failed,
            Lifecycle::Open | Lifecycle::Ending(_) | Lifecycle::Stopping if is_alive => {
                Presence::Running
            }
            Lifecycle::Open
            | Lifecycle::Ending(_)
            | Lifecycle::Stopping
            | Lifecycle::Dead(Death::Ended) => Presence::Absent,
        }
    }

    /// Whether the agent is being ended because somebody wants it so.
    pub(super) fn is_being_ended(&self) -> bool {
        matches!(&self.lifecycle, Lifecycle::Ending(ending) if ending.why.is_wanted())
    }

    /// Attaches an agent unless one is there.
    pub(crate) fn load(
        &mut self,
        is_alive: bool,
        reply: Reply<SessionLoaded>,
        effects: &mut Effects,
    ) {
        let has_agent = is_alive && matches!(self.lifecycle, Lifecycle::Open);
        if self.is_draining && !has_agent {
            return effects.reply(reply, Err(ServiceError::ShuttingDown));
        }
        match &mut self.lifecycle {
            Lifecycle::Loading(awaiting) => awaiting.loads.push(reply),
            Lifecycle::Ending(ending) if ending.leaves_open() => ending.next.loads.push(reply),
            Lifecycle::Ending(_) | Lifecycle::Stopping => {
                effects.reply(reply, Err(being_ended()));
            }
            Lifecycle::Open if is_alive => {
                effects.actions.push(Action::ShowHistory);
                effects.reply(reply, Ok(self.loaded()));
            }
            Lifecycle::Open | Lifecycle::Dead(_) => {
                let awaiting = Awaiting { loads: vec![reply], ..Awaiting::default() };
                self.lifecycle = Lifecycle::Loading(awaiting);
                effects.actions.push(Action::Load);
            }
        }
    }

    pub(crate) fn handle_loaded(
        &mut self,
        result: Result<(), AgentFailure>,
        now: Now,
        effects: &mut Effects,
    ) {
        if let Lifecycle::Ending(_) = &self.lifecycle {
            effects.actions.push(Action::Kill);
            return;
        }
        let Lifecycle::Loading(awaiting) = &mut self.lifecycle else { return };
        let awaiting = std::mem::take(awaiting);
        if let Err(error) = result {
            self.die(Death::Failed, effects);
            return awaiting.refuse(effects, || error.again().into());
        }
        self.revive(effects);
        if !awaiting.loads.is_empty() {
            effects.actions.push(Action::ShowHistory);
        }
        awaiting.loads.into_iter().for_each(|reply| effects.reply(reply, Ok(self.loaded())));
        for (turn_id, send) in awaiting.sends {
            self.accept_send(turn_id, send, now, effects);
        }
        for command in awaiting.queue {
            self.apply_to_queue(command, now, effects);
        }
        self.dispatch(effects);
    }

    pub(crate) fn kill(&mut self, reply: Reply<Killed>, effects: &mut Effects) {
        self.end_agent(EndingReason::Killed, Some(EndWaiter::Kill(reply)), true, effects);
    }

    /// Ends the agent for now: the session goes on with the next message.
    pub(crate) fn rest(&mut self, reply: Reply<()>, is_alive: bool, effects: &mut Effects) {
        let waiter = Some(EndWaiter::Rest(reply));
        self.end_agent(EndingReason::ProjectRemoved, waiter, is_alive, effects);
    }

    /// Ends an agent that outlived the session's last owner: what it says is about turns that have their end.
    pub(crate) fn end_leftover(&mut self, effects: &mut Effects) {
        self.begin_to_end(EndingReason::LeftOver, Vec::new());
        effects.actions.push(Action::Kill);
    }

    /// Ends an agent that went into a mode which nobody may choose.
    pub(crate) fn end_unasking_agent(&mut self, is_alive: bool, effects: &mut Effects) {
        if !matches!(self.lifecycle, Lifecycle::Open) {
            return;
        }
        let why = EndingReason::ModeForbidden;
        effects.actions.push(Action::TellProblem(format!("{}, and was ended", why.in_words())));
        self.end_agent(why, None, is_alive, effects);
    }

    pub(super) fn end_agent(
        &mut self,
        why: EndingReason,
        waiter: Option<EndWaiter>,
        is_alive: bool,
        effects: &mut Effects,
    ) {
        let waiters = Vec::from_iter(waiter);
        match &mut self.lifecycle {
            Lifecycle::Ending(ending) => {
                ending.waiters.extend(waiters);
                if why == EndingReason::Killed {
                    ending.why = why;
                    std::mem::take(&mut ending.next).refuse(effects, being_ended);
                }
            }
            Lifecycle::Stopping => {
                waiters.into_iter().for_each(|waiter| waiter.refuse(effects));
            }
            Lifecycle::Open if is_alive || why == EndingReason::Killed => {
                self.begin_to_end(why, waiters);
                effects.actions.push(Action::Kill);
            }
            Lifecycle::Open | Lifecycle::Dead(_) => {
                waiters.into_iter().for_each(|waiter| self.answer_end(waiter, effects));
            }
            Lifecycle::Loading(awaiting) => {
                let awaiting = std::mem::take(awaiting);
                self.begin_to_end(why, waiters);
                effects.actions.push(Action::StopLoading);
                awaiting.refuse(effects, being_ended);
            }
        }
    }

    fn begin_to_end(&mut self, why: EndingReason, waiters: Vec<EndWaiter>) {
        let next = Awaiting::default();
        self.lifecycle = Lifecycle::Ending(Ending { why, waiters, next });
    }

    /// The server is about to stop. What waits does so for the next one, and who waits for an agent gets none.
    pub(crate) fn begin_to_drain(&mut self, effects: &mut Effects) {
        self.is_draining = true;
        self.queue.set_paused(true);
        if self.queue.is_paused() {
            self.save_queue(effects);
        }
        let awaiting = match &mut self.lifecycle {
            Lifecycle::Loading(awaiting) => std::mem::take(awaiting),
            Lifecycle::Ending(ending) => std::mem::take(&mut ending.next),
            Lifecycle::Open | Lifecycle::Stopping | Lifecycle::Dead(_) => return,
        };
        awaiting.refuse(effects, || ServiceError::ShuttingDown);
    }

    /// The server stops. Whoever waits for an agent is told by nobody coming.
    pub(crate) fn begin_to_stop(&mut self) {
        match &self.lifecycle {
            Lifecycle::Open | Lifecycle::Loading(_) => self.lifecycle = Lifecycle::Stopping,
            Lifecycle::Ending(_) | Lifecycle::Stopping | Lifecycle::Dead(_) => {}
        }
    }

    pub(crate) fn handle_killed(&mut self, now: Now, effects: &mut Effects) {
        let before = std::mem::replace(&mut self.lifecycle, Lifecycle::Open);
        let Lifecycle::Ending(ending) = before else {
            self.lifecycle = before;
            return;
        };
        let why =
            Cut { is_wanted: ending.why.is_wanted(), ..Cut::interrupted(ending.why.in_words()) };
        self.end_everything(&why, now, effects);
        if !ending.leaves_open() {
            self.die(Death::Ended, effects);
        } else if !ending.next.is_empty() {
            self.lifecycle = Lifecycle::Loading(ending.next);
            effects.actions.push(Action::Load);
        }
        ending.waiters.into_iter().for_each(|waiter| self.answer_end(waiter, effects));
    }

    fn answer_end(&self, waiter: EndWaiter, effects: &mut Effects) {
        match waiter {
            EndWaiter::Kill(reply) => effects.reply(reply, Ok(Killed { killed: true })),
            EndWaiter::Archive(reply) => effects.reply(reply, Ok(self.list_item())),
            EndWaiter::Rest(reply) => effects.reply(reply, Ok(())),
        }
    }

    pub(super) fn die(&mut self, death: Death, effects: &mut Effects) {
        self.lifecycle = Lifecycle::Dead(death);
        self.record_death(true, effects);
    }

    /// An agent is there. A session that has one is not archived, unless it is fed from outside.
    fn revive(&mut self, effects: &mut Effects) {
        self.lifecycle = Lifecycle::Open;
        self.record_death(false, effects);
        if self.capabilities.send {
            self.bring_back(effects);
        }
    }

    fn record_death(&mut self, dead: bool, effects: &mut Effects) {
        if self.record.dead != dead {
            self.record.dead = dead;
            self.save_record(effects);
        }
    }

    fn loaded(&self) -> SessionLoaded {
        SessionLoaded {
            session_id: self.record.session_id.clone(),
            cli_type: self.record.cli_type.clone(),
        }
    }
}

impl EndWaiter {
    fn refuse(self, effects: &mut Effects) {
        match self {
            Self::Kill(reply) => effects.reply(reply, Err(being_ended())),
            Self::Archive(reply) => effects.reply(reply, Err(being_ended())),
            Self::Rest(reply) => effects.reply(reply, Err(being_ended())),
        }
    }
}

pub(super) fn being_ended() -> ServiceError {
    AgentFailure::in_our_words(ProviderErrorCode::ProcessCrash, "the session is being ended").into()
}
