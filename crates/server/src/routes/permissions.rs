//! Permission requests of all sessions.

use axum::Json;
use axum::extract::State;
use contract::{PermissionAnswer, PermissionAnswered, PermissionId, PermissionRequest, SessionId};

use crate::audit::{Note, decision};
use crate::error::ApiError;
use crate::json_body::JsonBody;
use crate::openapi::{ApiRoutes, Noted, Refusal, about, of_agent, of_session};
use crate::state::AppState;
use crate::url_path::UrlPath;

pub(super) fn routes() -> ApiRoutes {
    ApiRoutes::of("permissions")
        .get(
            "/api/permissions",
            list,
            about("listPermissions", "Every permission that waits, the oldest first"),
        )
        .post(
            "/api/session/{sessionId}/permission/{permissionId}",
            answer,
            about("answerPermission", "Answers what an agent asks, once")
                .refuses(of_session())
                .refuses(of_agent())
                .refuses([Refusal::PERMISSION_NOT_FOUND, Refusal::PERMISSION_ALREADY_ANSWERED]),
        )
}

async fn list(State(state): State<AppState>) -> Json<Vec<PermissionRequest>> {
    Json(state.service.permissions())
}

async fn answer(
    State(state): State<AppState>,
    UrlPath((session, permission)): UrlPath<(SessionId, PermissionId)>,
    JsonBody(answer): JsonBody<PermissionAnswer>,
) -> Result<Noted<Json<PermissionAnswered>>, ApiError> {
    let note = Note::Decision(decision(&answer));
    Ok(Noted(note, Json(state.service.answer(&session, permission, answer).await?)))
}
