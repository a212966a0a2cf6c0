//! How far a connection was told each session, to see that it is told nothing twice.

use std::collections::HashMap;

use contract::{Seq, SessionId};
use session::Publication;

#[derive(Debug, Default)]
pub(super) struct ToldPlaces(HashMap<SessionId, Seq>);

impl ToldPlaces {
    /// Whether it is a change that was told before. A history begins anew.
    pub(super) fn note(&mut self, publication: &Publication) -> bool {
        let (session, seq) = match publication {
            Publication::Upsert(upsert) => (&upsert.session_id, upsert.seq.unwrap_or_default()),
            Publication::Turn(event) => (&event.session_id, event.seq.unwrap_or_default()),
            Publication::History(history) => {
                self.0.insert(history.session_id.clone(), history.page.seq);
                return false;
            }
            Publication::Plan(_)
            | Publication::Status(_)
            | Publication::Glance(_)
            | Publication::PermissionRequested(_)
            | Publication::PermissionResolved(_)
            | Publication::Created(_)
            | Publication::News(_)
            | Publication::Problem(_) => return false,
        };
        match self.0.get_mut(session) {
            Some(told) if seq <= *told => true,
            Some(told) => {
                *told = seq;
                false
            }
            None => {
                self.0.insert(session.clone(), seq);
                false
            }
        }
    }

    /// The connection closed it.
    pub(super) fn forget(&mut self, session: &SessionId) {
        self.0.remove(session);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use contract::{MessageOrigin, UpsertBody, UpsertObject};

    use super::*;

    fn change(session: &str, seq: u64) -> Publication {
        let body = UpsertBody::Message { content: "m".into(), origin: MessageOrigin::Agent };
        let item = UpsertObject::new("t".into(), session.into(), "i".into(), body);
        Publication::Upsert(Arc::new(UpsertObject { seq: Some(Seq(seq)), ..item }))
    }

    #[test]
    fn a_change_that_was_told_is_known() {
        let mut told = ToldPlaces::default();
        assert!(!told.note(&change("a", 1)));
        assert!(!told.note(&change("b", 1)));
        assert!(!told.note(&change("a", 3)));
        assert!(told.note(&change("a", 3)));
        assert!(told.note(&change("a", 2)));
        told.forget(&"a".into());
        assert!(!told.note(&change("a", 2)));
    }
}
