//! Whether the server is there and takes work.

use axum::extract::State;

use crate::error::ApiError;
use crate::openapi::{ApiRoutes, about, of_journal};
use crate::state::AppState;

pub(super) fn public_routes() -> ApiRoutes {
    let summary = about("health", "Whether the server is there");
    ApiRoutes::of("operating").get("/healthz", healthy, summary)
}

pub(super) fn private_routes() -> ApiRoutes {
    let summary = about("readiness", "Whether the server takes work");
    let summary = summary.refuses(of_journal());
    ApiRoutes::of("operating").get("/readyz", ready, summary)
}

async fn healthy() -> &'static str {
    "ok\n"
}

async fn ready(State(state): State<AppState>) -> Result<&'static str, ApiError> {
    if state.stop.is_cancelled() || state.drain.has_begun() {
        return Err(ApiError::draining(state.drain.left()));
    }
    // Nothing that is asked for is done before it is kept.
    state.service.check_journal().await?;
    Ok("ok\n")
}
