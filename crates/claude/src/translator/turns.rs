//! Turns open, take messages in, and end exactly once.

use contract::{ErrorCode, ModelId, TurnEventKind, TurnId, TurnOrigin, TurnStatus, Usage};
use pipeline::Now;

use super::{ClaudeTranslator, StopAction};
use crate::event::{Event, Init, TurnResult};
use crate::line::Word;
use crate::outcome::{Outcome, TurnFailure};
use crate::output::Output;
use crate::routing::{Owner, TurnState};
use crate::runs::RunState;
use crate::turn::OpenTurn;

impl ClaudeTranslator {
    pub(super) fn open_turn(&mut self, owner: Owner, init: &Init<'_>, now: Now) {
        if let Some(turn) = &mut self.turn
            && std::mem::take(&mut turn.goes_on)
        {
            return;
        }
        if self.turn.is_some() {
            // Its end was lost. What the agent says now cannot belong to it any more.
            self.close(&Outcome::Failed(never_ended()), None, now);
        }
        self.reports_messages = init.reports_messages;
        self.note_agent(init);
        self.begin_turn(owner, init.model.given().unwrap_or("unknown"));
    }

    /// Content came and no turn is open: the line that opened it was lost.
    pub(super) fn open_late(&mut self, owner: Owner, event: &Event<'_>) {
        let said = if let Event::MessageStart { model, .. } = event { model.given() } else { None };
        let model = said.unwrap_or("unknown").to_owned();
        self.begin_turn(owner, &model);
    }

    fn begin_turn(&mut self, owner: Owner, model: &str) {
        let model = ModelId::from(model);
        let (id, origin, joined) = match owner {
            Owner::Foreground(turns) => {
                let mut turns = turns.into_iter().filter_map(|turn| self.sent.take(turn.as_str()));
                let first = turns.next().unwrap_or_else(&mut self.fresh_turn);
                (first, TurnOrigin::User, turns.collect())
            }
            Owner::Autonomous => {
                let id = (self.fresh_turn)();
                self.runs.begin(id.clone(), RunState::AwaitingResponse);
                (id, TurnOrigin::Autonomous, Vec::new())
            }
        };
        self.change_state(match origin {
            TurnOrigin::User => TurnState::Foreground,
            TurnOrigin::Autonomous => TurnState::Autonomous,
        });
        self.timeline.begin_turn(id.clone());
        self.turn = Some(OpenTurn::new(id, origin, model));
        if origin == TurnOrigin::User {
            self.announce();
        }
        joined.into_iter().for_each(|turn| self.take_in(turn));
        self.stop_if_latched();
    }

    fn change_state(&mut self, state: TurnState) {
        tracing::debug!(from = ?self.state, to = ?state, "turn state changes");
        self.state = state;
    }

    pub(super) fn announce(&mut self) {
        let Some(turn) = &mut self.turn else { return };
        if std::mem::replace(&mut turn.is_announced, true) {
            return;
        }
        let (id, kind) = (
            turn.id.clone(),
            TurnEventKind::TurnStarted {
                model_id: turn.model.clone(),
                provider_id: self.provider.clone(),
                origin: Some(turn.origin),
                joined_turn_id: None,
            },
        );
        self.tell(id, kind);
    }

