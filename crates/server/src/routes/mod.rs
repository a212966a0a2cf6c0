//! The routes. Each module offers those of its noun.

pub(crate) mod access;
mod adjustments;
mod agents;
mod events;
mod export;
mod finding;
mod health;
mod lines;
mod login;
mod markdown;
mod metadata;
mod metrics;
mod permissions;
mod projects;
mod queue;
mod sessions;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::get;

use crate::error::ApiError;
use crate::state::AppState;
use crate::{assets, guard, socket};

pub(crate) fn router(state: AppState) -> Router {
    let private = Router::new()
        .merge(sessions::router())
        .merge(adjustments::router())
        .merge(agents::router())
        .merge(events::router())
        .merge(export::router())
        .merge(finding::router())
        .merge(metadata::router())
        .merge(permissions::router())
        .merge(queue::router())
        .merge(projects::router())
        .merge(login::private_router())
        .merge(access::router())
        .merge(health::private_router())
        .merge(metrics::router())
        .route("/ws", get(socket::upgrade))
        .route("/api/{*rest}", axum::routing::any(|| async { ApiError::not_found() }))
        .route_layer(from_fn_with_state(state.clone(), guard::check_credential));
    Router::new()
        .merge(private)
        .merge(login::public_router())
        .merge(health::public_router())
        .method_not_allowed_fallback(|| async { ApiError::method_not_allowed() })
        // The page and its files are the login page, so they need no credential.
        .fallback(assets::serve)
        .layer(from_fn_with_state(state.clone(), guard::check_draining))
        .layer(from_fn_with_state(state.clone(), guard::check_origin))
        .layer(from_fn_with_state(state.clone(), guard::check_host))
        .layer(from_fn_with_state(state.clone(), metrics::count_errors))
        .with_state(state)
}
