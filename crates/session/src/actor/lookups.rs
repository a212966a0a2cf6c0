//! What the journal knows about something that the session does not hold in memory.
//!
//! Changes of the current batch are not committed yet, so they are looked at first.

use std::sync::Arc;

use contract::{PermissionId, SessionSent, TurnId, UpsertObject};
use store::{Change, StoreError, TurnProgress};

use super::Actor;
use crate::core::{Prior, SendCommand};
use crate::provider::ProviderNotice;

impl Actor {
    pub(super) async fn prior(
        &self,
        upsert: &UpsertObject,
        batch: &[Change],
    ) -> Result<Prior, StoreError> {
        if let Some(item) = self.core.timeline().open_item(&upsert.item_id) {
            return Ok(Prior { item: Some(item.clone()), turn_ended: false });
        }
        if self.core.timeline().is_new(upsert) {
            return Ok(Prior::default());
        }
        let pending = batch.iter().rev().find_map(|change| match change {
            Change::Upsert(pending) => {
                Some(pending).filter(|pending| pending.item_id == upsert.item_id)
            }
            Change::Turn(_)
            | Change::Queue(_)
            | Change::Attachments(..)
            | Change::Permission(_)
            | Change::Sent(..)
            | Change::Record(_) => None,
        });
        let item = match pending {
            Some(item) => Some(item.clone()),
            None => self.journalled_item(upsert).await?,
        };
        let turn_ended = item.is_none()
            && self.progress(&upsert.turn_id, batch).await? == Some(TurnProgress::Ended);
        Ok(Prior { item, turn_ended })
    }

    pub(super) async fn progress(
        &self,
        turn: &TurnId,
        batch: &[Change],
    ) -> Result<Option<TurnProgress>, StoreError> {
        if let Some(known) = self.core.timeline().progress(turn) {
            return Ok(known);
        }
        let pending = batch.iter().rev().find_map(|change| match change {
            Change::Turn(event) => Some(event).filter(|event| event.turn_id == *turn),
            Change::Upsert(_)
            | Change::Queue(_)
            | Change::Attachments(..)
            | Change::Permission(_)
            | Change::Sent(..)
            | Change::Record(_) => None,
        });
        match pending.map(|event| event.kind.is_terminal()) {
            Some(true) => Ok(Some(TurnProgress::Ended)),
            Some(false) => Ok(Some(TurnProgress::Started)),
            None => self.parts.journal.turn(&self.core.record().session_id, turn).await,
        }
    }

    /// Whether a permission is asked for by a turn that has ended: nothing would ever end the request.
    pub(super) async fn is_asked_too_late(
        &self,
        notice: &ProviderNotice,
        batch: &[Change],
    ) -> Result<bool, StoreError> {
        let ProviderNotice::PermissionAsked { request, .. } = notice else { return Ok(false) };
        match &request.turn_id {
            Some(turn) => Ok(self.progress(turn, batch).await? == Some(TurnProgress::Ended)),
            None => Ok(false),
        }
    }

    /// Whether a turn has begun, as far as the journal knows.
    pub(super) async fn has_begun(&self, turn: Option<&TurnId>) -> Result<bool, StoreError> {
        match turn {
            Some(turn) => Ok(self.progress(turn, &[]).await?.is_some()),
            None => Ok(false),
        }
    }

    /// Whether a permission that this owner of the session does not know was one of an owner before it.
    pub(super) async fn was_answered_before(&self, id: &PermissionId) -> Result<bool, StoreError> {
        if self.core.knows_permission(id) {
            return Ok(false);
        }
        let session = &self.core.record().session_id;
        Ok(self.parts.journal.permission(session, id).await?.is_some())
    }

    /// The answer to a send that was sent before.
    pub(super) async fn sent_before(
        &self,
        send: &SendCommand,
    ) -> Result<Option<SessionSent>, StoreError> {
        match &send.client_message_id {
            Some(id) => self.parts.journal.sent(&self.core.record().session_id, id).await,
            None => Ok(None),
        }
    }

    async fn journalled_item(
        &self,
        upsert: &UpsertObject,
    ) -> Result<Option<Arc<UpsertObject>>, StoreError> {
        self.parts.journal.item(&self.core.record().session_id, &upsert.item_id).await
    }
}
