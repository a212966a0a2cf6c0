//! Giving access to others, and taking it back: for the command line only, by the socket in the data directory.

use axum::extract::State;
use axum::http::StatusCode;
use axum::middleware::from_fn;
use axum::routing::post;
use axum::{Json, Router};
use serde::{Deserialize, Serialize};

use crate::error::ApiError;
use crate::guard;
use crate::json_body::JsonBody;
use crate::state::AppState;

/// A link that logs one browser in.
#[derive(Serialize, Deserialize)]
pub struct LoginLink {
    pub url: String,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateToken {
    pub name: String,
}

/// Shown this once.
#[derive(Serialize, Deserialize)]
pub struct TokenCreated {
    pub name: String,
    pub token: String,
}

impl std::fmt::Debug for LoginLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("LoginLink { url: <hidden> }")
    }
}

impl std::fmt::Debug for TokenCreated {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TokenCreated { token: <hidden> }")
    }
}

pub(super) fn router() -> Router<AppState> {
    Router::new()
        .route("/api/login-link", post(login_link))
        .route("/api/tokens", post(create_token))
        .route("/api/tokens/rotate", post(rotate))
        .route_layer(from_fn(guard::check_local))
}

async fn login_link(State(state): State<AppState>) -> Result<Json<LoginLink>, ApiError> {
    let page = state.page.ok_or_else(ApiError::not_found)?;
    let code = state.credentials.login_code().map_err(|error| ApiError::internal(&error))?;
    Ok(Json(LoginLink { url: format!("{page}#login={}", code.reveal()) }))
}

async fn create_token(
    State(state): State<AppState>,
    JsonBody(request): JsonBody<CreateToken>,
) -> Result<(StatusCode, Json<TokenCreated>), ApiError> {
    let name = request.name.clone();
    let credentials = state.credentials;
    let made = tokio::task::spawn_blocking(move || credentials.create_token(&name));
    let token = made.await.map_err(|error| ApiError::internal(&error))??;
    let created = TokenCreated { name: request.name, token: token.reveal().to_owned() };
    Ok((StatusCode::CREATED, Json(created)))
}

async fn rotate(State(state): State<AppState>) -> Result<StatusCode, ApiError> {
    let credentials = state.credentials;
    let rotated = tokio::task::spawn_blocking(move || credentials.rotate());
    rotated.await.map_err(|error| ApiError::internal(&error))??;
    tracing::info!(target: "security", "all credentials were ended");
    Ok(StatusCode::NO_CONTENT)
}
