//! The only failure that leaves a provider, and the only one that leaves the house. What an io, serde or protocol error was
//! stays inside, as its source.

use contract::ErrorCode;

use crate::secrets::Secrets;

#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ProviderError {
    pub code: ProviderErrorCode,
    pub message: String,
    pub source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// A failure that may be told. No other one can be: this is made by taking secrets out, so that nobody forgets it.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct AgentFailure(ProviderError);

impl AgentFailure {
    /// What we say ourselves holds none.
    pub(crate) fn in_our_words(code: ProviderErrorCode, message: &'static str) -> Self {
        Self(ProviderError::new(code, message))
    }

    pub fn code(&self) -> ProviderErrorCode {
        self.0.code
    }

    pub(crate) fn message(&self) -> &str {
        &self.0.message
    }

    /// For somebody else who waited for the same.
    pub(crate) fn again(&self) -> Self {
        Self(ProviderError::new(self.0.code, self.0.message.clone()))
    }
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

    /// What an agent says when it fails may hold what it was given to keep.
    pub fn without(mut self, secrets: &Secrets) -> AgentFailure {
        self.message = secrets.redact(&self.message);
        AgentFailure(self)
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
