//! Agents that can be chosen.

use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::routing::get;
use axum::{Json, Router};
use contract::AgentInfo;
use serde::Deserialize;

use crate::error::ApiError;
use crate::query::read_query;
use crate::state::AppState;

pub(super) fn router() -> Router<AppState> {
    Router::new().route("/api/agents", get(list))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListQuery {
    #[serde(default)]
    refresh: bool,
}

async fn list(
    State(state): State<AppState>,
    query: Result<Query<ListQuery>, QueryRejection>,
) -> Result<Json<Vec<AgentInfo>>, ApiError> {
    Ok(Json(state.service.agents(read_query(query)?.refresh).await?))
}
