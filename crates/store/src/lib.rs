//! The journal: the truth about every session. Commit first, then publish.

mod change;
mod error;
mod history;
mod journal;
mod memory;
mod memory_session;

#[cfg(test)]
mod journal_contract;

pub use change::{Change, SavedSession, SessionRecord, TurnProgress};
pub use error::StoreError;
pub use history::{HistoryQuery, PageLimit};
pub use journal::Journal;
pub use memory::MemoryJournal;
