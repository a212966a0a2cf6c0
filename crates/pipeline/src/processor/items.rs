//! The items of the open turn: which are open, which ended, and when each is to be shown.

use std::collections::HashMap;

use contract::{CallId, ItemId, StreamEventEnvelope, TurnId};

use super::Context;
use super::item::{Identity, Item, TextItem};
use super::room::Room;
use crate::deadlines::Deadlines;
use crate::growing_text::Batching;
use crate::moment::Moment;

/// The items of the open turn, ended ones included: an id that ended stays ended.
#[derive(Debug, Default)]
pub(super) struct Items {
    pub(super) by_id: HashMap<ItemId, Item>,
    /// Every call of the turn; the first item of a call holds.
    pub(super) calls: HashMap<CallId, ItemId>,
    pub(super) deadlines: Deadlines<(u64, ItemId)>,
    opened: u64,
    pub(super) room: Room,
}

/// Whose items are meant.
#[derive(Clone, Copy, Debug)]
pub(super) enum Scope<'a> {
    All,
    Only(&'a TurnId),
    AllBut(&'a TurnId),
}

impl Scope<'_> {
    fn contains(self, identity: &Identity) -> bool {
        match self {
            Self::All => true,
            Self::Only(turn) => identity.turn_id == *turn,
            Self::AllBut(turn) => identity.turn_id != *turn,
        }
    }
}

impl Items {
    pub(super) fn clear(&mut self) {
        self.by_id.clear();
        self.calls.clear();
        self.deadlines.clear();
    }

    pub(super) fn earliest_deadline(&self) -> Option<Moment> {
        self.deadlines.earliest()
    }

    pub(super) fn take_due(&mut self, now: Moment) -> Option<ItemId> {
        let by_id = &mut self.by_id;
        let (_, item_id) =
            self.deadlines.take_due(now, |(ordinal, item_id)| match by_id.get_mut(item_id) {
                Some(Item::Text(item)) if item.identity.ordinal == *ordinal => {
                    let deadline = item.text.deadline();
                    item.queued = deadline.filter(|deadline| *deadline > now);
                    deadline
                }
                _ => None,
            })?;
        Some(item_id)
    }

    /// Open texts that were not shown to their end, in the order they were opened.
    pub(super) fn with_unshown_text(&self) -> Vec<ItemId> {
        let open = self.by_id.iter().filter_map(|(item_id, item)| match item {
            Item::Text(text) if !text.text.is_all_shown() => {
                Some((text.identity.ordinal, item_id.clone()))
            }
            Item::Text(_) | Item::Tool(_) | Item::Cancelled | Item::Ended(_) => None,
        });
        let mut open: Vec<_> = open.collect();
        open.sort_unstable_by_key(|(ordinal, _)| *ordinal);
        open.into_iter().map(|(_, item_id)| item_id).collect()
    }

    pub(super) fn identity(&mut self, event: &StreamEventEnvelope, item_id: &ItemId) -> Identity {
        self.opened += 1;
        Identity {
            turn_id: event.turn_id.clone(),
            session_id: event.session_id.clone(),
            item_id: item_id.clone(),
            ordinal: self.opened,
        }
    }

    /// Whether an item of this id may be opened now.
    pub(super) fn is_free(&self, item_id: &ItemId) -> bool {
        matches!(self.by_id.get(item_id), None | Some(Item::Cancelled))
    }

    /// Ends an item and hands it over if it was open. One that nobody has heard of belongs to `turn`.
    pub(super) fn end(&mut self, item_id: &ItemId, turn: &TurnId) -> Option<Item> {
        let known = self.by_id.remove(item_id);
        let turn = known.as_ref().and_then(Item::turn).unwrap_or(turn).clone();
        self.by_id.insert(item_id.clone(), Item::Ended(turn));
        known
    }

    /// Forgets all but the items of one turn.
    pub(super) fn clear_all_but(&mut self, turn: &TurnId) {
        self.by_id.retain(|_, item| item.turn() == Some(turn));
        self.calls.retain(|_, item_id| self.by_id.contains_key(item_id));
    }

    /// Ends open items in the order they were opened.
    pub(super) fn end_all(&mut self, scope: Scope<'_>) -> Vec<Item> {
        let mut open: Vec<(u64, Item)> = Vec::new();
        for item in self.by_id.values_mut() {
            let meant = item.identity().filter(|identity| scope.contains(identity));
            if let Some(ordinal) = meant.map(|identity| identity.ordinal) {
                let turn = item.turn().cloned();
                let ended = turn.map_or(Item::Cancelled, Item::Ended);
                open.push((ordinal, std::mem::replace(item, ended)));
            }
        }
        open.sort_by_key(|(ordinal, _)| *ordinal);
        open.into_iter().map(|(_, item)| item).collect()
    }
}

impl TextItem {
    pub(super) fn push(
        &mut self,
        text: &str,
        context: Context<'_>,
        batching: &Batching,
        deadlines: &mut Deadlines<(u64, ItemId)>,
    ) -> bool {
        self.source_timestamp = context.event.timestamp;
        let due = self.text.push(text, context.now.moment, batching);
        if let Some(deadline) = self.text.deadline()
            && self.queued.is_none_or(|queued| deadline < queued)
        {
            self.queued = Some(deadline);
            deadlines.add((self.identity.ordinal, self.identity.item_id.clone()), deadline);
        }
        due
    }
}
