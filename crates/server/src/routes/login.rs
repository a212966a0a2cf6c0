//! Logging in with a one-time code, and out again.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::NoContent;
use axum::{Extension, Json};
use contract::{LoggedIn, LoginRequest};

use crate::audit::{Caller, Change};
use crate::credentials::Login;
use crate::error::ApiError;
use crate::guard;
use crate::json_body::JsonBody;
use crate::openapi::{ApiRoutes, Refusal, WithCookie, about};
use crate::serving::Peer;
use crate::state::AppState;

/// What a stranger may make us hold.
const LOGIN_LIMIT: usize = 1024;

pub(super) fn public_routes() -> ApiRoutes {
    ApiRoutes::of("access").post(
        "/api/login",
        log_in,
        about("logIn", "Turns a login code into a cookie and the key of a page")
            .refuses([Refusal::UNAUTHORIZED, Refusal::TOO_MANY_REQUESTS]),
    )
}

pub(super) fn private_routes() -> ApiRoutes {
    ApiRoutes::of("access").post(
        "/api/logout",
        log_out,
        about("logOut", "Ends the login of this browser, and what it had open")
            .refuses([Refusal::STORE_UNAVAILABLE]),
    )
}

async fn log_in(
    State(state): State<AppState>,
    Extension(peer): Extension<Peer>,
    JsonBody(request): JsonBody<LoginRequest, LOGIN_LIMIT>,
) -> Result<WithCookie<Json<LoggedIn>>, ApiError> {
    let credentials = state.credentials.clone();
    let login = tokio::task::spawn_blocking(move || credentials.log_in(&request.code));
    let login = login.await.map_err(|error| ApiError::internal(&error))?;
    let Login { cookie, page_key, grant } = login.map_err(ApiError::wrong_login_code)?;
    peer.admit();
    let change = Change { action: "POST /api/login".into(), ..Change::default() };
    state.audit.begin(&Caller::new(&grant, &peer), change).end(None);
    let cookie = set_cookie(&state, cookie.reveal(), "Max-Age=31536000");
    Ok(WithCookie(cookie, Json(LoggedIn { page_key: page_key.reveal().to_owned() })))
}

/// What this browser had opened ends with it.
async fn log_out(
    State(state): State<AppState>,
    headers: HeaderMap,
) -> Result<WithCookie<NoContent>, ApiError> {
    let cookies: Vec<String> =
        guard::cookies(&headers, state.hosts.cookie_name()).map(str::to_owned).collect();
    let credentials = state.credentials.clone();
    let logout = tokio::task::spawn_blocking(move || {
        cookies.iter().try_for_each(|cookie| credentials.log_out(cookie))
    });
    logout.await.map_err(|error| ApiError::internal(&error))??;
    Ok(WithCookie(set_cookie(&state, "", "Max-Age=0"), NoContent))
}

/// Out of reach of scripts, and of requests that other sites cause.
fn set_cookie(state: &AppState, value: &str, age: &str) -> String {
    let name = state.hosts.cookie_name();
    format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; {age}")
}
