//! The compatibility gateway: which family a connection speaks, and how each publication reads in it.
//!
//! The first negotiation holds for the life of a connection. `upsert-v1` is the one family so far: whoever asks for
//! another one, or for none, is told so by the answer to its hello.

use contract::{Family, RequestId, ServerFrame, ServerMessage, StreamProtocol};
use session::{OutboxEntry, Publication};

#[derive(Debug, Default)]
pub(super) struct CompatibilityGateway {
    selected: Option<Family>,
}

impl CompatibilityGateway {
    /// Chooses once; a second hello is told the first choice.
    pub(super) fn negotiate(&mut self, asked: Option<&StreamProtocol>) -> Family {
        *self.selected.get_or_insert(match asked {
            Some(
                StreamProtocol::UpsertV1 | StreamProtocol::UpsertV2 | StreamProtocol::Unknown(_),
            )
            | None => Family::UpsertV1,
        })
    }

    pub(super) fn has_negotiated(&self) -> bool {
        self.selected.is_some()
    }

    pub(super) fn encode(entry: OutboxEntry) -> String {
        let message = match entry.publication {
            Publication::Upsert(upsert) => ServerMessage::Upsert {
                session_id: upsert.session_id.clone(),
                seq: upsert.seq.unwrap_or_default(),
                payload: (*upsert).clone(),
            },
            Publication::Turn(event) => ServerMessage::Turn {
                session_id: event.session_id.clone(),
                seq: event.seq.unwrap_or_default(),
                payload: (*event).clone(),
            },
            Publication::History(history) => ServerMessage::History {
                session_id: history.session_id.clone(),
                mode: history.mode,
                resync: history.resync.then_some(true),
                page: history.page.clone(),
            },
            Publication::Plan(plan) => ServerMessage::Plan {
                session_id: plan.session_id.clone(),
                entries: plan.entries.clone(),
            },
            Publication::Status(status) => ServerMessage::Status((*status).clone()),
            Publication::PermissionRequested(request) => {
                ServerMessage::PermissionRequested((*request).clone())
            }
            Publication::PermissionResolved(request) => {
                ServerMessage::PermissionResolved((*request).clone())
            }
            Publication::Problem(problem) => ServerMessage::SessionError {
                session_id: problem.session_id.clone(),
                message: problem.message.clone(),
            },
            Publication::News(news) => super::news::message(&news),
            Publication::Created(session) => {
                ServerMessage::SessionCreated { session: (*session).clone() }
            }
        };
        encode(entry.request_id, message)
    }
}

pub(super) fn encode(request_id: Option<RequestId>, message: ServerMessage) -> String {
    serde_json::to_string(&ServerFrame { request_id, message }).unwrap_or_else(|error| {
        tracing::error!(%error, "a message could not be written");
        r#"{"type":"error","code":"INTERNAL_ERROR","message":"a message could not be written"}"#
            .to_owned()
    })
}
