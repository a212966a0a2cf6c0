//! What still fits on a page.

use contract::STREAM_LIMIT;

use crate::PageLimit;

pub(crate) struct Room {
    left: PageLimit,
    is_empty: bool,
    /// Something did not fit.
    pub(crate) is_full: bool,
}

impl Room {
    pub(crate) fn new(limit: PageLimit) -> Self {
        Self { left: limit, is_empty: true, is_full: false }
    }

    /// Takes an entry of this size if it fits. The first always does. One that is too long for the stream is told shortened,
    /// and counts as that.
    pub(crate) fn takes(&mut self, size: usize) -> bool {
        let size = size.min(STREAM_LIMIT);
        let fits = self.left.entries > 0 && self.left.bytes >= size;
        self.is_full = !(fits || self.is_empty);
        self.is_empty = false;
        self.left.entries = self.left.entries.saturating_sub(1);
        self.left.bytes = self.left.bytes.saturating_sub(size);
        !self.is_full
    }
}
