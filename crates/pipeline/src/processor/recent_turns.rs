//! Remembers the turns that ended lately.

use std::collections::{HashSet, VecDeque};

use contract::TurnId;

/// Bounded: the oldest is forgotten first. What is older than that is caught by the journal, which forgets nothing.
#[derive(Clone, Debug, Default)]
pub(super) struct RecentTurns {
    order: VecDeque<TurnId>,
    set: HashSet<TurnId>,
}

impl RecentTurns {
    const KEPT: usize = 1024;

    pub(super) fn contains(&self, turn: &TurnId) -> bool {
        self.set.contains(turn)
    }

    pub(super) fn add(&mut self, turn: TurnId) {
        if !self.set.insert(turn.clone()) {
            return;
        }
        self.order.push_back(turn);
        if self.order.len() > Self::KEPT
            && let Some(oldest) = self.order.pop_front()
        {
            self.set.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_forgotten_first() {
        let mut turns = RecentTurns::default();
        let turn = |n: usize| TurnId::from(format!("turn-{n}"));
        (0..=RecentTurns::KEPT).for_each(|n| turns.add(turn(n)));
        assert!(!turns.contains(&turn(0)));
        assert!(turns.contains(&turn(1)) && turns.contains(&turn(RecentTurns::KEPT)));
        assert_eq!(turns.set.len(), RecentTurns::KEPT);
    }
}
