//! How turns end when their agent does not end them.

use contract::{
    Cancelled, ENDED_BY_USER, ErrorCode, ItemStatus, TurnEvent, TurnEventKind, TurnId, TurnStatus,
    UpsertObject,
};
use pipeline::Now;

use super::SessionCore;
use super::effects::Effects;
use super::lifecycle::{Death, Lifecycle};
use super::runs::{Phase, Run, RunEnd};

/// Why turns end in the middle.
#[derive(Debug)]
pub(crate) struct Cut<'a> {
    pub(crate) code: ErrorCode,
    pub(crate) message: &'a str,
    /// Whether somebody ended the agent: then nothing has failed.
    pub(crate) is_wanted: bool,
}

impl<'a> Cut<'a> {
    pub(crate) fn interrupted(message: &'a str) -> Self {
        Self { code: ErrorCode::INTERRUPTED, message, is_wanted: false }
    }

    fn as_kind(&self) -> TurnEventKind {
        TurnEventKind::TurnError {
            error_code: self.code.clone(),
            error_message: self.message.to_owned(),
            error_class: self.is_wanted.then(|| ENDED_BY_USER.to_owned()),
        }
    }
}

impl SessionCore {
    /// The agent's process ended by itself.
    pub(super) fn handle_exit(&mut self, message: &str, now: Now, effects: &mut Effects) {
        if matches!(self.lifecycle, Lifecycle::Ending(_)) {
            // Being ended is what it does; the end of the kill tells the rest.
            return;
        }
        let why = Cut { code: ErrorCode::PROCESS_CRASH, ..Cut::interrupted(message) };
        self.end_everything(&why, now, effects);
        // Loading means another process is on its way already.
        if matches!(self.lifecycle, Lifecycle::Open) {
            self.die(Death::Failed, effects);
        }
    }

    /// Ends what is open: items as errors, started turns with one `turn_error`; turns that had not begun wait, paused.
    pub(crate) fn end_everything(&mut self, why: &Cut<'_>, now: Now, effects: &mut Effects) {
        self.end_permissions(None, now, effects);
        self.end_open_items(why.message, now, effects);
        for run in self.runs.take_all().into_iter().rev() {
            let not_begun = matches!(
                &run.phase,
                Phase::AwaitingResponse(_) | Phase::Finalizing { awaiting: Some(_), .. }
            );
            if not_begun {
                self.give_back(run, now, effects);
                continue;
            }
            let kind = why.as_kind();
            let end = if kind.is_failure() { RunEnd::Error } else { RunEnd::Interrupted };
            self.tell_turn(run.turn_id.clone(), kind, now, effects);
            self.end_run(run, end, effects);
        }
        self.queue.set_paused(true);
        self.background_tasks.clear();
        self.permissions.end_standing();
        self.notice = None;
        self.save_queue(effects);
    }

    pub(super) fn end_run(&mut self, run: Run, end: RunEnd, effects: &mut Effects) {
        self.runs.note_end(end);
        match run.phase {
            Phase::Finalizing { interrupt, .. } => {
                for waiter in interrupt.waiters {
                    effects.reply(waiter, Ok(Cancelled { cancelled: true }));
                }
            }
            Phase::AwaitingResponse(_) | Phase::Streaming => {}
        }
    }

    pub(super) fn tell_turn(
        &mut self,
        turn_id: TurnId,
        kind: TurnEventKind,
        now: Now,
        effects: &mut Effects,
    ) {
        let session_id = self.record.session_id.clone();
        let event = TurnEvent { turn_id, session_id, seq: None, at: None, kind };
        effects.changes.push(self.timeline.turn(event, now.wall));
    }

    /// Closes messages and thoughts that a provider left open at the end of their turn. Tools and the work of subagents
    /// may outlive it.
    pub(super) fn close_text_of(
        &mut self,
        turn: &TurnId,
        end: &TurnEventKind,
        now: Now,
        effects: &mut Effects,
    ) {
        let error = match end {
            TurnEventKind::TurnStarted { .. } => return,
            TurnEventKind::TurnComplete { status: TurnStatus::Completed, .. } => None,
            TurnEventKind::TurnComplete { status: TurnStatus::Cancelled, .. } => {
                Some(ErrorCode::CANCELLED)
            }
            TurnEventKind::TurnError { .. } => Some(ErrorCode::INTERRUPTED),
        };
        let status = if error.is_some() { ItemStatus::Error } else { ItemStatus::Complete };
        let left_open = self.timeline.open_items().into_iter().filter(|item| {
            item.turn_id == *turn && item.parent_item_id.is_none() && item.content().is_some()
        });
        for item in left_open.collect::<Vec<_>>() {
            let closed = UpsertObject {
                status,
                error_code: error.clone(),
                emitted_at: now.wall,
                ..(*item).clone()
            };
            let change = self.timeline.put(closed, Some(&item), now.wall);
            effects.changes.push(change);
        }
    }

    pub(super) fn end_open_items(&mut self, message: &str, now: Now, effects: &mut Effects) {
        for item in self.timeline.open_items() {
            let ended = UpsertObject {
                status: ItemStatus::Error,
                error_code: Some(ErrorCode::INTERRUPTED),
                error_message: Some(message.to_owned()),
                emitted_at: now.wall,
                ..(*item).clone()
            };
            let change = self.timeline.put(ended, Some(&item), now.wall);
            effects.changes.push(change);
        }
    }
}
