//! A client made with the official implementation, and a project to talk about.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agent_client_protocol::schema::ProtocolVersion;
use agent_client_protocol::v1::schema::{
    InitializeRequest, InitializeResponse, NewSessionRequest, PromptRequest, PromptResponse,
    RequestPermissionOutcome, RequestPermissionRequest, RequestPermissionResponse,
    SelectedPermissionOutcome, SessionId, SessionNotification, StopReason,
};
use agent_client_protocol::v1::{ConnectionTo, Responder, SentRequest};
use agent_client_protocol::{
    Agent, ByteStreams, Client, Error, on_receive_notification, on_receive_request,
};
use demo_agent::{RunError, Settings, serve};
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio_util::compat::{TokioAsyncReadCompatExt, TokioAsyncWriteCompatExt};

const PATIENCE: Duration = Duration::from_secs(30);
/// More than any test is told.
const ENOUGH: usize = 20_000;

pub(crate) type Question = (RequestPermissionRequest, Responder<RequestPermissionResponse>);

/// Where an agent lives and a project it may work in, both gone after the test.
pub(crate) struct Place {
    dir: TempDir,
    pub(crate) pace: Duration,
}

/// A client with an open connection.
pub(crate) struct Talk {
    pub(crate) agent: ConnectionTo<Agent>,
    pub(crate) introduction: InitializeResponse,
    updates: mpsc::Receiver<SessionNotification>,
    questions: mpsc::Receiver<Question>,
    project: PathBuf,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let place = Self { dir, pace: Duration::ZERO };
        fs::create_dir_all(place.project().join("src")).unwrap();
        place.write("README.md", "# Title\n\nTodo: write more\n");
        place.write("src/main.rs", "fn main() {}\n");
        fs::write(place.dir.path().join("secret.txt"), "secret").unwrap();
        std::os::unix::fs::symlink("../secret.txt", place.project().join("way-out")).unwrap();
        place
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join("project")
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        fs::write(self.project().join(name), text).unwrap();
    }

    pub(crate) fn text(&self, name: &str) -> Option<String> {
        fs::read_to_string(self.project().join(name)).ok()
    }

    pub(crate) fn settings(&self) -> Settings {
        Settings { home: self.dir.path().join("home"), pace: self.pace }
    }

    /// Starts an agent, lets `client` talk to it, and says how the agent ended.
    pub(crate) async fn talk(&self, client: impl AsyncFnOnce(Talk)) -> Result<(), RunError> {
        let (ours, theirs) = tokio::io::duplex(4096);
        let (input, output) = tokio::io::split(theirs);
        let both = async {
            tokio::join!(
                serve(self.settings(), input, output),
                connect(ours, self.project(), client)
            )
        };
        tokio::time::timeout(PATIENCE, both).await.expect("it takes too long").0
    }
}

async fn connect(
    stream: tokio::io::DuplexStream,
    project: PathBuf,
    client: impl AsyncFnOnce(Talk),
) {
    let (input, output) = tokio::io::split(stream);
    let transport = ByteStreams::new(output.compat_write(), input.compat());
    let (told, updates) = mpsc::channel(ENOUGH);
    let (asked, questions) = mpsc::channel(ENOUGH);
    let ended = Client
        .v1()
        .on_receive_notification(
            async move |update: SessionNotification, _| {
                told.try_send(update).map_err(Error::into_internal_error)
            },
            on_receive_notification!(),
        )
        .on_receive_request(
            async move |request: RequestPermissionRequest, responder, _| {
                asked.try_send((request, responder)).map_err(|_| Error::internal_error())
            },
            on_receive_request!(),
        )
        .connect_with(transport, async |agent| {
            let hello = InitializeRequest::new(ProtocolVersion::V1);
            let introduction = agent.send_request(hello).block_task().await?;
            client(Talk { agent, introduction, updates, questions, project }).await;
            Ok(())
        });
    ended.await.unwrap();
}

impl Talk {
    pub(crate) async fn new_session(&mut self) -> SessionId {
        let session = self.try_new_session(&self.project).await.unwrap();
        assert_eq!(self.update().await["sessionUpdate"], "available_commands_update");
        session
    }

    pub(crate) async fn try_new_session(&self, cwd: &Path) -> Result<SessionId, Error> {
        let request = NewSessionRequest::new(cwd);
        Ok(self.agent.send_request(request).block_task().await?.session_id)
    }

    pub(crate) fn send(&self, session: &SessionId, text: &str) -> SentRequest<PromptResponse> {
        self.agent.send_request(PromptRequest::new(session.clone(), vec![text.into()]))
    }

    /// A whole turn: how it ended and what was told during it.
    pub(crate) async fn ask(
        &mut self,
        session: &SessionId,
        text: &str,
    ) -> (StopReason, Vec<Value>) {
        let answer = self.send(session, text).block_task().await.unwrap();
        (answer.stop_reason, self.told())
    }

    /// A whole turn that asks once and is answered with an option.
    pub(crate) async fn ask_and_choose(
        &mut self,
        session: &SessionId,
        text: &str,
        option: &str,
    ) -> Vec<Value> {
        let sent = self.send(session, text);
        let (_, responder) = self.question().await;
        choose(responder, option);
        assert_eq!(sent.block_task().await.unwrap().stop_reason, StopReason::EndTurn);
        self.told()
    }

    /// The next update.
    pub(crate) async fn update(&mut self) -> Value {
        serde_json::to_value(self.updates.recv().await.unwrap().update).unwrap()
    }

    /// All updates so far.
    pub(crate) fn told(&mut self) -> Vec<Value> {
        let mut told = Vec::new();
        while let Ok(update) = self.updates.try_recv() {
            told.push(serde_json::to_value(update.update).unwrap());
        }
        told
    }

    pub(crate) async fn question(&mut self) -> Question {
        self.questions.recv().await.unwrap()
    }

    pub(crate) fn was_asked(&mut self) -> bool {
        self.questions.try_recv().is_ok()
    }
}

pub(crate) fn choose(responder: Responder<RequestPermissionResponse>, option: &str) {
    let selected = SelectedPermissionOutcome::new(option.to_owned());
    let outcome = RequestPermissionOutcome::Selected(selected);
    responder.respond(RequestPermissionResponse::new(outcome)).unwrap();
}

/// The text of all chunks of a kind.
pub(crate) fn text_of(told: &[Value], kind: &str) -> String {
    let chunks = told.iter().filter(|update| update["sessionUpdate"] == kind);
    chunks.map(|chunk| chunk["content"]["text"].as_str().unwrap()).collect()
}

pub(crate) fn said(told: &[Value]) -> String {
    text_of(told, "agent_message_chunk")
}

/// The states that each tool call went through, as `kind: status status …`.
pub(crate) fn calls(told: &[Value]) -> Vec<String> {
    let mut calls: Vec<(String, String)> = Vec::new();
    for update in told {
        let Some(id) = update["toolCallId"].as_str() else { continue };
        let status = update["status"].as_str().unwrap_or("pending");
        if update["sessionUpdate"] == "tool_call" {
            calls.push((id.to_owned(), format!("{}: {status}", update["kind"].as_str().unwrap())));
        } else {
            let call = calls.iter_mut().find(|call| call.0 == id).unwrap();
            call.1.push_str(&format!(" {status}"));
        }
    }
    calls.into_iter().map(|call| call.1).collect()
}

/// What the last update of a tool call shows.
pub(crate) fn shown(told: &[Value]) -> String {
    let update = told.iter().rev().find(|update| !update["toolCallId"].is_null()).unwrap();
    update["content"][0]["content"]["text"].as_str().unwrap().to_owned()
}
