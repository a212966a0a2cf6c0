//! Errors meet HTTP here, and only here: a stable code for the reader, the cause for the log.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use contract::{ErrorBody, ErrorCode};
use session::ServiceError;
use session::provider::ProviderErrorCode;

/// What goes wrong at the edge itself, or below it.
#[derive(Debug)]
pub(crate) struct ApiError {
    status: StatusCode,
    code: ErrorCode,
    message: String,
}

impl ApiError {
    fn new(status: StatusCode, code: ErrorCode, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into() }
    }

    pub(crate) fn unauthorized() -> Self {
        let message =
            "a valid credential is needed: the header `Authorization: Bearer TOKEN`, or a login";
        Self::new(StatusCode::UNAUTHORIZED, ErrorCode::UNAUTHORIZED, message)
    }

    pub(crate) fn wrong_login_code() -> Self {
        let message = "the login code is wrong, too old, or was used already";
        Self::new(StatusCode::UNAUTHORIZED, ErrorCode::UNAUTHORIZED, message)
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
        ErrorBody { code: self.code.clone(), message: self.message.clone() }
    }
}

impl From<ServiceError> for ApiError {
    fn from(error: ServiceError) -> Self {
        let status = status_of(&error);
        if status.is_server_error() {
            tracing::warn!(error = %Chain(&error), code = %error.code(), "request failed");
        }
        Self::new(status, error.code(), error.to_string())
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
        ServiceError::DuplicateProject(_)
        | ServiceError::TurnStarted(_)
        | ServiceError::AlreadyAnswered(_) => StatusCode::CONFLICT,
        ServiceError::QueueFull(_) => StatusCode::TOO_MANY_REQUESTS,
        ServiceError::InterruptFailed => StatusCode::BAD_GATEWAY,
        ServiceError::ShuttingDown | ServiceError::Store(_) => StatusCode::SERVICE_UNAVAILABLE,
        ServiceError::Provider(error) => match error.code {
            ProviderErrorCode::NotSupported => StatusCode::BAD_REQUEST,
            ProviderErrorCode::SessionNotFound => StatusCode::NOT_FOUND,
            ProviderErrorCode::UnsupportedCliType | ProviderErrorCode::InvalidStreamEvent => {
                StatusCode::BAD_REQUEST
            }
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
        (self.status, Json(self.body())).into_response()
    }
}

impl From<ApiError> for Response {
    fn from(error: ApiError) -> Self {
        error.into_response()
    }
}

#[cfg(test)]
mod tests {
    use session::provider::ProviderError;

    use super::*;

    #[test]
    fn the_log_tells_each_cause_once() {
        let caused_by = |cause: &str| {
            let code = ProviderErrorCode::SessionCreateFailed;
            let error = ProviderError::new(code, "it exited with code 1");
            Chain(&ServiceError::Provider(error.caused_by(cause.to_owned()))).to_string()
        };
        let once = "the agent failed: it exited with code 1";
        assert_eq!(caused_by("it exited with code 1"), once);
        assert_eq!(caused_by("no such file"), format!("{once}: no such file"));
    }
}
