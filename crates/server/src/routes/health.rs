//! Whether the server is there and takes work.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;

use crate::state::AppState;

pub(super) fn public_router() -> Router<AppState> {
    Router::new().route("/healthz", get(|| async { "ok\n" }))
}

pub(super) fn private_router() -> Router<AppState> {
    Router::new().route("/readyz", get(ready))
}

async fn ready(State(state): State<AppState>) -> (StatusCode, &'static str) {
    if state.stop.is_cancelled() || state.drain.has_begun() {
        (StatusCode::SERVICE_UNAVAILABLE, "stopping\n")
    } else {
        (StatusCode::OK, "ok\n")
    }
}
