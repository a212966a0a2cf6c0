//! What holds whenever nothing is about to happen by itself.

use std::collections::{HashMap, HashSet};

use contract::{
    Activity, Delivery, ErrorCode, HistoryPage, ItemId, QueuedTurn, SessionStatus, TurnId,
};
use proptest::prelude::*;
use store::{HistoryQuery, Journal, PageLimit, SavedSession};

use super::life::Life;

/// The truth about a session at one moment.
struct Truth {
    status: SessionStatus,
    saved: SavedSession,
    history: HistoryPage,
}

impl Life {
    pub(super) async fn settle(&mut self) -> Result<(), TestCaseError> {
        for _ in 0..3 {
            // Asked for, because a session whose journal failed is taken up again when somebody asks.
            drop(self.test.service.status(&self.session).await);
            for _ in 0..40 {
                tokio::task::yield_now().await;
            }
        }
        self.look_at_calls().await?;
        let truth = self.truth().await?;
        truth.judge_turns()?;
        truth.judge_permissions()?;
        truth.judge_activity()?;
        self.judge_messages(&truth)?;
        prop_assert!(truth.saved.head.0 >= self.past.head, "the numbering went back");
        self.past.head = truth.saved.head.0;
        if self.is_quiet() {
            truth.judge_rest()?;
            self.is_awake &= truth.status.is_alive;
        }
        Ok(())
    }

    async fn truth(&self) -> Result<Truth, TestCaseError> {
        let status = self.test.service.status(&self.session).await;
        let status = status.map_err(|error| TestCaseError::fail(error.to_string()))?;
        let limit = PageLimit { entries: usize::MAX, bytes: usize::MAX };
        let all = HistoryQuery::From { position: contract::Seq(0), limit };
        Ok(Truth {
            status: (*status).clone(),
            saved: self.journal.session(&self.session).await.unwrap(),
            history: self.journal.history(&self.session, all).await.unwrap(),
        })
    }

    /// A turn is handed over because somebody wants it, alone, and never after it has begun.
    pub(super) async fn judge_send(
        &mut self,
        turn: TurnId,
        delivery: Delivery,
    ) -> Result<(), TestCaseError> {
        prop_assert!(self.is_awake, "{turn} was prompted by nobody");
        let progress = self.journal.turn(&self.session, &turn).await.unwrap();
        prop_assert!(progress.is_none(), "{turn} was prompted again: {progress:?}");
        let truth = self.truth().await?;
        let is_back = |given: &TurnId| {
            truth.status.queued.iter().any(|queued| queued.turn_id == *given)
                || truth.is_removed(given)
        };
        self.given.retain(|given| *given != turn && !is_back(given));
        let joins = self.steers && delivery == Delivery::Steer;
        // An agent may wake up by itself while a message is on its way to it.
        let is_alone = self.given.iter().all(|given| given.as_str().starts_with("own-"));
        prop_assert!(joins || is_alone, "{turn} beside {:?}", self.given);
        if self.failing_sends > 0 {
            self.failing_sends -= 1;
        } else {
            self.given.push(turn);
        }
        Ok(())
    }

    /// Each message that was answered waits, runs, has ended or was removed: one of these.
    fn judge_messages(&self, truth: &Truth) -> Result<(), TestCaseError> {
        for (turn, words) in self.past.answered.lock().unwrap().iter() {
            let queued = truth.saved.queue.iter().find(|queued| queued.turn_id == *turn);
            let places = [
                queued.is_some(),
                truth.saved.started.contains(turn),
                truth.has_ended(turn),
                truth.is_removed(turn),
            ];
            let count = places.iter().filter(|is_there| **is_there).count();
            prop_assert_eq!(count, 1, "{}: waits, runs, ended, removed: {:?}", turn, places);
            if let Some(QueuedTurn { content, .. }) = queued {
                let tried = self.past.tried.lock().unwrap();
                let is_known = content.as_str() == &**words
                    || tried.contains(&(turn.clone(), content.as_str().into()));
                prop_assert!(is_known, "{turn} says {content}, not {words}");
            }
        }
        for turns in self.past.named.lock().unwrap().values() {
            prop_assert!(turns.len() == 1, "one message, several turns: {turns:?}");
        }
        Ok(())
    }
}

impl Truth {
    fn has_ended(&self, turn: &TurnId) -> bool {
        self.history.turns.iter().any(|event| event.turn_id == *turn && event.kind.is_terminal())
    }

