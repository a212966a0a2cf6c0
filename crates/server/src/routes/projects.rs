//! Projects.

use axum::extract::State;
use axum::{Extension, Json};
use contract::{
    AddProjectRequest, DirectoryCompletions, ImportableSessions, Project, ProjectId, ProjectRemoved,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::audit::{Note, Notes};
use crate::error::ApiError;
use crate::json_body::JsonBody;
use crate::openapi::{ApiRoutes, Created, Refusal, about, of_journal};
use crate::state::AppState;
use crate::url_path::UrlPath;
use crate::url_query::UrlQuery;

pub(super) fn routes() -> ApiRoutes {
    ApiRoutes::of("projects")
        .get("/api/projects", list, about("listProjects", "All projects").refuses(of_journal()))
        .post(
            "/api/projects",
            add,
            about("addProject", "Adds a directory; one that was removed comes back")
                .refuses(of_journal())
                .refuses([Refusal::INVALID_PATH, Refusal::DUPLICATE_PROJECT]),
        )
        .delete(
            "/api/projects/{projectId}",
            remove,
            about("removeProject", "Takes a project out of the lists and ends its agents")
                .refuses(of_journal())
                .refuses([Refusal::PROJECT_NOT_FOUND]),
        )
        .get(
            "/api/projects/{projectId}/importable",
            importable,
            about("listImportableSessions", "What agents keep of the directory and is not here")
                .refuses(of_journal())
                .refuses([Refusal::PROJECT_NOT_FOUND, Refusal::INVALID_PROJECT_DIR]),
        )
        .get(
            "/api/fs/dirs",
            directories,
            about("completeDirectory", "Directories that may be projects and begin so"),
        )
}

async fn list(State(state): State<AppState>) -> Result<Json<Vec<Project>>, ApiError> {
    Ok(Json(state.service.projects().await?))
}

async fn add(
    State(state): State<AppState>,
    Extension(notes): Extension<Notes>,
    JsonBody(request): JsonBody<AddProjectRequest>,
) -> Result<Created<Project>, ApiError> {
    notes.add(Note::Subject(request.path.clone()));
    Ok(Created(state.service.add_project(&request.path).await?))
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

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DirectoriesQuery {
    /// What was written of a path so far.
    #[serde(default)]
    prefix: String,
}

async fn directories(
    State(state): State<AppState>,
    UrlQuery(query): UrlQuery<DirectoriesQuery>,
) -> Result<Json<DirectoryCompletions>, ApiError> {
    Ok(Json(state.service.directories(&query.prefix).await))
}
