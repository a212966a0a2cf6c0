//! One turn: what it tells the client, what it remembers, and that it can be stopped at every moment.

mod actions;
mod change;
mod tools;
mod tour;

pub(crate) use actions::Ending;

use std::io;
use std::time::Duration;

use agent_client_protocol::v1::ConnectionTo;
use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, MessageId, SessionNotification, SessionUpdate, TextContent,
    ToolCallId,
};
use agent_client_protocol::{Client, Error};
use uuid::Uuid;

use crate::project::Project;
use crate::session::Running;
use crate::session_files::Record;
use crate::story;
use crate::wire::Credit;

/// How much longer than between words it waits where there is something to look at.
const SLOWNESS: u32 = 10;

/// Where updates go.
#[derive(Clone, Debug)]
pub(crate) struct Updates {
    pub(crate) client: ConnectionTo<Client>,
    pub(crate) credit: Credit,
}

/// Why a turn ends before it has done what it was asked.
#[derive(Debug)]
pub(crate) enum Stop {
    Cancelled,
    Failed(Error),
    Crashed,
}

#[derive(Debug)]
pub(crate) struct Turn {
    running: Running,
    updates: Updates,
    pace: Duration,
    /// The tool call that has begun and not ended.
    open_call: Option<ToolCallId>,
}

#[derive(Clone, Copy, Debug)]
enum Voice {
    Message,
    Thought,
}

impl Updates {
    pub(crate) async fn send(&self, notification: SessionNotification) -> Result<(), Error> {
        self.credit.take().await;
        self.client.send_notification(notification)
    }
}

impl Turn {
    pub(crate) fn new(running: Running, updates: Updates, pace: Duration) -> Self {
        Self { running, updates, pace, open_call: None }
    }

    async fn say(&mut self, text: &str) -> Result<(), Stop> {
        self.stream(Voice::Message, story::pieces(text), self.pace).await
    }

    async fn think(&mut self, text: &str) -> Result<(), Stop> {
        self.stream(Voice::Thought, story::pieces(text), self.pace).await
    }

    /// One message, piece by piece. What was said before somebody cancelled it is remembered too.
    async fn stream(
        &mut self,
        voice: Voice,
        pieces: impl Iterator<Item = impl AsRef<str>>,
        pace: Duration,
    ) -> Result<(), Stop> {
        let id = MessageId::new(Uuid::new_v4().to_string());
        let mut said = String::new();
        let mut outcome = Ok(());
        for piece in pieces {
            outcome = self.show(voice.update(&id, piece.as_ref())).await;
            if outcome.is_err() {
                break;
            }
            said.push_str(piece.as_ref());
            outcome = self.pause(pace).await;
            if outcome.is_err() {
                break;
            }
        }
        if !said.is_empty() {
            self.remember(voice.update(&id, &said))?;
        }
        outcome
    }

    /// Tells the client and remembers it.
    async fn tell(&mut self, update: SessionUpdate) -> Result<(), Stop> {
        self.show(update.clone()).await?;
        self.remember(update)
    }

    async fn show(&self, update: SessionUpdate) -> Result<(), Stop> {
        let notification = SessionNotification::new(self.running.session.id.clone(), update);
        tokio::select! {
            biased;
            () = self.running.cancelled.cancelled() => Err(Stop::Cancelled),
            sent = self.updates.send(notification) => sent.map_err(Stop::Failed),
        }
    }

    fn remember(&self, update: SessionUpdate) -> Result<(), Stop> {
        let record = Record::Update(Box::new(update));
        self.running.session.remember(&record).map_err(forgetful).map_err(Stop::Failed)
    }

    async fn pause(&self, pace: Duration) -> Result<(), Stop> {
        if pace.is_zero() {
            return Ok(());
        }
        tokio::select! {
            biased;
            () = self.running.cancelled.cancelled() => Err(Stop::Cancelled),
            () = tokio::time::sleep(pace) => Ok(()),
        }
    }

    /// Reads files where waiting hurts nobody. When the turn is cancelled nobody waits for it.
    async fn look<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Project, crate::project::Abandoned<'_>) -> T + Send + 'static,
    ) -> Result<T, Stop> {
        let (project, cancelled) =
            (self.running.session.project.clone(), self.running.cancelled.clone());
        let job = tokio::task::spawn_blocking(move || job(&project, &|| cancelled.is_cancelled()));
        tokio::select! {
            biased;
            () = self.running.cancelled.cancelled() => Err(Stop::Cancelled),
            done = job => done.map_err(|error| Stop::Failed(Error::into_internal_error(error))),
        }
    }
}

impl Voice {
    fn update(self, id: &MessageId, text: &str) -> SessionUpdate {
        let chunk = ContentChunk::new(ContentBlock::Text(TextContent::new(text)));
        let chunk = chunk.message_id(id.clone());
        match self {
            Self::Message => SessionUpdate::AgentMessageChunk(chunk),
            Self::Thought => SessionUpdate::AgentThoughtChunk(chunk),
        }
    }
}

/// A session that cannot be written down could not be loaded later.
#[expect(clippy::needless_pass_by_value, reason = "stands in map_err")]
pub(crate) fn forgetful(error: io::Error) -> Error {
    Error::new(-32603, "the session cannot be written down").data(error.to_string())
}
