//! Taking a session up again from the journal, after the server or its session ended badly.

use std::collections::HashMap;
use std::sync::Arc;

use contract::{
    AgentCapabilities, ErrorCode, PermissionOutcome, TurnEventKind, TurnId, UpsertObject,
};
use pipeline::Now;
use store::{Change, SavedSession};

use super::queue::Waiting;
use super::runs::RunEnd;
use super::timeline::Timeline;
use super::{Death, Effects, Lifecycle, SessionCore};

impl SessionCore {
    /// Turns that had started get one `turn_error(INTERRUPTED)`, open items end, requests are closed, and turns that
    /// had not begun wait, paused: nothing is prompted again by itself. `items` are the user's items of queued turns.
    pub(crate) fn restore(
        saved: SavedSession,
        items: &HashMap<TurnId, Arc<UpsertObject>>,
        capabilities: AgentCapabilities,
        now: Now,
        effects: &mut Effects,
    ) -> Self {
        let mut core = Self::new(saved.record, capabilities);
        core.timeline = Timeline::holding(saved.head, saved.bytes);
        core.has_run = saved.has_run;
        core.lifecycle =
            if core.record.dead { Lifecycle::Dead(Death::Ended) } else { Lifecycle::Open };
        let mut attachments = saved.attachments;
        for mut turn in saved.queue {
            turn.paused = true;
            let attachments = Arc::new(attachments.remove(&turn.turn_id).unwrap_or_default());
            if let Some(item) = items.get(&turn.turn_id).cloned() {
                core.queue.push_back(Waiting { turn, item, attachments });
            }
        }
        for mut request in saved.waiting {
            request.outcome = Some(PermissionOutcome::TurnEnded);
            request.resolved_at = Some(now.wall);
            effects.changes.push(Change::Permission(Box::new(request)));
        }
        if saved.last_failed || !saved.started.is_empty() {
            core.runs.note_end(RunEnd::Error);
        }
        core.timeline.reopen(saved.unfinished);
        let message = "the server ended while this was under way";
        core.end_open_items(message, now, effects);
        for turn in saved.started {
            let kind = TurnEventKind::TurnError {
                error_code: ErrorCode::INTERRUPTED,
                error_message: message.to_owned(),
                error_class: None,
            };
            core.tell_turn(turn, kind, now, effects);
        }
        core
    }
}
