//! Errors meet HTTP here, and only here: a stable code for the reader, the cause for the log.

use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::{Extension, Json};
use contract::{ErrorBody, ErrorCode, ProjectId};
use session::ServiceError;
use session::provider::ProviderErrorCode;

use crate::credentials::{CredentialsError, Refused};

/// When a place may be free again; nobody can know.
const SOON: Duration = Duration::from_secs(5);

/// What goes wrong at the edge itself, or below it.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    code: ErrorCode,
    message: String,
    /// When to try again, if that may help.
    retry_after: Option<Duration>,
    /// The project that is there already.
    project_id: Option<ProjectId>,
}

impl ApiError {
    fn new(status: StatusCode, code: ErrorCode, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), retry_after: None, project_id: None }
    }

    fn or_later(self, retry_after: Option<Duration>) -> Self {
        let Some(retry_after) = retry_after else { return self };
        let message = "too many wrong credentials; try again later";
        let (status, code) = (StatusCode::TOO_MANY_REQUESTS, ErrorCode::TOO_MANY_REQUESTS);
        Self { retry_after: Some(retry_after), ..Self::new(status, code, message) }
    }

    pub(crate) fn unauthorized(refused: Refused) -> Self {
        let message =
            "a valid credential is needed: the header `Authorization: Bearer TOKEN`, or a login";
        Self::new(StatusCode::UNAUTHORIZED, ErrorCode::UNAUTHORIZED, message)
            .or_later(refused.retry_after)
    }

    pub(crate) fn wrong_login_code(refused: Refused) -> Self {
        let message = "the login code is wrong, too old, or was used already";
        Self::new(StatusCode::UNAUTHORIZED, ErrorCode::UNAUTHORIZED, message)
            .or_later(refused.retry_after)
    }

    pub(crate) fn forbidden_peer() -> Self {
        let message = "processes that an agent started may not use the server's own socket";
        Self::new(StatusCode::FORBIDDEN, ErrorCode::FORBIDDEN_PEER, message)
    }

    pub(crate) fn only_local() -> Self {
        let message = "this is for the command line only: see `liminal open` and `liminal token`";
        Self::new(StatusCode::FORBIDDEN, ErrorCode::FORBIDDEN_PEER, message)
    }

    pub(crate) fn draining(left: Duration) -> Self {
        let message = "the server is stopping and takes nothing new";
        let error = Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::SHUTTING_DOWN, message);
        Self { retry_after: Some(left), ..error }
    }

    /// The cause is for the log only.
    pub(crate) fn internal(error: &dyn std::error::Error) -> Self {
        tracing::error!(error = %Chain(error), "request failed");
        let message = "something went wrong here; the log says what";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, ErrorCode::INTERNAL_ERROR, message)
    }

    pub(crate) fn forbidden_host() -> Self {
        let message = "this server is addressed by its loopback name only";
        Self::new(StatusCode::FORBIDDEN, ErrorCode::FORBIDDEN_HOST, message)
    }

    pub(crate) fn forbidden_origin() -> Self {
        let message = "requests from other pages are refused";
        Self::new(StatusCode::FORBIDDEN, ErrorCode::FORBIDDEN_ORIGIN, message)
    }

    pub(crate) fn cookie_without_origin() -> Self {
        let message = "with the login cookie a request must come from our own page; use the token in a script";
        Self::new(StatusCode::FORBIDDEN, ErrorCode::FORBIDDEN_ORIGIN, message)
    }

    pub(crate) fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, ErrorCode::INVALID_REQUEST, message)
    }

    pub(crate) fn project_id_required() -> Self {
        Self::new(StatusCode::BAD_REQUEST, ErrorCode::PROJECT_ID_REQUIRED, "projectId is required")
    }

    pub(crate) fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, ErrorCode::NOT_FOUND, "there is nothing here")
    }

    pub(crate) fn method_not_allowed() -> Self {
        Self::new(
            StatusCode::METHOD_NOT_ALLOWED,
            ErrorCode::METHOD_NOT_ALLOWED,
            "this cannot be done here",
        )
    }

    pub(crate) fn too_large(message: impl Into<String>) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, ErrorCode::PAYLOAD_TOO_LARGE, message)
    }

    pub(crate) fn body(&self) -> ErrorBody {
        ErrorBody {
            code: self.code.clone(),
            message: self.message.clone(),
            project_id: self.project_id.clone(),
        }
    }
}

impl From<CredentialsError> for ApiError {
    fn from(error: CredentialsError) -> Self {
        match &error {
            CredentialsError::NameTaken(_) => {
                Self::new(StatusCode::CONFLICT, ErrorCode::INVALID_REQUEST, error.to_string())
            }
            CredentialsError::TooMany(_) => {
                let (status, code) = (StatusCode::TOO_MANY_REQUESTS, ErrorCode::TOO_MANY_REQUESTS);
                Self { retry_after: Some(SOON), ..Self::new(status, code, error.to_string()) }
            }
            CredentialsError::BadName(_) => Self::invalid_request(error.to_string()),
            CredentialsError::File { .. }
            | CredentialsError::Broken { .. }
            | CredentialsError::Random(_) => {
                tracing::error!(error = %Chain(&error), "credentials cannot be kept");
                let message = "credentials cannot be kept; the log says why";
                Self::new(StatusCode::SERVICE_UNAVAILABLE, ErrorCode::STORE_UNAVAILABLE, message)
            }
        }
    }
}

