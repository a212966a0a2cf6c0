//! The rule that every journal checks before it takes changes.

use contract::{Seq, SessionId};

use crate::{Change, StoreError};

/// The head after the changes, if those that consume a `seq` follow the head and each other without a gap.
pub(crate) fn check_order(
    session: &SessionId,
    head: Seq,
    changes: &[Change],
) -> Result<Seq, StoreError> {
    let mut head = head;
    for change in changes.iter().filter(|change| change.consumes_seq()) {
        if change.seq() != Some(head.next()) {
            let session = session.clone();
            return Err(StoreError::OutOfOrder { session, head, found: change.seq() });
        }
        head = head.next();
    }
    Ok(head)
}