    /// The agent names messages in the open turn: those of ours that wait were taken into it.
    pub(super) fn join(&mut self, messages: &[Word<'_>]) {
        if self.turn.is_none() {
            return;
        }
        for uuid in messages {
            if let Some(turn) = self.sent.take(uuid) {
                self.take_in(turn);
            }
        }
        self.stop_if_latched();
    }

    fn take_in(&mut self, joining: TurnId) {
        self.announce();
        let Some(turn) = &mut self.turn else { return };
        tracing::debug!(turn = %turn.id, %joining, "a message joins the turn");
        turn.joined.push(joining.clone());
        let kind = TurnEventKind::TurnStarted {
            model_id: turn.model.clone(),
            provider_id: self.provider.clone(),
            origin: Some(TurnOrigin::User),
            joined_turn_id: Some(turn.id.clone()),
        };
        self.runs.set(&joining, RunState::Streaming);
        self.tell(joining, kind);
    }

    /// An interrupt that was written before its turn began may have missed it.
    fn stop_if_latched(&mut self) {
        let Some(turn) = &self.turn else { return };
        let before = self.stops.len();
        self.stops.retain(|stop| !turn.owns(stop));
        if self.stops.len() < before {
            self.note_stopping();
            self.outputs.push_back(Output::InterruptAgain);
        }
    }

    /// Somebody wants a turn stopped: the named one, or whatever runs.
    pub fn stop(&mut self, target: Option<&TurnId>) -> StopAction {
        match (&self.turn, target) {
            (Some(turn), target) if target.is_none_or(|target| turn.owns(target)) => {
                self.note_stopping();
                StopAction::Interrupt
            }
            (open, target) => {
                let waiting = target.filter(|turn| self.sent.contains(turn.as_str()));
                let waiting = waiting.or_else(|| self.sent.head().filter(|_| target.is_none()));
                let Some(waiting) = waiting.cloned() else { return StopAction::Nothing };
                self.runs.set(&waiting, RunState::Finalizing);
                let action = match open {
                    Some(_) => StopAction::TakeBack(waiting.clone()),
                    None => StopAction::Interrupt,
                };
                self.stops.retain(|stop| *stop != waiting);
                self.stops.push(waiting);
                action
            }
        }
    }

    /// A message that was sent will never begin: the agent gave it back.
    pub fn take_back(&mut self, turn: &TurnId) {
        let Some(turn) = self.sent.take(turn.as_str()) else { return };
        self.stops.retain(|stop| *stop != turn);
        self.runs.set(&turn, RunState::Interrupted);
        self.outputs.push_back(Output::NeverBegan(turn));
    }

    pub(super) fn take_result(&mut self, result: &TurnResult<'_>, now: Now) {
        let usage = self.usage.of_turn(result);
        let Some(turn) = &mut self.turn else { return };
        let is_other = result.is_from_notification && self.state == TurnState::Foreground;
        if is_other && !self.reports_messages {
            // An older agent answered itself where its message was expected. Nothing told is renamed: the user's turn
            // goes on, and ends with the result that follows.
            tracing::debug!(turn = %turn.id, "a result of the agent's own does not end the turn");
            turn.goes_on = true;
            return;
        }
        let outcome = Outcome::of(result, turn);
        self.join(&result.messages);
        let is_nothing = !self.turn.as_ref().is_some_and(|turn| turn.had_message);
        if is_nothing && self.state == TurnState::Autonomous && result.num_turns == 0 {
            return self.drop_turn(now);
        }
        self.close(&outcome, usage, now);
    }

    /// A wake-up that came to nothing: the next one answers for it.
    fn drop_turn(&mut self, now: Now) {
        let was_announced = self.turn.as_ref().is_some_and(|turn| turn.is_announced);
        if was_announced {
            return self.close(&Outcome::Completed, None, now);
        }
        if let Some(turn) = self.turn.take() {
            self.runs.set(&turn.id, RunState::Completed);
        }
        self.change_state(TurnState::Idle);
    }

    /// Ends the open turn, with all that it left open.
    pub(crate) fn close(&mut self, outcome: &Outcome, usage: Option<Usage>, now: Now) {
        if self.turn.is_none() {
            return;
        }
        let tasks = &self.tasks;
        self.timeline.end_turn(outcome.closing(), |call| tasks.runs_call(call), now);
        self.drain_timeline();
        self.clear_notice();
        // A wake-up that ended with its agent before it said anything leaves no trace; one that failed is worth telling.
        if matches!(outcome, Outcome::Failed(failure) if failure.code == ErrorCode::RESPONSE_ERROR)
        {
            self.announce();
        }
        let Some(turn) = self.turn.take() else { return };
        // A stop for a message that still waits holds until that one begins.
        self.stops.retain(|stop| turn.id != *stop && !turn.joined.contains(stop));
        // An interrupt that is not written yet would hit whatever runs next.
        self.outputs.retain(|output| !matches!(output, Output::InterruptAgain));
        self.end_run(&turn.id, outcome);
        if turn.is_announced {
            self.tell(turn.id, terminal(outcome, usage));
        }
        for joined in turn.joined {
            self.end_run(&joined, outcome);
            self.tell(joined, terminal(outcome, None));
        }
        self.change_state(TurnState::Idle);
    }

    fn end_run(&mut self, turn: &TurnId, outcome: &Outcome) {
        let state = match outcome {
            Outcome::Completed => RunState::Completed,
            Outcome::Cancelled => RunState::Interrupted,
            Outcome::Failed(_) => RunState::Error,
        };
        self.runs.set(turn, state);
    }

    /// The agent's output ended. Returns the messages that had not begun; they were not lost, only not taken.
    pub fn end(&mut self, code: ErrorCode, reason: &str, now: Now) -> Vec<TurnId> {
        self.complete_stopped_sdk_turn(now);
        let failure = TurnFailure { code, message: reason.to_owned(), class: None };
        // Nothing outlives the process.
        self.tasks.clear();
        self.show_tasks();
        self.close(&Outcome::Failed(failure), None, now);
        self.timeline.end_everything(now);
        self.drain_timeline();
        self.clear_notice();
        for ask in std::mem::take(&mut self.asks) {
            self.outputs.push_back(Output::Withdrawn(ask));
        }
        let unstarted = self.sent.take_all();
        unstarted.iter().for_each(|turn| self.runs.set(turn, RunState::Error));
        unstarted
    }
}

fn terminal(outcome: &Outcome, usage: Option<Usage>) -> TurnEventKind {
    match outcome {
        Outcome::Completed => TurnEventKind::TurnComplete { status: TurnStatus::Completed, usage },
        Outcome::Cancelled => TurnEventKind::TurnComplete { status: TurnStatus::Cancelled, usage },
        Outcome::Failed(failure) => TurnEventKind::TurnError {
            error_code: failure.code.clone(),
            error_message: failure.message.clone(),
            error_class: failure.class.clone(),
        },
    }
}

fn never_ended() -> TurnFailure {
    TurnFailure {
        code: ErrorCode::PROTOCOL_ERROR,
        message: "the agent began another turn before it ended this one".to_owned(),
        class: None,
    }
}