impl From<ServiceError> for ApiError {
    fn from(error: ServiceError) -> Self {
        let status = status_of(&error);
        if status.is_server_error() {
            log_failure(&error);
        }
        let retry_after = (status == StatusCode::TOO_MANY_REQUESTS).then_some(SOON);
        let project_id = error.duplicate();
        Self { retry_after, project_id, ..Self::new(status, error.code(), error.to_string()) }
    }
}

/// What agents write to their standard error is part of their failures, and of no log that is kept by default.
fn log_failure(error: &ServiceError) {
    let code = error.code();
    if let ServiceError::Provider(_) = error {
        tracing::warn!(%code, "an agent failed");
        tracing::debug!(%code, error = %Chain(error), "what it said");
    } else {
        tracing::warn!(%code, error = %Chain(error), "request failed");
    }
}

fn status_of(error: &ServiceError) -> StatusCode {
    match error {
        ServiceError::UnknownSession(_)
        | ServiceError::UnknownProject(_)
        | ServiceError::UnknownItem(_)
        | ServiceError::UnknownTask(_)
        | ServiceError::UnknownTurn(_)
        | ServiceError::UnknownPermission(_) => StatusCode::NOT_FOUND,
        ServiceError::UnsupportedCliType(_)
        | ServiceError::AgentNotConfigured(_)
        | ServiceError::InvalidRequest(_)
        | ServiceError::InvalidProjectDir(_)
        | ServiceError::InvalidPath(_)
        | ServiceError::NotSupported(_) => StatusCode::BAD_REQUEST,
        ServiceError::ModeForbidden(_) => StatusCode::FORBIDDEN,
        ServiceError::DuplicateProject(_)
        | ServiceError::TurnStarted(_)
        | ServiceError::AlreadyAnswered(_) => StatusCode::CONFLICT,
        ServiceError::QueueFull(_) | ServiceError::TooManySessions(_) => {
            StatusCode::TOO_MANY_REQUESTS
        }
        ServiceError::SessionFull(_) => StatusCode::PAYLOAD_TOO_LARGE,
        ServiceError::InterruptFailed => StatusCode::BAD_GATEWAY,
        ServiceError::ShuttingDown | ServiceError::Store(_) => StatusCode::SERVICE_UNAVAILABLE,
        ServiceError::Provider(error) => match error.code() {
            ProviderErrorCode::NotSupported => StatusCode::BAD_REQUEST,
            ProviderErrorCode::SessionNotFound => StatusCode::NOT_FOUND,
            ProviderErrorCode::TooManyAgents => StatusCode::TOO_MANY_REQUESTS,
            ProviderErrorCode::ModeForbidden => StatusCode::FORBIDDEN,
            ProviderErrorCode::UnsupportedCliType
            | ProviderErrorCode::InvalidProjectDir
            | ProviderErrorCode::InvalidStreamEvent => StatusCode::BAD_REQUEST,
            ProviderErrorCode::ProcessCrash
            | ProviderErrorCode::ProtocolError
            | ProviderErrorCode::InterruptFailed
            | ProviderErrorCode::SessionCreateFailed => StatusCode::BAD_GATEWAY,
        },
    }
}

/// An error with all its causes, for the log. One that was told with what it caused is not told again.
struct Chain<'a>(&'a dyn std::error::Error);

impl std::fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut told = self.0.to_string();
        let mut cause = self.0.source();
        while let Some(error) = cause {
            let words = error.to_string();
            if !told.contains(&words) {
                told = format!("{told}: {words}");
            }
            cause = error.source();
        }
        f.write_str(&told)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let body = Json(self.body());
        let mut response = (self.status, Extension(self.code), body).into_response();
        if let Some(retry_after) = self.retry_after {
            // Whole seconds, and not too early.
            let seconds = retry_after.as_millis().div_ceil(1000).max(1).to_string();
            if let Ok(seconds) = HeaderValue::from_str(&seconds) {
                response.headers_mut().insert(header::RETRY_AFTER, seconds);
            }
        }
        response
    }
}

impl From<ApiError> for Response {
    fn from(error: ApiError) -> Self {
        error.into_response()
    }
}

#[cfg(test)]
mod tests {
    use session::Secrets;
    use session::provider::ProviderError;

    use super::*;

    #[test]
    fn the_log_tells_each_cause_once() {
        let caused_by = |cause: &str| {
            let code = ProviderErrorCode::SessionCreateFailed;
            let error = ProviderError::new(code, "it exited with code 1");
            let error = error.caused_by(cause.to_owned()).without(&Secrets::default());
            Chain(&ServiceError::Provider(error)).to_string()
        };
        let once = "the agent failed: it exited with code 1";
        assert_eq!(caused_by("it exited with code 1"), once);
        assert_eq!(caused_by("no such file"), format!("{once}: no such file"));
    }
}
