//! Providers: what the rest of the house knows about agents.

mod absent;
pub mod acp;
mod agent_command;
mod agent_task;
mod bypass;
mod catalogue;
pub mod claude;
mod cut_line;
mod error;
mod external;
mod external_session;
mod options;
mod program_file;
mod program_version;
mod registry;
mod sinks;
mod transcript_files;
mod transcripts;

use std::path::PathBuf;

use async_trait::async_trait;
use contract::{
    AgentCapabilities, Attachment, BackgroundTask, CliType, Delivery, ModeId, ModelId, Notice,
    PermissionAnswer, PermissionId, PermissionRequest, PlanEntry, ProviderOptions, SessionId,
    SessionOptions, StreamEventEnvelope, TurnEvent, TurnId, UpsertObject,
};
use store::AgentChoices;
use tokio::sync::oneshot;

pub(crate) use absent::AbsentProvider;
pub use agent_command::AgentCommand;
pub use bypass::BypassModes;
pub use catalogue::{AgentCatalogue, AgentCheck, AgentLabel};
pub use error::{AgentFailure, ProviderError, ProviderErrorCode};
pub use external::ExternalProvider;
pub use options::Adjustment;
pub use recording::HistoryEvent;
pub use registry::ProviderRegistry;
pub use sinks::{Listeners, Sink};
pub use transcripts::{AgentSession, ImportedHistory, Transcripts};

/// One kind of agent: starts sessions, talks to them, and tells what they say.
///
/// Emissions of a session reach every sink that was registered for it, each once and in order; a sink that is slow
/// makes the agent wait.
#[async_trait]
pub trait CliProvider: Send + Sync {
    fn cli_type(&self) -> &CliType;

    fn capabilities(&self) -> AgentCapabilities;

    /// Finds out anew whether the agent can be run, without asking a model; else says what is wrong. It may take as long
    /// as it likes: whoever asks gives up, and then nothing is left of it.
    async fn check(&self) -> Result<AgentCheck, String> {
        Ok(AgentCheck::default())
    }

    /// The file that is run as the agent now, if there is one.
    fn program(&self) -> Option<PathBuf> {
        None
    }

    /// Whether a message may bring a file of this type.
    fn takes_attachment(&self, _mime_type: &str) -> bool {
        false
    }

    /// Whether an answer to a permission may say more than which option it is: `updatedInput`, `answers`, `feedback`.
    fn takes_full_answers(&self) -> bool {
        false
    }

    /// Starts an agent for a new session. On failure nothing of it is left.
    async fn create_session(
        &self,
        options: CreateSession,
    ) -> Result<ProviderSession, ProviderError>;

    /// Attaches an agent to a session that exists; one that is attached already is returned as it is.
    async fn load_session(
        &self,
        session: &SessionId,
        options: LoadSession,
    ) -> Result<ProviderSession, ProviderError>;

    /// Hands over a message and returns when its turn has begun, with the turn's id: the one given, if any.
    async fn send_message(
        &self,
        session: &SessionId,
        message: OutgoingMessage,
    ) -> Result<TurnId, ProviderError>;

    /// Asks the agent to stop a turn, or without one whatever it does. The turn's end arrives as an event.
    async fn cancel_turn(
        &self,
        session: &SessionId,
        turn: Option<&TurnId>,
    ) -> Result<(), ProviderError>;

    /// Ends the agent. Everything it had to say has been emitted when this returns.
    async fn kill_session(&self, session: &SessionId) -> Result<(), ProviderError>;

    fn is_alive(&self, session: &SessionId) -> bool;

    fn on_upsert(&self, session: &SessionId, sink: Sink<UpsertObject>);

    fn on_turn(&self, session: &SessionId, sink: Sink<TurnEvent>);

    /// Requests and news beside the timeline. They can be answered once, so there is one sink: the last registered.
    fn on_notice(&self, session: &SessionId, sink: Sink<ProviderNotice>);

    /// What the session's agent can be set to, while it runs.
    fn options(&self, _: &SessionId) -> Option<SessionOptions> {
        None
    }

