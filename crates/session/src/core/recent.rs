//! What needs no look into the journal: items of turns that this session has seen from their first moment.
//!
//! A turn's id is made here when a message is sent, so nothing that is named after it can be older than that. From then on
//! every item is noted, and one that was not noted is new.

use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use contract::{ItemId, TurnId};
use store::TurnProgress;

/// Turns that are known whole: more than a queue holds.
const TURNS: usize = 64;
/// Items that are noted. Past it nothing is known any more, and the journal is asked as for every other turn.
const ITEMS: usize = 16 * 1024;

#[derive(Debug, Default)]
pub(super) struct Recent {
    turns: VecDeque<(TurnId, bool)>,
    /// Two items of the same hash only cost a look into the journal.
    items: HashSet<u64>,
}

impl Recent {
    /// A turn whose id was made just now.
    pub(super) fn begin(&mut self, turn: TurnId) {
        if self.turns.len() >= TURNS {
            self.turns.pop_front();
        }
        self.turns.push_back((turn, false));
    }

    pub(super) fn note_item(&mut self, item: &ItemId) {
        if self.turns.is_empty() {
            return;
        }
        if self.items.len() >= ITEMS {
            self.turns.clear();
            self.items = HashSet::new();
            return;
        }
        self.items.insert(hash_of(item));
    }

    pub(super) fn note_start(&mut self, turn: &TurnId) {
        if let Some((_, has_started)) = self.turns.iter_mut().find(|(known, _)| known == turn) {
            *has_started = true;
        }
    }

    /// It ended, or will never begin.
    pub(super) fn end(&mut self, turn: &TurnId) {
        self.turns.retain(|(known, _)| known != turn);
        if self.turns.is_empty() {
            self.items = HashSet::new();
        }
    }

    /// How far a turn is; `None` if that is not known here.
    pub(super) fn progress(&self, turn: &TurnId) -> Option<Option<TurnProgress>> {
        let (_, has_started) = self.turns.iter().find(|(known, _)| known == turn)?;
        Some(has_started.then_some(TurnProgress::Started))
    }

    /// Whether there is certainly no such item yet, and its turn has not ended.
    pub(super) fn is_new(&self, turn: &TurnId, item: &ItemId) -> bool {
        let is_named_after =
            item.as_str().strip_prefix(turn.as_str()).is_some_and(|rest| rest.starts_with(':'));
        is_named_after
            && self.turns.iter().any(|(known, _)| known == turn)
            && !self.items.contains(&hash_of(item))
    }
}

fn hash_of(item: &ItemId) -> u64 {
    let mut hasher = DefaultHasher::new();
    item.as_str().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recent() -> Recent {
        let mut recent = Recent::default();
        recent.begin("a".into());
        recent
    }

    #[test]
    fn an_item_is_new_until_it_is_noted() {
        let mut recent = recent();
        assert!(recent.is_new(&"a".into(), &"a:1:0".into()));
        recent.note_item(&"a:1:0".into());
        assert!(!recent.is_new(&"a".into(), &"a:1:0".into()));
        assert!(recent.is_new(&"a".into(), &"a:1:1".into()));
    }

    #[test]
    fn nothing_is_claimed_of_other_turns_nor_of_items_named_after_others() {
        let mut recent = recent();
        assert!(!recent.is_new(&"b".into(), &"b:1:0".into()));
        assert!(!recent.is_new(&"a".into(), &"b:1:0".into()));
        assert!(!recent.is_new(&"a".into(), &"ab:1:0".into()));
        recent.end(&"a".into());
        assert!(!recent.is_new(&"a".into(), &"a:1:0".into()));
        assert_eq!(recent.progress(&"a".into()), None);
    }

    #[test]
    fn a_turn_is_known_from_its_first_moment_to_its_end() {
        let mut recent = recent();
        assert_eq!(recent.progress(&"a".into()), Some(None));
        recent.note_start(&"a".into());
        assert_eq!(recent.progress(&"a".into()), Some(Some(TurnProgress::Started)));
    }

    #[test]
    fn a_turn_that_goes_on_after_another_keeps_what_was_noted() {
        let mut recent = recent();
        recent.begin("b".into());
        recent.note_item(&"b:0:0".into());
        recent.end(&"a".into());
        assert!(!recent.is_new(&"b".into(), &"b:0:0".into()));
    }

    #[test]
    fn it_is_bounded_and_then_claims_nothing() {
        let mut recent = recent();
        for n in 0..=ITEMS {
            recent.note_item(&format!("a:{n}:0").as_str().into());
        }
        assert!(recent.items.is_empty());
        assert!(!recent.is_new(&"a".into(), &"a:x:0".into()));
        for n in 0..=TURNS {
            recent.begin(n.to_string().as_str().into());
        }
        assert_eq!(recent.turns.len(), TURNS);
        assert!(!recent.is_new(&"0".into(), &"0:1:0".into()));
    }
}
