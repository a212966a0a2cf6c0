//! Finding things: items by their words, and files of a session's project by their names.

use axum::Json;
use axum::extract::State;
use contract::{FileCompletions, SearchResults, SessionId};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ApiError;
use crate::openapi::{ApiRoutes, Refusal, about, of_session};
use crate::state::AppState;
use crate::url_path::UrlPath;
use crate::url_query::UrlQuery;

/// Hits of a search.
const HITS: usize = 50;

pub(super) fn routes() -> ApiRoutes {
    ApiRoutes::of("finding")
        .get(
            "/api/search",
            search,
            about("search", "The newest items that have ended and have all of the words")
                .refuses(of_session()),
        )
        .get(
            "/api/session/{sessionId}/files",
            files,
            about("listFiles", "Files of the session's project, by what was written of a name")
                .refuses(of_session())
                .refuses([Refusal::INVALID_PROJECT_DIR]),
        )
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Words {
    /// Words, each the beginning of one.
    q: String,
    /// Only items of this session.
    session_id: Option<SessionId>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Written {
    /// What was written of a name so far.
    #[serde(default)]
    q: String,
}

async fn search(
    State(state): State<AppState>,
    UrlQuery(query): UrlQuery<Words>,
) -> Result<Json<SearchResults>, ApiError> {
    Ok(Json(state.service.search(&query.q, query.session_id, HITS).await?))
}

async fn files(
    State(state): State<AppState>,
    UrlPath(session): UrlPath<SessionId>,
    UrlQuery(query): UrlQuery<Written>,
) -> Result<Json<FileCompletions>, ApiError> {
    Ok(Json(state.service.files(&session, &query.q).await?))
}
