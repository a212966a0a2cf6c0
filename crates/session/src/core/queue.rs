//! Turns that were accepted and have not begun.

use std::collections::VecDeque;
use std::sync::Arc;

use contract::{Attachment, Delivery, QueuedTurn, TurnId, UpsertObject};

/// A queued turn with the user's item, which already stands in the timeline.
#[derive(Clone, Debug)]
pub(super) struct Waiting {
    pub(super) turn: QueuedTurn,
    pub(super) item: Arc<UpsertObject>,
    pub(super) attachments: Arc<Vec<Attachment>>,
}

/// Bounded: a send to a full queue is refused.
#[derive(Debug, Default)]
pub(super) struct TurnQueue {
    turns: VecDeque<Waiting>,
}

impl TurnQueue {
    pub(super) const BOUND: usize = 16;

    pub(super) fn is_full(&self) -> bool {
        self.turns.len() >= Self::BOUND
    }

    pub(super) fn turns(&self) -> Vec<QueuedTurn> {
        self.turns.iter().map(|waiting| waiting.turn.clone()).collect()
    }

    /// Whether a turn may begin.
    pub(super) fn is_ready(&self) -> bool {
        self.next_ready().is_some()
    }

    /// The first that is not paused: one that is to be sent now may have been put behind one that is.
    fn next_ready(&self) -> Option<usize> {
        self.turns.iter().position(|waiting| !waiting.turn.paused)
    }

    pub(super) fn push_back(&mut self, waiting: Waiting) {
        self.turns.push_back(waiting);
    }

    /// One that was handed over comes back: to the front, but among those that came back before it in the order they
    /// were sent.
    pub(super) fn push_returned(&mut self, waiting: Waiting) {
        let is_before =
            |queued: &&Waiting| queued.turn.paused && queued.item.position < waiting.item.position;
        let place = self.turns.iter().take_while(is_before).count();
        self.turns.insert(place, waiting);
    }

    /// Before everything that waits, but after those that were to go first before it.
    pub(super) fn push_urgent(&mut self, waiting: Waiting) {
        let urgent = |queued: &&Waiting| queued.turn.delivery == Delivery::Interrupt;
        let place = self.turns.iter().take_while(urgent).count();
        self.turns.insert(place, waiting);
    }

    pub(super) fn pop_ready(&mut self) -> Option<Waiting> {
        self.turns.remove(self.next_ready()?)
    }

    /// The first that is to join a running turn. Behind one that interrupts that turn there is none: it would overtake it.
    pub(super) fn pop_steering(&mut self) -> Option<Waiting> {
        let interrupts = |waiting: &Waiting| waiting.turn.delivery == Delivery::Interrupt;
        if self.turns.front().is_some_and(interrupts) {
            return None;
        }
        let steers =
            |waiting: &Waiting| waiting.turn.delivery == Delivery::Steer && !waiting.turn.paused;
        let index = self.turns.iter().position(steers)?;
        self.turns.remove(index)
    }

    pub(super) fn remove(&mut self, turn: &TurnId) -> Option<Waiting> {
        let index = self.turns.iter().position(|waiting| waiting.turn.turn_id == *turn)?;
        self.turns.remove(index)
    }

    pub(super) fn find(&self, turn: &TurnId) -> Option<&Waiting> {
        self.turns.iter().find(|waiting| waiting.turn.turn_id == *turn)
    }

    pub(super) fn find_mut(&mut self, turn: &TurnId) -> Option<&mut Waiting> {
        self.turns.iter_mut().find(|waiting| waiting.turn.turn_id == *turn)
    }

    /// Before everything else that waits.
    pub(super) fn push_front(&mut self, waiting: Waiting) {
        self.turns.push_front(waiting);
    }

    /// Moves a turn to right before another one that waits.
    pub(super) fn move_before(&mut self, turn: &TurnId, before: &TurnId) {
        if turn == before || self.find(before).is_none() {
            return;
        }
        let Some(moved) = self.remove(turn) else { return };
        let place = self.turns.iter().position(|waiting| waiting.turn.turn_id == *before);
        self.turns.insert(place.unwrap_or(self.turns.len()), moved);
    }

    pub(super) fn is_paused(&self) -> bool {
        self.turns.iter().any(|waiting| waiting.turn.paused)
    }

    pub(super) fn set_paused(&mut self, paused: bool) {
        self.turns.iter_mut().for_each(|waiting| waiting.turn.paused = paused);
    }
}
