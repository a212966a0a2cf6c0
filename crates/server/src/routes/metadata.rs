//! What sessions are called, and which are put away.

use axum::extract::State;
use axum::routing::post;
use axum::{Json, Router};
use contract::{SessionId, SessionListItem, TitleRequest};

use crate::error::ApiError;
use crate::json_body::JsonBody;
use crate::state::AppState;
use crate::url_path::UrlPath;

pub(super) fn router() -> Router<AppState> {
    Router::new()
        .route("/api/session/{session}/title", post(rename))
        .route("/api/session/{session}/archive", post(archive))
        .route("/api/session/{session}/unarchive", post(unarchive))
}

async fn rename(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
    JsonBody(request): JsonBody<TitleRequest>,
) -> Result<Json<SessionListItem>, ApiError> {
    Ok(Json(state.service.rename(&session, &request.title).await?))
}

async fn archive(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
) -> Result<Json<SessionListItem>, ApiError> {
    Ok(Json(state.service.archive(&session, None).await?))
}

async fn unarchive(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
) -> Result<Json<SessionListItem>, ApiError> {
    Ok(Json(state.service.unarchive(&session).await?))
}
