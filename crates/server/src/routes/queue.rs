//! Turns that wait.

use axum::extract::State;
use axum::routing::{get, patch, post};
use axum::{Json, Router};
use contract::{QueuePatch, QueueRemoved, QueuedTurn, SessionId, TurnId};

use crate::error::ApiError;
use crate::json_body::JsonBody;
use crate::state::AppState;
use crate::url_path::UrlPath;

pub(super) fn router() -> Router<AppState> {
    Router::new()
        .route("/api/session/{session}/queue", get(list))
        .route("/api/session/{session}/queue/resume", post(resume))
        .route("/api/session/{session}/queue/{turn}", patch(change).delete(remove))
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
