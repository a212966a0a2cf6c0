//! What the writer remembers of items that grow, so that a new state costs only the text that is new.

use std::collections::HashMap;

use contract::{Seq, Text};

/// Items that are remembered. Past it all are forgotten: the next state of each is written whole once.
const REMEMBERED: usize = 4096;

/// By the row of the session and the position of the item.
#[derive(Debug, Default)]
pub(super) struct Growth {
    items: HashMap<(i64, Seq), Grown>,
}

/// An open item as it is written.
#[derive(Debug)]
pub(super) struct Grown {
    /// Of its body.
    pub(super) row: i64,
    pub(super) body: String,
    pub(super) text: Text,
    /// So much of the text is in the body, in bytes; the rest is in chunks.
    pub(super) beginning: usize,
    pub(super) chunks: u32,
}

impl Growth {
    pub(super) fn take(&mut self, session: i64, position: Seq) -> Option<Grown> {
        self.items.remove(&(session, position))
    }

    pub(super) fn remember(&mut self, session: i64, position: Seq, grown: Grown) {
        if self.items.len() >= REMEMBERED {
            self.items.clear();
        }
        self.items.insert((session, position), grown);
    }

    pub(super) fn forget(&mut self) {
        self.items.clear();
    }
}
