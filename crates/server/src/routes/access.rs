//! Giving access to others, and taking it back: for the command line only, by the socket in the data directory.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::NoContent;
use axum::{Extension, Json};
use contract::ErrorCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::audit::{Note, Notes};
use crate::error::ApiError;
use crate::json_body::JsonBody;
use crate::openapi::{ApiRoutes, Created, Refusal, about};
use crate::state::AppState;

/// A link that logs one browser in.
#[derive(Serialize, Deserialize, JsonSchema)]
pub struct LoginLink {
    pub url: String,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateToken {
    pub name: String,
}

/// Shown this once.
#[derive(Serialize, Deserialize, JsonSchema)]
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

pub(super) fn routes() -> ApiRoutes {
    ApiRoutes::of("access")
        .post(
            "/api/login-link",
            login_link,
            about("createLoginLink", "Makes a link that logs one browser in")
                .refuses([Refusal::NOT_FOUND]),
        )
        .post(
            "/api/tokens",
            create_token,
            about("createToken", "Makes a token that lasts until all credentials are ended")
                .refuses([Refusal::STORE_UNAVAILABLE])
                .refuses([Refusal(StatusCode::CONFLICT, ErrorCode::INVALID_REQUEST)]),
        )
        .post(
            "/api/tokens/rotate",
            rotate,
            about("rotateCredentials", "Ends every credential there is")
                .refuses([Refusal::STORE_UNAVAILABLE]),
        )
        .by_local_socket()
}

async fn login_link(State(state): State<AppState>) -> Result<Json<LoginLink>, ApiError> {
    let page = state.page.ok_or_else(ApiError::not_found)?;
    let code = state.credentials.login_code().map_err(|error| ApiError::internal(&error))?;
    Ok(Json(LoginLink { url: format!("{page}#login={}", code.reveal()) }))
}

async fn create_token(
    State(state): State<AppState>,
    Extension(notes): Extension<Notes>,
    JsonBody(request): JsonBody<CreateToken>,
) -> Result<Created<TokenCreated>, ApiError> {
    notes.add(Note::Subject(request.name.clone()));
    let name = request.name.clone();
    let credentials = state.credentials;
    let made = tokio::task::spawn_blocking(move || credentials.create_token(&name));
    let token = made.await.map_err(|error| ApiError::internal(&error))??;
    Ok(Created(TokenCreated { name: request.name, token: token.reveal().to_owned() }))
}

async fn rotate(State(state): State<AppState>) -> Result<NoContent, ApiError> {
    let credentials = state.credentials;
    let rotated = tokio::task::spawn_blocking(move || credentials.rotate());
    rotated.await.map_err(|error| ApiError::internal(&error))??;
    tracing::info!(target: "security", "all credentials were ended");
    Ok(NoContent)
}
