//! Turns that wait.

use axum::Json;
use axum::extract::State;
use contract::{QueuePatch, QueueRemoved, QueuedTurn, SessionId, TurnId};

use crate::error::ApiError;
use crate::json_body::JsonBody;
use crate::openapi::{ApiRoutes, Refusal, about, of_agent, of_session};
use crate::state::AppState;
use crate::url_path::UrlPath;

pub(super) fn routes() -> ApiRoutes {
    let of_waiting = || [Refusal::TURN_NOT_FOUND, Refusal::TURN_ALREADY_STARTED];
    ApiRoutes::of("queue")
        .get(
            "/api/session/{sessionId}/queue",
            list,
            about("listQueue", "The turns that wait, in order").refuses(of_session()),
        )
        .post(
            "/api/session/{sessionId}/queue/resume",
            resume,
            about("resumeQueue", "Wakes a queue that is paused")
                .refuses(of_session())
                .refuses(of_agent())
                .refuses([Refusal::TOO_MANY_REQUESTS, Refusal::INVALID_PROJECT_DIR]),
        )
        .patch(
            "/api/session/{sessionId}/queue/{turnId}",
            change,
            about("changeQueuedTurn", "Rewords or moves a turn that waits, or starts it next")
                .refuses(of_session())
                .refuses(of_agent())
                .refuses(of_waiting())
                .refuses([Refusal::TOO_MANY_REQUESTS, Refusal::INVALID_PROJECT_DIR]),
        )
        .delete(
            "/api/session/{sessionId}/queue/{turnId}",
            remove,
            about("removeQueuedTurn", "Takes out a turn that waits")
                .refuses(of_session())
                .refuses(of_waiting())
                .refuses([Refusal::TOO_MANY_REQUESTS]),
        )
}

async fn list(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
) -> Result<Json<Vec<QueuedTurn>>, ApiError> {
    Ok(Json(state.service.queue(&session).await?))
}

async fn change(
    State(state): State<AppState>,
    UrlPath((session, turn)): UrlPath<(SessionId, TurnId)>,
    JsonBody(patch): JsonBody<QueuePatch>,
) -> Result<Json<Vec<QueuedTurn>>, ApiError> {
    Ok(Json(state.service.change_queued(&session, turn, patch).await?))
}

async fn remove(
    State(state): State<AppState>,
    UrlPath((session, turn)): UrlPath<(SessionId, TurnId)>,
) -> Result<Json<QueueRemoved>, ApiError> {
    Ok(Json(state.service.remove_queued(&session, turn).await?))
}

async fn resume(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
) -> Result<Json<Vec<QueuedTurn>>, ApiError> {
    Ok(Json(state.service.resume_queue(&session).await?))
}
