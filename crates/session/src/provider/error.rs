//! The only failure that leaves a provider. What an io, serde or protocol error was stays inside, as its source.

use contract::ErrorCode;

use crate::secrets::Secrets;

#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ProviderError {
    pub code: ProviderErrorCode,
    pub message: String,
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProviderErrorCode {
    UnsupportedCliType,
    SessionNotFound,
    ProcessCrash,
    ProtocolError,
    InvalidStreamEvent,
    InterruptFailed,
    SessionCreateFailed,
    NotSupported,
    TooManyAgents,
    InvalidProjectDir,
    ModeForbidden,
}

impl ProviderError {
    pub fn new(code: ProviderErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), source: None }
    }

    /// What an agent said last may hold what it was given to keep.
    #[must_use]
    pub(crate) fn without(mut self, secrets: &Secrets) -> Self {
        self.message = secrets.redact(&self.message);
        self
    }

    #[must_use]
    pub fn caused_by(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl ProviderErrorCode {
    pub fn as_code(self) -> ErrorCode {
        match self {
            Self::UnsupportedCliType => ErrorCode::UNSUPPORTED_CLI_TYPE,
            Self::SessionNotFound => ErrorCode::SESSION_NOT_FOUND,
            Self::ProcessCrash => ErrorCode::PROCESS_CRASH,
            Self::ProtocolError => ErrorCode::PROTOCOL_ERROR,
            Self::InvalidStreamEvent => ErrorCode::INVALID_STREAM_EVENT,
            Self::InterruptFailed => ErrorCode::INTERRUPT_FAILED,
            Self::SessionCreateFailed => ErrorCode::SESSION_CREATE_FAILED,
            Self::NotSupported => ErrorCode::NOT_SUPPORTED,
            Self::InvalidProjectDir => ErrorCode::INVALID_PROJECT_DIR,
            Self::ModeForbidden => ErrorCode::MODE_FORBIDDEN,
            Self::TooManyAgents => ErrorCode::TOO_MANY_REQUESTS,
        }
    }
}
