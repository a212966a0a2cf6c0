//! The earliest of many deadlines that mostly move away before they are reached.
//!
//! Moving a deadline costs nothing here: an entry may be early, and is put right when its time comes. So `earliest`
//! may name a moment too soon, never one too late, and after `take_due` it lies in the future.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::moment::Moment;

#[derive(Clone, Debug)]
pub(crate) struct Deadlines<K> {
    heap: BinaryHeap<Reverse<(Moment, K)>>,
}

impl<K: Ord> Default for Deadlines<K> {
    fn default() -> Self {
        Self { heap: BinaryHeap::new() }
    }
}

impl<K: Ord> Deadlines<K> {
    /// Adds an entry. The caller keeps at most one per key.
    pub(crate) fn add(&mut self, key: K, deadline: Moment) {
        self.heap.push(Reverse((deadline, key)));
    }

    pub(crate) fn earliest(&self) -> Option<Moment> {
        self.heap.peek().map(|Reverse((deadline, _))| *deadline)
    }

    /// Takes one key whose deadline has come. `actual` tells where a key's deadline lies now, if it still has one.
    pub(crate) fn take_due(
        &mut self,
        now: Moment,
        mut actual: impl FnMut(&K) -> Option<Moment>,
    ) -> Option<K> {
        while self.earliest()? <= now {
            let Reverse((_, key)) = self.heap.pop()?;
            match actual(&key) {
                Some(deadline) if deadline <= now => return Some(key),
                Some(deadline) => self.add(key, deadline),
                None => {}
            }
        }
        None
    }

    pub(crate) fn clear(&mut self) {
        self.heap.clear();
    }
}
