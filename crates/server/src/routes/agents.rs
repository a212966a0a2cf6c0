//! Agents that can be chosen.

use axum::Json;
use axum::extract::State;
use contract::AgentInfo;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::error::ApiError;
use crate::openapi::{ApiRoutes, about, of_journal};
use crate::state::AppState;
use crate::url_query::UrlQuery;

pub(super) fn routes() -> ApiRoutes {
    ApiRoutes::of("agents").get(
        "/api/agents",
        list,
        about("listAgents", "Every agent of the settings, and whether it can be run")
            .refuses(of_journal()),
    )
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    /// Look anew, instead of telling what was found within the last minute.
    #[serde(default)]
    refresh: bool,
}

async fn list(
    State(state): State<AppState>,
    UrlQuery(query): UrlQuery<ListQuery>,
) -> Result<Json<Vec<AgentInfo>>, ApiError> {
    Ok(Json(state.service.agents(query.refresh).await?))
}
