//! Why the journal could not do what was asked.

use contract::{Seq, SessionId};

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("session {0} is not in the journal")]
    UnknownSession(SessionId),
    #[error("session {0} is in the journal already")]
    DuplicateSession(SessionId),
    /// The caller is not the owner of the session's numbering, or lost count.
    #[error("change {found:?} of session {session} does not follow {head:?}")]
    OutOfOrder { session: SessionId, head: Seq, found: Option<Seq> },
    #[error("the journal cannot be written")]
    Unavailable(#[source] Box<dyn std::error::Error + Send + Sync>),
}
