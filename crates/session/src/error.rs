//! Why the service refused or failed, by who can do something about it. The edge maps each to a status.

use contract::{
    CliType, ErrorCode, ItemId, ModeId, PermissionId, Project, ProjectId, SessionId, TaskId, TurnId,
};
use store::StoreError;

use crate::provider::{AgentFailure, ProviderErrorCode};

#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    #[error("there is no session {0}")]
    UnknownSession(SessionId),
    #[error("no project {0}")]
    UnknownProject(ProjectId),
    #[error("no item {0}")]
    UnknownItem(ItemId),
    #[error("no task {0} runs in the background")]
    UnknownTask(TaskId),
    #[error("no turn {0} waits")]
    UnknownTurn(TurnId),
    #[error("the turn {0} has begun already")]
    TurnStarted(TurnId),
    #[error("no agent of type {0}")]
    UnsupportedCliType(CliType),
    #[error(
        "the agent of this session, {0}, is not configured any more: it can be read, but not gone on with"
    )]
    AgentNotConfigured(CliType),
    #[error(
        "modeId: {0} is a mode in which the agent never asks, and `allow_bypass = false` forbids those"
    )]
    ModeForbidden(ModeId),
    #[error("{0}")]
    InvalidRequest(String),
    #[error("{0}")]
    InvalidProjectDir(String),
    #[error("{0}")]
    InvalidPath(String),
    #[error("the project {} is there already", .0.path)]
    DuplicateProject(Box<Project>),
    #[error("{0}")]
    NotSupported(String),
    #[error("{0} turns are waiting already")]
    QueueFull(usize),
    #[error("{0} sessions are kept, and no more may be: set max_sessions")]
    TooManySessions(usize),
    #[error(
        "this session holds {0} bytes and takes no more: go on in another one, or set max_session_bytes"
    )]
    SessionFull(u64),
    #[error("no permission request {0}")]
    UnknownPermission(PermissionId),
    #[error("the permission request {0} was answered already")]
    AlreadyAnswered(PermissionId),
    #[error("the agent did not stop in time")]
    InterruptFailed,
    #[error("the server is shutting down")]
    ShuttingDown,
    #[error("{}", in_words(.0))]
    Provider(#[from] AgentFailure),
    #[error("the journal failed")]
    Store(#[source] StoreError),
}

/// That an agent has no such thing is not its failure.
fn in_words(error: &AgentFailure) -> String {
    match error.code() {
        ProviderErrorCode::UnsupportedCliType
        | ProviderErrorCode::SessionNotFound
        | ProviderErrorCode::InvalidStreamEvent
        | ProviderErrorCode::NotSupported
        | ProviderErrorCode::InvalidProjectDir
        | ProviderErrorCode::ModeForbidden
        | ProviderErrorCode::TooManyAgents => error.message().to_owned(),
        ProviderErrorCode::ProcessCrash
        | ProviderErrorCode::ProtocolError
        | ProviderErrorCode::InterruptFailed
        | ProviderErrorCode::SessionCreateFailed => {
            format!("the agent failed: {}", error.message())
        }
    }
}

/// A session that the journal does not know is no failure of the journal.
impl From<StoreError> for ServiceError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::UnknownSession(session) => Self::UnknownSession(session),
            failure @ (StoreError::DuplicateSession(_)
            | StoreError::OutOfOrder { .. }
            | StoreError::Unavailable(_)) => Self::Store(failure),
        }
    }
}

impl ServiceError {
    /// The project that is there already.
    pub fn duplicate(&self) -> Option<ProjectId> {
        if let Self::DuplicateProject(project) = self { Some(project.id.clone()) } else { None }
    }

    pub fn code(&self) -> ErrorCode {
        match self {
            Self::UnknownSession(_) => ErrorCode::SESSION_NOT_FOUND,
            Self::UnknownProject(_) => ErrorCode::PROJECT_NOT_FOUND,
            Self::UnknownItem(_) => ErrorCode::ITEM_NOT_FOUND,
            Self::UnknownTask(_) => ErrorCode::NOT_FOUND,
            Self::UnknownTurn(_) => ErrorCode::TURN_NOT_FOUND,
            Self::TurnStarted(_) => ErrorCode::TURN_ALREADY_STARTED,
            Self::UnsupportedCliType(_) | Self::AgentNotConfigured(_) => {
                ErrorCode::UNSUPPORTED_CLI_TYPE
            }
            Self::ModeForbidden(_) => ErrorCode::MODE_FORBIDDEN,
            Self::InvalidRequest(_) => ErrorCode::INVALID_REQUEST,
            Self::InvalidProjectDir(_) => ErrorCode::INVALID_PROJECT_DIR,
            Self::InvalidPath(_) => ErrorCode::INVALID_PATH,
            Self::DuplicateProject(_) => ErrorCode::DUPLICATE_PROJECT,
            Self::NotSupported(_) => ErrorCode::NOT_SUPPORTED,
            Self::QueueFull(_) | Self::TooManySessions(_) => ErrorCode::TOO_MANY_REQUESTS,
            Self::SessionFull(_) => ErrorCode::PAYLOAD_TOO_LARGE,
            Self::UnknownPermission(_) => ErrorCode::PERMISSION_NOT_FOUND,
            Self::AlreadyAnswered(_) => ErrorCode::PERMISSION_ALREADY_ANSWERED,
            Self::InterruptFailed => ErrorCode::INTERRUPT_FAILED,
            Self::ShuttingDown => ErrorCode::SHUTTING_DOWN,
            Self::Provider(error) => error.code().as_code(),
            Self::Store(_) => ErrorCode::STORE_UNAVAILABLE,
        }
    }
}
