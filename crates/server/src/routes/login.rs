//! Logging in with a one-time code, and out again.

use axum::extract::State;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::post;
use axum::{Extension, Json, Router};
use contract::{LoggedIn, LoginRequest};

use crate::audit::{Caller, Change};
use crate::credentials::Login;
use crate::error::ApiError;
use crate::guard;
use crate::json_body::JsonBody;
use crate::serving::Peer;
use crate::state::AppState;

/// What a stranger may make us hold.
const LOGIN_LIMIT: usize = 1024;

pub(super) fn public_router() -> Router<AppState> {
    Router::new().route("/api/login", post(log_in))
}

pub(super) fn private_router() -> Router<AppState> {
    Router::new().route("/api/logout", post(log_out))
}

async fn log_in(
    State(state): State<AppState>,
    Extension(peer): Extension<Peer>,
    JsonBody(request): JsonBody<LoginRequest, LOGIN_LIMIT>,
) -> Result<impl IntoResponse, ApiError> {
    let credentials = state.credentials.clone();
    let login = tokio::task::spawn_blocking(move || credentials.log_in(&request.code));
    let login = login.await.map_err(|error| ApiError::internal(&error))?;
    let Login { cookie, page_key, grant } = login.map_err(ApiError::wrong_login_code)?;
    peer.admit();
    let change = Change { action: "POST /api/login".into(), ..Change::default() };
    state.audit.begin(&Caller::new(&grant, &peer), change).end(None);
    let cookie = set_cookie(&state, cookie.reveal(), "Max-Age=31536000");
    Ok((cookie, Json(LoggedIn { page_key: page_key.reveal().to_owned() })))
}

/// What this browser had opened ends with it.
async fn log_out(
    State(state): State<AppState>,
    headers: HeaderMap,
) -> Result<impl IntoResponse, ApiError> {
    let cookies: Vec<String> =
        guard::cookies(&headers, state.hosts.cookie_name()).map(str::to_owned).collect();
    let credentials = state.credentials.clone();
    let logout = tokio::task::spawn_blocking(move || {
        cookies.iter().try_for_each(|cookie| credentials.log_out(cookie))
    });
    logout.await.map_err(|error| ApiError::internal(&error))??;
    Ok((StatusCode::NO_CONTENT, set_cookie(&state, "", "Max-Age=0")))
}

/// Out of reach of scripts, and of requests that other sites cause.
fn set_cookie(state: &AppState, value: &str, age: &str) -> [(HeaderName, String); 1] {
    let name = state.hosts.cookie_name();
    let cookie = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; {age}");
    [(header::SET_COOKIE, cookie)]
}
