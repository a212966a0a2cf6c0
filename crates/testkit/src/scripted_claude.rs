//! A double at the boundary to Claude Code: says what a test wants, and notes what it is told.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use claude::SdkEvent;
use contract::SessionOptions;
use serde_json::Value;
use session::provider::claude::{
    ClaudeSdkAdapter, Input, QueryControl, QueryError, QueryHandle, QueryOptions, QueryOutput,
    QueryRequest, Spoken, UserMessage,
};
use tokio::sync::{mpsc, watch};

/// One clone goes to the provider, another stays with the test. Speaks of the agent that was started last.
#[derive(Clone, Debug, Default)]
pub struct ScriptedClaude {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    queries: Mutex<Vec<Query>>,
    agent: Mutex<Option<Agent>>,
    failure: Mutex<Option<String>>,
    interrupts: AtomicU32,
    closes: AtomicU32,
}

/// What an agent was started with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub cwd: String,
    pub resume_session_id: Option<String>,
    pub options: QueryOptions,
}

#[derive(Debug)]
struct Agent {
    said: mpsc::Sender<Said>,
    input: mpsc::Receiver<Input>,
    end: watch::Sender<Option<String>>,
}

#[derive(Debug)]
enum Said {
    Line(String),
    Event(SdkEvent),
}

impl ScriptedClaude {
    pub fn queries(&self) -> Vec<Query> {
        self.shared.queries.lock().unwrap().clone()
    }

    /// The next agent does not start.
    pub fn fail_next(&self, message: &str) {
        *self.shared.failure.lock().unwrap() = Some(message.to_owned());
    }

    /// Says an event of the SDK, written as JSON.
    pub async fn say(&self, event: Value) {
        let event = serde_json::from_value(event).unwrap();
        self.speaker().send(Said::Event(event)).await.unwrap();
    }

    pub async fn say_all(&self, events: impl IntoIterator<Item = Value>) {
        for event in events {
            self.say(event).await;
        }
    }

    /// Says a line of the CLI.
    pub async fn say_line(&self, line: Value) {
        self.speaker().send(Said::Line(line.to_string())).await.unwrap();
    }

    fn speaker(&self) -> mpsc::Sender<Said> {
        self.shared.agent.lock().unwrap().as_ref().unwrap().said.clone()
    }

    /// What the agent was told next, if it was told anything.
    pub fn told(&self) -> Option<Input> {
        self.shared.agent.lock().unwrap().as_mut().unwrap().input.try_recv().ok()
    }

    /// The next message that the agent was told; waits for it.
    pub async fn message(&self) -> UserMessage {
        loop {
            match self.told() {
                Some(Input::Message(message)) => return message,
                Some(Input::Control { .. } | Input::Answer(_)) => {}
                None => tokio::task::yield_now().await,
            }
        }
    }

    pub fn interrupts(&self) -> u32 {
        self.shared.interrupts.load(Ordering::SeqCst)
    }

    pub fn closes(&self) -> u32 {
        self.shared.closes.load(Ordering::SeqCst)
    }

    /// The agent ends by itself.
    pub fn die(&self, reason: &str) {
        let agent = self.shared.agent.lock().unwrap().take().unwrap();
        agent.end.send_replace(Some(reason.to_owned()));
    }
}

#[async_trait]
impl ClaudeSdkAdapter for ScriptedClaude {
    async fn query(&self, request: QueryRequest) -> Result<QueryHandle, QueryError> {
        let QueryRequest { cwd, input, resume_session_id, options, .. } = request;
        self.shared.queries.lock().unwrap().push(Query { cwd, resume_session_id, options });
        if let Some(message) = self.shared.failure.lock().unwrap().take() {
            return Err(QueryError::new(message));
        }
        let (said, receiver) = mpsc::channel(64);
        let (end, ended) = watch::channel(None);
        *self.shared.agent.lock().unwrap() = Some(Agent { said, input, end: end.clone() });
        let control = ScriptedControl { shared: self.shared.clone(), end, ended };
        Ok(QueryHandle {
            output: Box::new(ScriptedOutput { said: receiver }),
            control: Arc::new(control),
            options: SessionOptions::default(),
        })
    }
}

struct ScriptedOutput {
    said: mpsc::Receiver<Said>,
}

#[async_trait]
impl QueryOutput for ScriptedOutput {
    async fn next(&mut self) -> Option<Spoken<'_>> {
        Some(match self.said.recv().await? {
            Said::Line(line) => Spoken::Line(line.into()),
            Said::Event(event) => Spoken::Event(event),
        })
    }
}

struct ScriptedControl {
    shared: Arc<Shared>,
    end: watch::Sender<Option<String>>,
    ended: watch::Receiver<Option<String>>,
}

#[async_trait]
impl QueryControl for ScriptedControl {
    async fn interrupt(&self) -> Result<(), QueryError> {
        self.shared.interrupts.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    async fn close(&self) {
        self.shared.closes.fetch_add(1, Ordering::SeqCst);
        self.shared.agent.lock().unwrap().take();
        self.end.send_replace(Some("closed".to_owned()));
    }

    fn is_alive(&self) -> bool {
        self.ended.borrow().is_none()
    }

    async fn ended(&self) -> String {
        let mut ended = self.ended.clone();
        let reason = ended.wait_for(Option::is_some).await.unwrap();
        reason.clone().unwrap()
    }
}
