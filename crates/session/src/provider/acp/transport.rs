//! The one boundary to an agent: a process behind it, or a scripted double.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use contract::SessionId;
use tokio::sync::mpsc;

/// Starts agents.
#[async_trait]
pub trait AcpTransport: Send + Sync {
    /// Returns an agent to which nothing has been said yet. Dropped, the connection ends the agent.
    async fn connect(&self, request: ConnectRequest) -> Result<AcpConnection, TransportError>;

    /// Starts an agent that is to say what it is and gets no session.
    async fn probe(&self) -> Result<AcpConnection, TransportError> {
        let (session_id, cwd) = (SessionId::from("probe"), "/".to_owned());
        self.connect(ConnectRequest { session_id, cwd }).await
    }

    /// The file that is run as the agent now, if there is one.
    fn program(&self) -> Option<PathBuf> {
        None
    }

    /// An agent told its version, which those after it will have too.
    fn note_version(&self, _: &str) {}
}

#[derive(Clone, Debug)]
pub struct ConnectRequest {
    /// Our id of the session.
    pub session_id: SessionId,
    pub cwd: String,
}

pub struct AcpConnection {
    pub output: Box<dyn AgentWords>,
    /// Lines for the agent, written in order. Full means that it does not read.
    pub input: mpsc::Sender<String>,
    pub control: Arc<dyn ConnectionControl>,
    /// Names of the variables that the agent's environment holds.
    pub variables: Vec<String>,
}

#[async_trait]
pub trait AgentWords: Send {
    /// What the agent says next; `None` at the end of its output. Dropped half-way, nothing is lost.
    async fn next(&mut self) -> Option<Word<'_>>;
}

#[derive(Debug)]
pub enum Word<'a> {
    /// A line of its output.
    Line(Cow<'a, str>),
    /// What it wrote to its standard error.
    Aside(String),
}

#[async_trait]
pub trait ConnectionControl: Send + Sync {
    /// Ends the agent and everything that it started.
    async fn close(&self);

    /// Waits until the agent has ended and says why.
    async fn ended(&self) -> String;
}

/// Why an agent could not be started.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct TransportError(pub String);

impl std::fmt::Debug for AcpConnection {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AcpConnection").finish_non_exhaustive()
    }
}
