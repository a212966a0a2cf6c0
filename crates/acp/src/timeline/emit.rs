//! Making upserts.

use contract::{
    ErrorCode, ItemId, ItemStatus, ProviderId, SessionId, Timestamp, TurnId, UpsertBody,
    UpsertObject,
};
use pipeline::{Batching, Now};

pub(super) struct Emit<'a> {
    pub(super) session: &'a SessionId,
    pub(super) provider: &'a ProviderId,
    pub(super) batching: &'a Batching,
    pub(super) emitted: &'a mut Vec<UpsertObject>,
    pub(super) now: Now,
}

/// Where an item stands, and when the last of its lines came.
pub(super) struct Place<'a> {
    pub(super) turn: &'a TurnId,
    pub(super) item: &'a ItemId,
    pub(super) source: Timestamp,
}

/// How an item ends badly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failure<'a> {
    pub(crate) code: &'a ErrorCode,
    pub(crate) message: &'a str,
}

impl Emit<'_> {
    pub(super) fn push(&mut self, place: &Place<'_>, status: ItemStatus, body: UpsertBody) {
        let upsert = self.upsert(place, status, body);
        self.emitted.push(upsert);
    }

    pub(super) fn push_error(
        &mut self,
        place: &Place<'_>,
        body: UpsertBody,
        failure: &Failure<'_>,
    ) {
        let upsert = UpsertObject {
            error_code: Some(failure.code.clone()),
            error_message: Some(failure.message.to_owned()),
            ..self.upsert(place, ItemStatus::Error, body)
        };
        self.emitted.push(upsert);
    }

    fn upsert(&self, place: &Place<'_>, status: ItemStatus, body: UpsertBody) -> UpsertObject {
        UpsertObject {
            source_timestamp: place.source,
            emitted_at: self.now.wall,
            status,
            ..UpsertObject::new(place.turn.clone(), self.session.clone(), place.item.clone(), body)
        }
    }
}