    /// The mode that the session's agent is in, while it runs and as far as it tells.
    fn mode(&self, session: &SessionId) -> Option<ModeId> {
        self.options(session)?.current_mode_id
    }

    /// What the next agent of a session is to be set to, unless no agent of it was ever here. A mode in which nothing is
    /// asked is not part of it.
    fn choices(&self, _: &SessionId) -> Option<AgentChoices> {
        None
    }

    async fn adjust(&self, _: &SessionId, _: Adjustment) -> Result<(), ProviderError> {
        let message = "this agent cannot be adjusted";
        Err(ProviderError::new(ProviderErrorCode::NotSupported, message))
    }

    /// Taking canonical envelopes from outside, where a provider can.
    fn ingestion(&self) -> Option<&dyn EnvelopeIngestion> {
        None
    }

    /// Reading the sessions that the agent keeps on its own, where a provider can.
    fn transcripts(&self) -> Option<&dyn Transcripts> {
        None
    }
}

/// Feeds a session from outside instead of by an agent that we run.
#[async_trait]
pub trait EnvelopeIngestion: Send + Sync {
    /// Returns when everything that the envelopes cause has been emitted, with how many of them had no effect.
    async fn ingest(
        &self,
        session: &SessionId,
        envelopes: Vec<StreamEventEnvelope>,
    ) -> Result<u64, ProviderError>;

    /// Returns when text that waited for more of it has been emitted too.
    async fn flush(&self, session: &SessionId) -> Result<(), ProviderError>;
}

#[derive(Clone, Debug, Default)]
pub struct CreateSession {
    /// Absent: the provider takes one from its own source.
    pub session_id: Option<SessionId>,
    pub project_dir: String,
    pub model_id: Option<ModelId>,
    pub mode_id: Option<ModeId>,
    pub provider_options: ProviderOptions,
}

#[derive(Clone, Debug, Default)]
pub struct LoadSession {
    pub project_dir: Option<String>,
    /// A file of the session; its directory stands in for an unknown project.
    pub view_file_path: Option<String>,
    /// The agent's own id of the session, where it is known to differ from ours.
    pub agent_session: Option<String>,
    /// Whether the caller has the history. Else an agent that tells it is listened to.
    pub holds_history: bool,
    /// What the agent is set to, unless the provider knows better.
    pub choices: AgentChoices,
    /// No turn of it ever began: an agent that keeps nothing of it may begin it anew.
    pub never_ran: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderSession {
    pub session_id: SessionId,
    pub cli_type: CliType,
}

#[derive(Clone, Debug, Default)]
pub struct OutgoingMessage {
    /// Absent: the provider takes one from its own source.
    pub turn_id: Option<TurnId>,
    pub content: String,
    pub delivery: Delivery,
    pub attachments: Vec<Attachment>,
}

/// What a provider tells beside items and turns.
#[derive(Debug)]
pub enum ProviderNotice {
    /// The agent waits for an answer. Dropping the sender means: nobody will answer any more.
    PermissionAsked {
        request: Box<PermissionRequest>,
        answer: oneshot::Sender<PermissionDecision>,
    },
    /// The agent does not wait any more.
    PermissionWithdrawn(PermissionId),
    /// A turn that was handed over will never begin: its message was taken back.
    NeverBegan(TurnId),
    /// An interrupt that missed its turn was repeated: who waits for it waits from now on.
    InterruptedAgain,
    BackgroundTasks(Vec<BackgroundTask>),
    /// What the agent means to do, whole.
    Plan(Vec<PlanEntry>),
    /// The agent's own id of the session, whenever it changes.
    AgentSession(String),
    /// The agent kept nothing of what was said before, and goes on without it.
    BeganAnew,
    /// The agent is set to something else than before: to a mode or a model.
    SetAnew,
    /// Something to show while it lasts.
    Notice(Option<Notice>),
    /// The agent's process ended by itself.
    Exited {
        message: String,
    },
}

/// How a permission request was decided.
#[derive(Clone, Debug, PartialEq)]
pub enum PermissionDecision {
    /// One of the offered options, with what belongs to it.
    Selected(Box<PermissionAnswer>),
    /// Deny, and interrupt the turn.
    Cancelled,
}
