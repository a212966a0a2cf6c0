//! How publications read in the families that tell whole items.

use contract::ServerMessage;
use session::Publication;

pub(super) fn message(publication: &Publication) -> ServerMessage {
    match publication {
        Publication::Upsert(upsert) => ServerMessage::Upsert {
            session_id: upsert.session_id.clone(),
            seq: upsert.seq.unwrap_or_default(),
            payload: (**upsert).clone(),
        },
        Publication::Turn(event) => ServerMessage::Turn {
            session_id: event.session_id.clone(),
            seq: event.seq.unwrap_or_default(),
            payload: (**event).clone(),
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
        Publication::Glance(glance) => ServerMessage::Glance((**glance).clone()),
        Publication::Status(status) => ServerMessage::Status((**status).clone()),
        Publication::PermissionRequested(request) => {
            ServerMessage::PermissionRequested((**request).clone())
        }
        Publication::PermissionResolved(request) => {
            ServerMessage::PermissionResolved((**request).clone())
        }
        Publication::Problem(problem) => ServerMessage::SessionError {
            session_id: problem.session_id.clone(),
            message: problem.message.clone(),
        },
        Publication::News(news) => super::news::message(news),
        Publication::Created(session) => {
            ServerMessage::SessionCreated { session: (**session).clone() }
        }
    }
}
