//! Permission requests of all sessions.

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use contract::{PermissionAnswer, PermissionAnswered, PermissionId, PermissionRequest, SessionId};

use crate::audit::{Note, decision};
use crate::error::ApiError;
use crate::json_body::JsonBody;
use crate::state::AppState;
use crate::url_path::UrlPath;

pub(super) fn router() -> Router<AppState> {
    Router::new()
        .route("/api/permissions", get(list))
        .route("/api/session/{session}/permission/{permission}", post(answer))
}

async fn list(State(state): State<AppState>) -> Json<Vec<PermissionRequest>> {
    Json(state.service.permissions())
}

async fn answer(
    State(state): State<AppState>,
    UrlPath((session, permission)): UrlPath<(SessionId, PermissionId)>,
    JsonBody(answer): JsonBody<PermissionAnswer>,
) -> Result<(Extension<Note>, Json<PermissionAnswered>), ApiError> {
    let note = Note::Decision(decision(&answer));
    Ok((Extension(note), Json(state.service.answer(&session, permission, answer).await?)))
}
