//! Which part of a session's history is wanted.

use contract::Seq;

/// How much a page may hold. It always holds one entry, however large.
#[derive(Clone, Copy, Debug)]
pub struct PageLimit {
    /// For `After` and `From` this counts turn events too.
    pub entries: usize,
    /// Counted as `UpsertObject::approximate_size` does, and no entry as more than the stream carries of it.
    pub bytes: usize,
}

#[derive(Clone, Copy, Debug)]
pub enum HistoryQuery {
    /// The newest items.
    Newest { limit: PageLimit },
    /// The newest items whose position lies before this one.
    Before { position: Seq, limit: PageLimit },
    /// What changed after this `seq`, oldest change first. If there is more, `page.seq` is where to go on.
    After { seq: Seq, limit: PageLimit },
    /// Items and turn events from this place of the timeline on, in its order. If there is more, `page.seq` is the last
    /// place on the page.
    From { position: Seq, limit: PageLimit },
}
