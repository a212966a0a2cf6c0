//! What providers tell, and what follows from it.

use contract::{
    ENDED_BY_USER, ErrorCode, MessageOrigin, TurnEvent, TurnEventKind, TurnStatus, UpsertObject,
};
use pipeline::Now;
use store::{Change, TurnProgress};

use super::SessionCore;
use super::effects::{Action, Effects};
use super::runs::RunEnd;
use super::sends::INTERRUPT_DEADLINE;
use super::timeline::Prior;
use crate::provider::ProviderNotice;

/// What a provider calls a turn that it cannot attribute. There is no such turn, so nothing is written under its name.
const UNKNOWN_TURN: &str = "unknown-turn";

/// Told where it begins to matter.
const BEGAN_ANEW: &str =
    "The agent kept nothing of what was said before. From here on it goes on without it.";

impl SessionCore {
    pub(crate) fn handle_upsert(
        &mut self,
        upsert: UpsertObject,
        prior: &Prior,
        now: Now,
        effects: &mut Effects,
    ) {
        effects.changes.extend(self.timeline.accept(upsert, prior, now.wall));
    }

    /// A turn starts once and ends once, whatever a provider says.
    pub(crate) fn handle_turn(
        &mut self,
        event: TurnEvent,
        progress: Option<TurnProgress>,
        now: Now,
        effects: &mut Effects,
    ) {
        if event.turn_id == UNKNOWN_TURN {
            return tell_problem(event, effects);
        }
        match (&event.kind, progress) {
            (TurnEventKind::TurnStarted { .. }, Some(_)) | (_, Some(TurnProgress::Ended)) => {
                self.timeline.refuse();
            }
            (TurnEventKind::TurnStarted { .. }, None) => self.start_turn(event, now, effects),
            (TurnEventKind::TurnComplete { status, usage }, _) => {
                self.usage = usage.clone().or(self.usage.take());
                let end = match status {
                    TurnStatus::Completed => RunEnd::Completed,
                    TurnStatus::Cancelled => RunEnd::Interrupted,
                };
                self.end_turn(event, end, now, effects);
            }
            (TurnEventKind::TurnError { .. }, _) => {
                let event = self.with_reason(event);
                let end = if event.kind.is_failure() { RunEnd::Error } else { RunEnd::Interrupted };
                self.end_turn(event, end, now, effects);
            }
        }
    }

    pub(crate) fn handle_notice(
        &mut self,
        notice: ProviderNotice,
        now: Now,
        effects: &mut Effects,
    ) {
        match notice {
            ProviderNotice::PermissionAsked { request, answer } => {
                self.ask(*request, answer, effects);
            }
            ProviderNotice::PermissionWithdrawn(id) => self.withdraw(&id, now, effects),
            ProviderNotice::NeverBegan(turn) => self.handle_never_began(&turn, now, effects),
            ProviderNotice::InterruptedAgain => {
                self.runs.move_interrupts(now.moment + INTERRUPT_DEADLINE);
            }
            ProviderNotice::BackgroundTasks(tasks) => self.background_tasks = tasks,
            ProviderNotice::Plan(entries) => {
                self.plan = Some(entries);
                effects.actions.push(Action::TellPlan);
            }
            ProviderNotice::AgentSession(id) => {
                if self.record.agent_session.as_ref() != Some(&id) {
                    self.record.agent_session = Some(id);
                    effects.changes.push(Change::Record(Box::new(self.record.clone())));
                }
            }
            ProviderNotice::BeganAnew => self.begins_anew = true,
            // The actor looks what it is.
            ProviderNotice::SetAnew => {}
            ProviderNotice::Notice(notice) => self.notice = notice,
            ProviderNotice::Exited { message } => self.handle_exit(&message, now, effects),
        }
    }

    /// A turn that is interrupted while somebody ends its agent has not failed, also where the provider says it first.
    fn with_reason(&self, mut event: TurnEvent) -> TurnEvent {
        let is_wanted = self.is_being_ended();
        if let TurnEventKind::TurnError { error_code, error_class, .. } = &mut event.kind
            && is_wanted
            && *error_code == ErrorCode::INTERRUPTED
        {
            error_class.get_or_insert_with(|| ENDED_BY_USER.to_owned());
        }
        event
    }

    fn start_turn(&mut self, event: TurnEvent, now: Now, effects: &mut Effects) {
        // An agent that was given up may have begun the turn all the same; then it does not wait any more.
        let waited = self.queue.remove(&event.turn_id).is_some();
        let ours = self.runs.mark_started(&event.turn_id) || waited;
        self.has_run = true;
        let turn = event.turn_id.clone();
        effects.changes.push(self.timeline.turn(event, now.wall));
        if ours {
            self.save_queue(effects);
        }
        if std::mem::take(&mut self.begins_anew) {
            let item = self.whole_message(&turn, MessageOrigin::System, BEGAN_ANEW, now);
            effects.changes.push(self.timeline.put(item, None, now.wall));
        }
    }

    fn end_turn(&mut self, event: TurnEvent, end: RunEnd, now: Now, effects: &mut Effects) {
        let turn = event.turn_id.clone();
        self.queue.remove(&turn);
        self.end_permissions(Some(&turn), now, effects);
        self.close_text_of(&turn, &event.kind, now, effects);
        effects.changes.push(self.timeline.turn(event, now.wall));
        match self.runs.take(&turn) {
            Some(run) => self.end_run(run, end, effects),
            None => self.runs.note_end(end),
        }
        self.dispatch(effects);
        self.save_queue(effects);
        self.touch(now.wall, effects);
    }
}

fn tell_problem(event: TurnEvent, effects: &mut Effects) {
    if let TurnEventKind::TurnError { error_code, error_message, .. } = event.kind {
        effects.actions.push(Action::TellProblem(format!("{error_code}: {error_message}")));
    }
}
