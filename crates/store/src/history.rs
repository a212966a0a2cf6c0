//! Which part of a session's history is wanted.

use contract::Seq;

/// `limit` counts entries; for `After` it counts changes.
#[derive(Clone, Copy, Debug)]
pub enum HistoryQuery {
    /// The newest items.
    Newest { limit: usize },
    /// The newest items whose position lies before this one.
    Before { position: Seq, limit: usize },
    /// What changed after this `seq`, oldest change first. If there is more, `page.seq` is where to go on.
    After { seq: Seq, limit: usize },
}
