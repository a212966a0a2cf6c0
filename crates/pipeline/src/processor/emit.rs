//! Makes the upserts and turn events that leave the processor.

use contract::{
    EventError, ItemStatus, SessionId, Timestamp, TurnEvent, TurnEventKind, TurnId, UpsertBody,
    UpsertObject,
};

use super::item::Identity;
use super::{Emission, UpsertProcessor};

/// One state of an item on its way out.
pub(super) struct State {
    pub(super) status: ItemStatus,
    pub(super) body: UpsertBody,
    pub(super) source: Timestamp,
    pub(super) error: Option<EventError>,
}

impl UpsertProcessor {
    pub(super) fn emit_item(&mut self, identity: &Identity, state: State, emitted_at: Timestamp) {
        self.note_shown(identity);
        let (error_code, error_message) =
            state.error.map(|error| (error.code, error.message)).unzip();
        let identity = identity.clone();
        self.emissions.push_back(Emission::Upsert(UpsertObject {
            source_timestamp: state.source,
            emitted_at,
            status: state.status,
            error_code,
            error_message,
            ..UpsertObject::new(identity.turn_id, identity.session_id, identity.item_id, state.body)
        }));
    }

    pub(super) fn emit_turn(
        &mut self,
        turn_id: TurnId,
        session_id: SessionId,
        kind: TurnEventKind,
    ) {
        self.emissions.push_back(Emission::Turn(TurnEvent {
            turn_id,
            session_id,
            seq: None,
            at: None,
            kind,
        }));
    }
}
