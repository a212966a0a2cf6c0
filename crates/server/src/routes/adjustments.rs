//! What a session's agent can be set to.

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use contract::{ModeRequest, ModelRequest, SessionId, SessionOptions, TaskId, TaskStopped};

use crate::error::ApiError;
use crate::json_body::JsonBody;
use crate::state::AppState;
use crate::url_path::UrlPath;

pub(super) fn router() -> Router<AppState> {
    Router::new()
        .route("/api/session/{session}/options", get(options))
        .route("/api/session/{session}/mode", post(set_mode))
        .route("/api/session/{session}/model", post(set_model))
        .route("/api/session/{session}/task/{task}/stop", post(stop_task))
}

async fn options(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
) -> Result<Json<SessionOptions>, ApiError> {
    Ok(Json(state.service.options(&session).await?))
}

async fn set_mode(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
    JsonBody(request): JsonBody<ModeRequest>,
) -> Result<Json<SessionOptions>, ApiError> {
    state.service.set_mode(&session, request.mode_id).await?;
    Ok(Json(state.service.options(&session).await?))
}

async fn set_model(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
    JsonBody(request): JsonBody<ModelRequest>,
) -> Result<Json<SessionOptions>, ApiError> {
    state.service.set_model(&session, request.model_id).await?;
    Ok(Json(state.service.options(&session).await?))
}

async fn stop_task(
    State(state): State<AppState>,
    UrlPath((session, task)): UrlPath<(SessionId, TaskId)>,
) -> Result<Json<TaskStopped>, ApiError> {
    Ok(Json(state.service.stop_task(&session, task).await?))
}
