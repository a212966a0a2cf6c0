//! The promised JSON: every type that crosses the wire, with serde both ways and a TypeScript twin.
//!
//! Invariant: what is written here is promised to clients. The web sources hold a generated copy, and a test
//! fails when the two differ. Readers ignore unknown fields; requests refuse them.

mod agent;
mod client_message;
mod envelope;
mod envelope_parts;
mod error;
mod fields;
mod growth;
mod history;
mod ids;
mod legacy;
mod permission;
mod project;
mod requests;
mod responses;
mod schema;
mod server_message;
mod session;
mod text;
mod timestamp;
mod tool;
mod truncation;
mod turn;
mod upsert;

#[cfg(test)]
mod typescript;

pub use agent::{AgentCapabilities, AgentConnection, AgentInfo, ModeInfo, ModelInfo, SlashCommand};
pub use client_message::{ClientFrame, ClientMessage, StreamProtocol};
pub use envelope::{
    EventPayload, FinalItem, ItemStart, ResponseDone, ResponseStatus, StreamEventEnvelope,
};
pub use envelope_parts::{EventError, MessageOrigin};
pub use error::{ErrorBody, ErrorCode};
pub use fields::Issue;
pub use history::{HistoryMode, HistoryPage};
pub use ids::{
    CallId, CliType, ClientMessageId, Epoch, EventId, ItemId, ModeId, ModelId, OptionId,
    PermissionId, ProjectId, ProviderId, RequestId, SessionId, TaskId, TurnId,
};
pub use legacy::{ChatEntry, LegacyHistory, LegacyToolStatus};
pub use permission::{
    GivenAnswer, PermissionAnswer, PermissionOption, PermissionOptionKind, PermissionOutcome,
    PermissionRequest, Question, QuestionOption, StandingPermission,
};
pub use project::Project;
pub use requests::{
    AddProjectRequest, Attachment, CancelRequest, CreateSessionRequest, Delivery,
    ImportSessionRequest, LoginRequest, ModeRequest, ModelRequest, ProviderOptions, QueuePatch,
    SendRequest, TitleRequest,
};
pub use responses::{
    Cancelled, DirectoryCompletions, EventsAccepted, EventsRejected, FileCompletions,
    ImportableSession, ImportableSessions, Killed, LoggedIn, PermissionAnswered, ProjectRemoved,
    QueueRemoved, SearchHit, SearchResults, SendState, SessionCreated, SessionLoaded,
    SessionOptions, SessionSent, Sessions, TaskStopped, WaitResult,
};
pub use server_message::{Family, PlanEntry, ServerFrame, ServerMessage, TextDelta};
pub use session::{
    Activity, BackgroundTask, Notice, QueuedTurn, SessionGlance, SessionListItem, SessionSource,
    SessionState, SessionStatus,
};
pub use text::Text;
pub use timestamp::{InvalidTimestamp, Timestamp};
pub use tool::{DiffHunk, FileDiff, Location, ToolArguments, ToolKind};
pub use truncation::STREAM_LIMIT;
pub use turn::{ENDED_BY_USER, Seq, TurnEvent, TurnEventKind, TurnOrigin, TurnStatus, Usage};
pub use upsert::{ItemStatus, ToolCall, Truncation, UpsertBody, UpsertObject};
