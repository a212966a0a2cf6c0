//! What a client knows of one session: the rules of docs/API.md as a reducer, for every family that tells items.
//!
//! Pure and small, so that it can be compared with the page's own (`web/src/timeline/timeline.ts`).

use std::collections::BTreeMap;

use contract::{
    Epoch, HistoryMode, HistoryPage, ItemId, Seq, ServerMessage, SessionId, TextDelta, Timestamp,
    TurnEvent, UpsertObject,
};

#[derive(Clone, Debug, PartialEq)]
pub struct ClientView {
    session: SessionId,
    /// Where to go on from after a lost connection; nothing before the first history.
    pub place: Option<(Epoch, Seq)>,
    /// Whether there are items before the oldest page.
    pub more: bool,
    /// Where the oldest page begins. Not the oldest item: an older one that changes is told by itself.
    oldest: Option<Seq>,
    pub items: BTreeMap<ItemId, UpsertObject>,
    pub turns: BTreeMap<Seq, TurnEvent>,
    /// Items whose growth did not fit to what is known; they have to be fetched.
    pub mismatches: Vec<ItemId>,
}

impl ClientView {
    pub fn new(session: &SessionId) -> Self {
        Self {
            session: session.clone(),
            place: None,
            more: false,
            oldest: None,
            items: BTreeMap::new(),
            turns: BTreeMap::new(),
            mismatches: Vec::new(),
        }
    }

    /// Takes in a message; those of other sessions and other kinds change nothing.
    #[expect(clippy::wildcard_enum_match_arm, reason = "the rest is not about items and turns")]
    pub fn apply(&mut self, message: ServerMessage) {
        match message {
            ServerMessage::Upsert { session_id, seq, payload } if session_id == self.session => {
                self.put(payload);
                self.advance(seq);
            }
            ServerMessage::Delta(delta) if delta.session_id == self.session => self.grow(&delta),
            ServerMessage::Turn { session_id, seq, payload } if session_id == self.session => {
                self.turns.insert(seq, payload);
                self.advance(seq);
            }
            ServerMessage::History { session_id, mode, page, .. } if session_id == self.session => {
                self.apply_history(mode, page);
            }
            _ => {}
        }
    }

    fn apply_history(&mut self, mode: HistoryMode, page: HistoryPage) {
        let place = Some((page.epoch.clone(), page.seq));
        if mode == HistoryMode::Since {
            self.merge(page);
        } else {
            *self = Self::new(&self.session);
            self.apply_older(page);
        }
        self.place = place;
    }

    /// Adds an older page, had by HTTP. The place stays: what is newer is still to be delivered.
    pub fn apply_older(&mut self, page: HistoryPage) {
        self.more = page.more;
        self.oldest = page.entries.first().and_then(|item| item.position).or(self.oldest);
        self.merge(page);
    }

    /// Where the next older page ends.
    pub fn oldest(&self) -> Option<Seq> {
        self.oldest
    }

    fn merge(&mut self, page: HistoryPage) {
        page.entries.into_iter().for_each(|item| self.put(item));
        let events = page.turns.into_iter().filter_map(|event| Some((event.seq?, event)));
        self.turns.extend(events);
    }

    /// An older state never takes the place of a newer one.
    fn put(&mut self, item: UpsertObject) {
        let known = self.items.get(&item.item_id);
        if known.is_none_or(|known| known.seq < item.seq) {
            self.items.insert(item.item_id.clone(), item);
        }
    }

    fn grow(&mut self, delta: &TextDelta) {
        let known = self.items.get_mut(&delta.item_id);
        let grown = known.is_some_and(|item| appended(item, delta));
        if !grown {
            self.mismatches.push(delta.item_id.clone());
        }
        self.advance(delta.seq);
    }

    /// Whatever is not in a history is told once.
    fn advance(&mut self, seq: Seq) {
        if let Some((_, place)) = &mut self.place {
            assert!(*place < seq, "seq goes on: {seq:?} after {place:?}");
            *place = seq;
        }
    }

    /// What is shown: items in their order and turns, without times that growth does not tell.
    pub fn shown(&self) -> (Vec<UpsertObject>, Vec<TurnEvent>) {
        let mut items: Vec<_> = self.items.values().cloned().collect();
        items.sort_by_key(|item| item.position);
        for item in &mut items {
            (item.source_timestamp, item.emitted_at) = (Timestamp::default(), Timestamp::default());
        }
        (items, self.turns.values().cloned().collect())
    }
}

/// Whether the growth fits; what is not newer is passed over.
fn appended(item: &mut UpsertObject, delta: &TextDelta) -> bool {
    if item.seq >= Some(delta.seq) {
        return true;
    }
    let Some(text) = item.growing_text_mut() else { return false };
    if text.utf16_len() != delta.offset {
        return false;
    }
    text.push_str(&delta.append);
    item.status = delta.status;
    item.seq = Some(delta.seq);
    item.emitted_at = delta.emitted_at.unwrap_or(item.emitted_at);
    true
}
