//! Projects.

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use axum::{Json, Router};
use contract::{AddProjectRequest, ImportableSessions, Project, ProjectId};

use crate::error::ApiError;
use crate::json_body::JsonBody;
use crate::state::AppState;
use crate::url_path::UrlPath;

pub(super) fn router() -> Router<AppState> {
    Router::new()
        .route("/api/projects", get(list).post(add))
        .route("/api/projects/{project}/importable", get(importable))
}

async fn list(State(state): State<AppState>) -> Result<Json<Vec<Project>>, ApiError> {
    Ok(Json(state.service.projects().await?))
}

async fn add(
    State(state): State<AppState>,
    JsonBody(request): JsonBody<AddProjectRequest>,
) -> Result<(StatusCode, Json<Project>), ApiError> {
    Ok((StatusCode::CREATED, Json(state.service.add_project(&request.path).await?)))
}

async fn importable(
    State(state): State<AppState>,
    UrlPath(project): UrlPath<ProjectId>,
) -> Result<Json<ImportableSessions>, ApiError> {
    Ok(Json(ImportableSessions { sessions: state.service.importable(&project).await? }))
}
