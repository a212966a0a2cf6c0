//! What needs no look into the journal: items that are certainly new, and turns that have certainly not ended.
//!
//! A turn's id is made here when a message is sent, so nothing that is named after it can be older than that. From then on
//! every item is noted, and one that was not noted is new. In a session that was followed from its first change on, while it has
//! few items, that holds for every name: whoever feeds a session from outside makes up its own.

use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use contract::{ItemId, TurnId};
use store::TurnProgress;

/// Turns that are known whole: more than a queue holds.
const TURNS: usize = 64;
/// Items that are noted. Past it nothing is known any more, and the journal is asked as for every other turn.
const ITEMS: usize = 16 * 1024;
/// Items of a whole session that are noted: they are kept for as long as somebody has it open.
const ITEMS_OF_SESSION: usize = 4 * 1024;

#[derive(Debug, Default)]
pub(super) struct Recent {
    turns: VecDeque<Turn>,
    /// Of the turns that began here. Two items of the same hash only cost a look into the journal.
    items: HashSet<u64>,
    /// All there are; nothing if they are not known, or too many.
    whole: Option<HashSet<u64>>,
}

/// A turn that has not ended.
#[derive(Debug)]
struct Turn {
    id: TurnId,
    has_started: bool,
    /// Whether its id was made here.
    is_ours: bool,
}

impl Recent {
    /// Of a session that has no change yet.
    pub(super) fn from_the_first() -> Self {
        Self { whole: Some(HashSet::new()), ..Self::default() }
    }

    /// A turn whose id was made just now.
    pub(super) fn begin(&mut self, turn: TurnId) {
        self.push(Turn { id: turn, has_started: false, is_ours: true });
    }

    fn push(&mut self, turn: Turn) {
        if self.turns.len() >= TURNS {
            self.turns.pop_front();
        }
        self.turns.push_back(turn);
    }

    pub(super) fn note_item(&mut self, item: &ItemId) {
        let hash = hash_of(item);
        if let Some(whole) = &mut self.whole {
            whole.insert(hash);
        }
        self.whole.take_if(|whole| whole.len() > ITEMS_OF_SESSION);
        if !self.turns.iter().any(|turn| turn.is_ours) {
            return;
        }
        if self.items.len() >= ITEMS {
            self.turns.clear();
            self.items = HashSet::new();
            return;
        }
        self.items.insert(hash);
    }

    /// The first start of a turn, so it has not ended.
    pub(super) fn note_start(&mut self, turn: &TurnId) {
        match self.turns.iter_mut().find(|known| known.id == *turn) {
            Some(known) => known.has_started = true,
            None => self.push(Turn { id: turn.clone(), has_started: true, is_ours: false }),
        }
    }

    /// It ended, or will never begin.
    pub(super) fn end(&mut self, turn: &TurnId) {
        self.turns.retain(|known| known.id != *turn);
        if !self.turns.iter().any(|turn| turn.is_ours) {
            self.items = HashSet::new();
        }
    }

    /// How far a turn is; `None` if that is not known here.
    pub(super) fn progress(&self, turn: &TurnId) -> Option<Option<TurnProgress>> {
        let turn = self.turn(turn)?;
        Some(turn.has_started.then_some(TurnProgress::Started))
    }

    /// Whether there is certainly no such item yet, and its turn has not ended.
    pub(super) fn is_new(&self, turn: &TurnId, item: &ItemId) -> bool {
        let Some(known) = self.turn(turn) else { return false };
        let hash = hash_of(item);
        let is_named_after =
            item.as_str().strip_prefix(turn.as_str()).is_some_and(|rest| rest.starts_with(':'));
        let is_new_of_turn = known.is_ours && is_named_after && !self.items.contains(&hash);
        is_new_of_turn || self.whole.as_ref().is_some_and(|whole| !whole.contains(&hash))
    }

    fn turn(&self, id: &TurnId) -> Option<&Turn> {
        self.turns.iter().find(|turn| turn.id == *id)
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

    #[test]
    fn a_turn_from_elsewhere_is_known_from_its_start_to_its_end_but_not_what_is_named_after_it() {
        let mut recent = Recent::default();
        recent.note_start(&"x".into());
        assert_eq!(recent.progress(&"x".into()), Some(Some(TurnProgress::Started)));
        assert!(!recent.is_new(&"x".into(), &"x:1:0".into()));
        recent.end(&"x".into());
        assert_eq!(recent.progress(&"x".into()), None);
    }

    #[test]
    fn in_a_session_that_is_known_whole_what_was_not_noted_is_new_whatever_its_name() {
        let mut recent = Recent::from_the_first();
        recent.note_item(&"before".into());
        recent.note_start(&"x".into());
        assert!(recent.is_new(&"x".into(), &"i".into()));
        assert!(!recent.is_new(&"x".into(), &"before".into()));
        assert!(!recent.is_new(&"y".into(), &"i".into()), "a turn that may have ended");
        recent.note_item(&"i".into());
        recent.end(&"x".into());
        recent.note_start(&"y".into());
        assert!(!recent.is_new(&"y".into(), &"i".into()), "an item of another turn");
        for n in 0..=ITEMS_OF_SESSION {
            recent.note_item(&format!("i{n}").as_str().into());
        }
        assert!(!recent.is_new(&"y".into(), &"another".into()), "there are too many");
    }
}
