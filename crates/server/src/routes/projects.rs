//! Projects.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::routing::{delete, get};
use axum::{Json, Router};
use contract::{
    AddProjectRequest, DirectoryCompletions, ImportableSessions, Project, ProjectId, ProjectRemoved,
};
use serde::Deserialize;

use crate::error::ApiError;
use crate::json_body::JsonBody;
use crate::query::read_query;
use crate::state::AppState;
use crate::url_path::UrlPath;

pub(super) fn router() -> Router<AppState> {
    Router::new()
        .route("/api/projects", get(list).post(add))
        .route("/api/projects/{project}", delete(remove))
        .route("/api/projects/{project}/importable", get(importable))
        .route("/api/fs/dirs", get(directories))
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

async fn remove(
    State(state): State<AppState>,
    UrlPath(project): UrlPath<ProjectId>,
) -> Result<Json<ProjectRemoved>, ApiError> {
    state.service.remove_project(&project, None).await?;
    Ok(Json(ProjectRemoved { removed: true }))
}

async fn importable(
    State(state): State<AppState>,
    UrlPath(project): UrlPath<ProjectId>,
) -> Result<Json<ImportableSessions>, ApiError> {
    Ok(Json(ImportableSessions { sessions: state.service.importable(&project).await? }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DirectoriesQuery {
    #[serde(default)]
    prefix: String,
}

async fn directories(
    State(state): State<AppState>,
    query: Result<Query<DirectoriesQuery>, QueryRejection>,
) -> Result<Json<DirectoryCompletions>, ApiError> {
    Ok(Json(state.service.directories(&read_query(query)?.prefix).await))
}
