//! What one connection was sent last of the items that may still change.
//!
//! A newer state is told as its difference to this. It is noted when a state is taken out of the outbox, so whatever
//! was replaced there unsent does not count.

use std::collections::HashMap;
use std::sync::Arc;

use contract::{HistoryMode, ItemId, SessionId, UpsertObject};
use session::History;

/// Past this everything is forgotten, and each item is told whole once more.
const BOUND: usize = 4 << 20;

#[derive(Debug, Default)]
pub(super) struct SentItems {
    sessions: HashMap<SessionId, HashMap<ItemId, Sent>>,
    bytes: usize,
    /// From then on an item that is not known may have been told.
    has_forgotten: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) item: Arc<UpsertObject>,
    /// Length of its text in UTF-16 units; of no use once the item has ended.
    pub(super) units: u64,
}

impl Sent {
    pub(super) fn new(item: Arc<UpsertObject>) -> Self {
        let text = item.growing_text().filter(|_| !item.is_final());
        let units = text.map_or(0, contract::Text::utf16_len);
        Self { item, units }
    }
}

impl SentItems {
    pub(super) fn last(&self, item: &UpsertObject) -> Option<&Sent> {
        self.sessions.get(&item.session_id)?.get(&item.item_id)
    }

    pub(super) fn has_forgotten(&self) -> bool {
        self.has_forgotten
    }

    /// An item that ended is not needed any more. One that was cut short cannot be gone on with, but it was told.
    pub(super) fn note(&mut self, sent: Sent) {
        let (session, item) = (sent.item.session_id.clone(), sent.item.item_id.clone());
        let items = self.sessions.entry(session).or_default();
        let (is_final, size) = (sent.item.is_final(), sent.item.approximate_size());
        let before = if is_final { items.remove(&item) } else { items.insert(item, sent) };
        self.bytes -= before.map_or(0, |before| before.item.approximate_size());
        self.bytes += if is_final { 0 } else { size };
        if self.bytes > BOUND {
            self.sessions.clear();
            self.bytes = 0;
            self.has_forgotten = true;
        }
    }

    /// A history is what the client has from now on, or what is newer than what it has.
    pub(super) fn note_history(&mut self, history: &History) {
        match history.mode {
            HistoryMode::Full | HistoryMode::Reset => self.forget(&history.session_id),
            HistoryMode::Since => {}
        }
        for entry in &history.page.entries {
            // Most items of a history have ended; they are not worth a copy.
            if !entry.is_final() || self.last(entry).is_some() {
                self.note(Sent::new(Arc::new(entry.clone())));
            }
        }
    }

    pub(super) fn forget(&mut self, session: &SessionId) {
        let items = self.sessions.remove(session).unwrap_or_default();
        let sizes = items.values().map(|sent| sent.item.approximate_size());
        self.bytes -= sizes.sum::<usize>();
    }
}

#[cfg(test)]
mod tests {
    use contract::{ItemStatus, MessageOrigin, UpsertBody};

    use super::*;

    fn item(session: &str, id: &str, bytes: usize, status: ItemStatus) -> Sent {
        let body =
            UpsertBody::Message { content: "x".repeat(bytes).into(), origin: MessageOrigin::Agent };
        let item = UpsertObject::new("t".into(), session.into(), id.into(), body);
        Sent::new(Arc::new(UpsertObject { status, ..item }))
    }

    #[test]
    fn only_what_may_still_change_is_kept_and_never_more_than_the_bound() {
        let mut sent = SentItems::default();
        for n in 0..1_001 {
            sent.note(item("s", &format!("i{n}"), 10_000, ItemStatus::Update));
            assert!(sent.bytes <= BOUND);
        }
        assert!(sent.has_forgotten());
        assert!(sent.bytes > 0);
        sent.forget(&"s".into());
        assert_eq!(sent.bytes, 0);
        let open = item("s", "i", 10, ItemStatus::Update);
        sent.note(open.clone());
        assert_eq!(sent.last(&open.item).unwrap().units, 10);
        sent.note(item("s", "i", 10, ItemStatus::Complete));
        assert!(sent.last(&open.item).is_none());
        assert_eq!(sent.bytes, 0);
    }
}