    fn is_removed(&self, turn: &TurnId) -> bool {
        let id = ItemId::of_user_message(turn);
        let item = self.history.entries.iter().find(|item| item.item_id == id);
        item.is_some_and(|item| item.error_code == Some(ErrorCode::REMOVED))
    }

    /// Handed over and not begun.
    fn awaiting(&self) -> Vec<&TurnId> {
        let waits: HashSet<_> = self.status.queued.iter().map(|turn| &turn.turn_id).collect();
        let all = self.saved.queue.iter().map(|turn| &turn.turn_id);
        all.filter(|turn| !waits.contains(turn)).collect()
    }

    /// One start, one end, nothing after it; numbers that stand for one change each.
    fn judge_turns(&self) -> Result<(), TestCaseError> {
        let mut numbers = HashSet::new();
        let items = self.history.entries.iter();
        for seq in items.map(|item| item.seq).chain(self.history.turns.iter().map(|turn| turn.seq))
        {
            prop_assert!(numbers.insert(seq.unwrap()), "{seq:?} stands for two");
        }
        let newest = numbers.iter().max().copied().unwrap_or_default();
        prop_assert_eq!(newest, self.saved.head);
        let (mut started, mut ended) = (HashSet::new(), HashMap::new());
        for event in &self.history.turns {
            let turn = &event.turn_id;
            prop_assert!(!ended.contains_key(turn), "after its end: {event:?}");
            let is_new = if event.kind.is_terminal() {
                ended.insert(turn.clone(), event.seq).is_none()
            } else {
                started.insert(turn.clone())
            };
            prop_assert!(is_new, "twice: {event:?}");
        }
        for item in &self.history.entries {
            let end = ended.get(&item.turn_id).copied().flatten();
            prop_assert!(end.is_none_or(|end| item.seq < Some(end)), "after the end: {item:?}");
        }
        let open: HashSet<_> = self.saved.started.iter().cloned().collect();
        started.retain(|turn| !ended.contains_key(turn));
        prop_assert_eq!(started, open);
        Ok(())
    }

    fn judge_permissions(&self) -> Result<(), TestCaseError> {
        let told = self.status.permissions.iter().flatten();
        let told: HashSet<_> = told.map(|request| request.permission_id.clone()).collect();
        let kept: HashSet<_> =
            self.saved.waiting.iter().map(|request| request.permission_id.clone()).collect();
        prop_assert_eq!(told, kept);
        for request in &self.saved.waiting {
            let turn = request.turn_id.as_ref().unwrap();
            prop_assert!(self.saved.started.contains(turn), "its turn is over: {request:?}");
        }
        Ok(())
    }

    fn judge_activity(&self) -> Result<(), TestCaseError> {
        let status = &self.status;
        let runs = !self.saved.started.is_empty() || !self.awaiting().is_empty();
        let is_ready = status.queued.iter().any(|turn| !turn.paused);
        let expected: &[Activity] = if !self.saved.waiting.is_empty() {
            &[Activity::Permission][..]
        } else if runs || is_ready {
            &[Activity::Running][..]
        } else {
            &[Activity::Idle, Activity::Error][..]
        };
        prop_assert!(expected.contains(&status.activity), "{status:?}");
        prop_assert_eq!(status.turn_id.is_some(), runs);
        Ok(())
    }

    /// Nobody waits for anything. A session without an agent has nothing open, and one with an agent does what it can.
    fn judge_rest(&self) -> Result<(), TestCaseError> {
        let status = &self.status;
        if status.is_alive {
            prop_assert!(!self.saved.record.archived, "an agent that nobody sees");
            let is_stuck =
                status.turn_id.is_none() && status.queued.iter().any(|turn| !turn.paused);
            prop_assert!(!is_stuck, "it could go on: {status:?}");
            return Ok(());
        }
        prop_assert!(self.saved.started.is_empty(), "runs without an agent");
        prop_assert!(self.saved.unfinished.is_empty(), "left open");
        prop_assert!(self.saved.waiting.is_empty(), "nobody waits for the answer");
        prop_assert!(
            status.queued.iter().all(|turn| turn.paused),
            "would begin by itself: {status:?}"
        );
        prop_assert_eq!(self.awaiting().len(), 0);
        Ok(())
    }
}
