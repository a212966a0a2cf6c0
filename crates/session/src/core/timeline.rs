//! The numbering of a session's changes and the items that are still open.

use std::collections::HashMap;
use std::sync::Arc;

use contract::{
    ItemId, ItemStatus, Seq, SessionId, Timestamp, TurnEvent, TurnEventKind, TurnId, UpsertBody,
    UpsertObject,
};
use store::{Change, TurnProgress};

use super::recent::Recent;
use crate::provider::HistoryEvent;

/// Assigns `seq`, `position` and `startedAt`, and remembers the last state of items that have not ended.
#[derive(Debug)]
pub(crate) struct Timeline {
    head: Seq,
    open: HashMap<ItemId, Arc<UpsertObject>>,
    /// What the items that have ended hold, about.
    bytes: u64,
    recent: Recent,
    /// Changes that a provider asked for and that would have broken a promise.
    refused: u64,
}

/// What is known about an item and its turn before a new state of the item.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prior {
    pub(crate) item: Option<Arc<UpsertObject>>,
    pub(crate) turn_ended: bool,
}

impl Timeline {
    pub(super) fn new(head: Seq) -> Self {
        Self::holding(head, 0)
    }

    pub(super) fn holding(head: Seq, bytes: u64) -> Self {
        let recent = if head == Seq(0) { Recent::from_the_first() } else { Recent::default() };
        Self { head, open: HashMap::new(), bytes, recent, refused: 0 }
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The last state of an item that has not ended.
    pub(crate) fn open_item(&self, item: &ItemId) -> Option<&Arc<UpsertObject>> {
        self.open.get(item)
    }

    /// Whether there is certainly no such item yet, and its turn has not ended.
    pub(crate) fn is_new(&self, upsert: &UpsertObject) -> bool {
        self.recent.is_new(&upsert.turn_id, &upsert.item_id)
    }

    /// How far a turn is, if that is known without the journal.
    pub(crate) fn progress(&self, turn: &TurnId) -> Option<Option<TurnProgress>> {
        self.recent.progress(turn)
    }

    /// A turn whose id was made just now.
    pub(super) fn begin(&mut self, turn: TurnId) {
        self.recent.begin(turn);
    }

    /// A turn that will never start.
    pub(super) fn forget(&mut self, turn: &TurnId) {
        self.recent.end(turn);
    }

    /// Whether nothing was ever said.
    pub(super) fn is_untouched(&self) -> bool {
        self.head == Seq(0)
    }

    pub(crate) fn refused(&self) -> u64 {
        self.refused
    }

    pub(super) fn refuse(&mut self) {
        self.refused += 1;
    }

    /// Takes a provider's state of an item unless it would change what has ended.
    pub(super) fn accept(
        &mut self,
        upsert: UpsertObject,
        prior: &Prior,
        now: Timestamp,
    ) -> Option<Change> {
        if !is_allowed(&upsert, prior) {
            self.refuse();
            return None;
        }
        Some(self.put(upsert, prior.item.as_deref(), now))
    }

    /// Numbers a state of an item.
    pub(super) fn put(
        &mut self,
        mut upsert: UpsertObject,
        before: Option<&UpsertObject>,
        now: Timestamp,
    ) -> Change {
        let seq = self.next();
        upsert.seq = Some(seq);
        upsert.position = before.and_then(|before| before.position).or(Some(seq));
        upsert.started_at = before.and_then(|before| before.started_at).or(Some(now));
        self.recent.note_item(&upsert.item_id);
        let upsert = Arc::new(upsert);
        if upsert.is_final() {
            self.open.remove(&upsert.item_id);
            self.bytes += upsert.approximate_size() as u64;
        } else {
            self.open.insert(upsert.item_id.clone(), upsert.clone());
        }
        Change::Upsert(upsert)
    }

    pub(super) fn turn(&mut self, mut event: TurnEvent, now: Timestamp) -> Change {
        event.seq = Some(self.next());
        event.at = Some(now);
        match event.kind {
            TurnEventKind::TurnStarted { .. } => self.recent.note_start(&event.turn_id),
            TurnEventKind::TurnComplete { .. } | TurnEventKind::TurnError { .. } => {
                self.recent.end(&event.turn_id);
            }
        }
        Change::Turn(Arc::new(event))
    }

    /// The items that have not ended, in order of their creation. They stay open until a new state ends them.
    pub(super) fn open_items(&self) -> Vec<Arc<UpsertObject>> {
        let mut items: Vec<_> = self.open.values().cloned().collect();
        items.sort_by_key(|item| item.position);
        items
    }

    pub(super) fn reopen(&mut self, items: impl IntoIterator<Item = Arc<UpsertObject>>) {
        self.open.extend(items.into_iter().map(|item| (item.item_id.clone(), item)));
    }

    fn next(&mut self) -> Seq {
        self.head = self.head.next();
        self.head
    }
}

/// Numbers a history that was read elsewhere and is over, with the times that it tells. It is the history of our session,
/// whatever its agent calls it.
pub(crate) fn imported_changes(session: &SessionId, events: Vec<HistoryEvent>) -> Vec<Change> {
    let mut timeline = Timeline::new(Seq(0));
    let numbered = events.into_iter().map(|event| match event {
        HistoryEvent::Upsert(mut upsert) => {
            upsert.session_id = session.clone();
            let began = upsert.started_at.unwrap_or(upsert.source_timestamp);
            timeline.put(*upsert, None, began)
        }
        HistoryEvent::Turn(mut event) => {
            event.session_id = session.clone();
            let at = event.at.unwrap_or_default();
            timeline.turn(*event, at)
        }
    });
    numbered.collect()
}

/// An ended item stays ended, an item stays with its turn, and an ended turn gets no new items of its own.
fn is_allowed(upsert: &UpsertObject, prior: &Prior) -> bool {
    let Some(before) = &prior.item else {
        return !prior.turn_ended || upsert.parent_item_id.is_some();
    };
    if before.turn_id != upsert.turn_id {
        return false;
    }
    // A tool that works in the background may report again after it has reported.
    let is_report = before.status == ItemStatus::Complete
        && upsert.status == ItemStatus::Complete
        && matches!(
            (&before.body, &upsert.body),
            (UpsertBody::ToolCall(_), UpsertBody::ToolCall(_))
        );
    !before.is_final() || is_report
}
