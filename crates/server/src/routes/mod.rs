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
mod openapi;
mod permissions;
mod projects;
mod queue;
mod sessions;

use std::sync::Arc;

use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::any;
use axum::{Extension, Router};

use crate::error::ApiError;
use crate::openapi::{ApiRoutes, Document};
use crate::state::AppState;
use crate::{assets, guard, panics, socket};

pub(crate) fn router(state: AppState) -> Router {
    let (described, operations) = described(&state).into_parts();
    let routes = Router::new()
        .merge(described)
        .merge(unknown(&state))
        // The page and its files are the login page, so they need no credential.
        .fallback(assets::serve)
        .layer(Extension(Arc::new(Document::of(operations))))
        .layer(from_fn(panics::answer))
        .layer(from_fn_with_state(state.clone(), guard::check_draining))
        .layer(from_fn_with_state(state.clone(), guard::check_origin))
        .layer(from_fn_with_state(state.clone(), guard::check_host))
        .layer(from_fn_with_state(state.clone(), metrics::count_errors))
        .with_state(state);
    // Routes add by themselves, to whatever is answered, which methods they have. So this stands around them.
    Router::new().fallback_service(routes).layer(from_fn(guard::hide_methods))
}

/// Everything there is to ask for.
fn described(state: &AppState) -> ApiRoutes {
    let private = sessions::routes()
        .merge(adjustments::routes())
        .merge(metadata::routes())
        .merge(export::routes())
        .merge(queue::routes())
        .merge(permissions::routes())
        .merge(agents::routes())
        .merge(projects::routes())
        .merge(finding::routes())
        .merge(events::routes())
        .merge(socket::routes())
        .merge(login::private_routes())
        .merge(access::routes())
        .merge(health::private_routes())
        .merge(metrics::routes())
        .merge(openapi::routes())
        .with_credential(state);
    private.merge(login::public_routes()).merge(health::public_routes()).and_no_other_methods()
}

/// Strangers learn nothing of what there is.
#[expect(clippy::disallowed_methods, reason = "what is not there is not described")]
fn unknown(state: &AppState) -> Router<AppState> {
    Router::new()
        .route("/api/{*rest}", any(|| async { ApiError::not_found() }))
        .route_layer(from_fn_with_state(state.clone(), guard::check_credential))
}
