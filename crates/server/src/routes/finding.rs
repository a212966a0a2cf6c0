//! Finding things: items by their words, and files of a session's project by their names.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::routing::get;
use axum::{Json, Router};
use contract::{FileCompletions, SearchResults, SessionId};
use serde::Deserialize;

use crate::error::ApiError;
use crate::query::read_query;
use crate::state::AppState;
use crate::url_path::UrlPath;

/// Hits of a search.
const HITS: usize = 50;

pub(super) fn router() -> Router<AppState> {
    Router::new()
        .route("/api/search", get(search))
        .route("/api/session/{session}/files", get(files))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    q: String,
}

async fn search(
    State(state): State<AppState>,
    query: Result<Query<Written>, QueryRejection>,
) -> Result<Json<SearchResults>, ApiError> {
    Ok(Json(state.service.search(&read_query(query)?.q, HITS).await?))
}

async fn files(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
    query: Result<Query<Written>, QueryRejection>,
) -> Result<Json<FileCompletions>, ApiError> {
    Ok(Json(state.service.files(&session, &read_query(query)?.q).await?))
}
