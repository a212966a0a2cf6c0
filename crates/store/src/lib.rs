//! The journal: the truth about every session. Commit first, then publish.

mod change;
mod decisions;
mod error;
mod history;
mod journal;
mod memory;
mod memory_session;
mod order;
mod room;
mod search;
mod sqlite;

#[cfg(test)]
mod journal_contract;
#[cfg(test)]
mod twins;

pub use change::{AddedProject, AgentChoices, Change, SavedSession, SessionRecord, TurnProgress};
pub use error::StoreError;
pub use history::{HistoryQuery, PageLimit};
pub use journal::Journal;
pub use memory::MemoryJournal;
pub use search::{Hit, Wanted};
pub use sqlite::{OpenError, SqliteJournal};
