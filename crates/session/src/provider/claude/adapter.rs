//! The one boundary to the agent: a process of the CLI behind it, or a scripted double.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use claude::SdkEvent;
use claude::stdin::ControlRequest;
use contract::{Attachment, Delivery, SessionId, SessionOptions, TurnId};
use tokio::sync::mpsc;

/// Starts agents.
#[async_trait]
pub trait ClaudeSdkAdapter: Send + Sync {
    /// Returns an agent that is ready for its first message.
    async fn query(&self, request: QueryRequest) -> Result<QueryHandle, QueryError>;

    /// The version of the agent, if it can be run and says so. Starts no conversation.
    async fn version(&self) -> Result<Option<String>, QueryError> {
        Ok(None)
    }

    /// The file that is run as the agent now, if there is one.
    fn program(&self) -> Option<PathBuf> {
        None
    }
}

/// What an agent is started with.
#[derive(Debug)]
pub struct QueryRequest {
    /// The id that the agent's session gets.
    pub session_id: SessionId,
    pub cwd: String,
    /// Everything that is said to the agent, for as long as it lives; its end is the end of the conversation.
    pub input: mpsc::Receiver<Input>,
    /// The agent's own id of an earlier session to go on with.
    pub resume_session_id: Option<String>,
    pub options: QueryOptions,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryOptions {
    pub model: Option<String>,
    pub mode: Option<String>,
    pub max_thinking_tokens: Option<u32>,
}

#[derive(Clone, Debug)]
pub enum Input {
    Message(UserMessage),
    Control {
        request_id: String,
        request: ControlRequest,
    },
    /// The answer to a question of the agent's, as a line.
    Answer(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserMessage {
    pub turn_id: TurnId,
    /// Whether the agent is told the turn's id. Not again one that it may have been told before.
    pub is_named: bool,
    pub content: String,
    pub delivery: Delivery,
    pub attachments: Vec<Attachment>,
}

/// A running agent.
pub struct QueryHandle {
    pub output: Box<dyn QueryOutput>,
    pub control: Arc<dyn QueryControl>,
    /// What the agent told about itself when it started.
    pub options: SessionOptions,
}

#[async_trait]
pub trait QueryOutput: Send {
    /// What the agent says next; `None` at the end. Dropped half-way, nothing is lost.
    async fn next(&mut self) -> Option<Spoken<'_>>;
}

#[derive(Debug)]
pub enum Spoken<'a> {
    /// A line of the CLI.
    Line(std::borrow::Cow<'a, str>),
    /// An event of the SDK.
    Event(SdkEvent),
}

#[async_trait]
pub trait QueryControl: Send + Sync {
    /// Asks the agent to stop its turn. What was sent to it before is ahead of this.
    async fn interrupt(&self) -> Result<(), QueryError>;

    /// Ends the agent and everything that it started.
    async fn close(&self);

    fn is_alive(&self) -> bool;

    /// Waits until the agent has ended and says why.
    async fn ended(&self) -> String;
}

/// Why an agent could not be started or reached.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    pub message: String,
    /// There is no session of that id to go on with.
    pub is_unknown_session: bool,
}

impl QueryError {
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), is_unknown_session: false }
    }
}

impl std::fmt::Debug for QueryHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("QueryHandle").field("options", &self.options).finish_non_exhaustive()
    }
}
