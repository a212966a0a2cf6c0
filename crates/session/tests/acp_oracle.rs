//! Our client against the official implementation of the other side, over a pipe in memory.
#![cfg(test)]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test names the variants it is about")]

use std::borrow::Cow;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use contract::{
    PermissionAnswer, SessionId, TurnEvent, TurnEventKind, TurnStatus, UpsertBody, UpsertObject,
};
use session::Environment;
use session::provider::acp::{
    AcpConnection, AcpProvider, AcpTransport, AgentWords, ConnectRequest, ConnectionControl,
    TransportError, Word,
};
use session::provider::{
    CliProvider, CreateSession, LoadSession, OutgoingMessage, PermissionDecision, ProviderNotice,
    Sink,
};
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};
use tokio::sync::{mpsc, watch};
use tokio_util::task::TaskTracker;

/// The pipe is small, so that whoever does not read makes the other side wait.
const PIPE: usize = 4096;

struct Official {
    home: TempDir,
    tasks: TaskTracker,
}

struct Pipe(Lines<BufReader<DuplexStream>>);

struct Link(watch::Sender<bool>);

#[async_trait]
impl AcpTransport for Official {
    async fn connect(&self, _: ConnectRequest) -> Result<AcpConnection, TransportError> {
        let (ours, its_input) = tokio::io::duplex(PIPE);
        let (its_output, theirs) = tokio::io::duplex(PIPE);
        let settings =
            demo_agent::Settings { home: self.home.path().to_owned(), pace: Duration::ZERO };
        let (end, mut ended) = watch::channel(false);
        let gone = end.clone();
        self.tasks.spawn(async move {
            tokio::select! {
                _ = demo_agent::serve(settings, its_input, its_output) => {}
                _ = ended.wait_for(|ended| *ended) => {}
            }
            gone.send_replace(true);
        });
        let (input, mut lines) = mpsc::channel::<String>(64);
        self.tasks.spawn(async move {
            let mut ours = ours;
            while let Some(line) = lines.recv().await {
                if ours.write_all(format!("{line}\n").as_bytes()).await.is_err() {
                    return;
                }
            }
        });
        let output = Box::new(Pipe(BufReader::new(theirs).lines()));
        Ok(AcpConnection { output, input, control: Arc::new(Link(end)), variables: Vec::new() })
    }
}

#[async_trait]
impl AgentWords for Pipe {
    async fn next(&mut self) -> Option<Word<'_>> {
        let line = self.0.next_line().await.ok().flatten()?;
        Some(Word::Line(Cow::Owned(line)))
    }
}

#[async_trait]
impl ConnectionControl for Link {
    async fn close(&self) {
        self.0.send_replace(true);
    }

    async fn ended(&self) -> String {
        let mut ended = self.0.subscribe();
        ended.wait_for(|ended| *ended).await.ok();
        "it ended".to_owned()
    }
}

/// What a session told, and whether permissions are given.
struct House {
    provider: AcpProvider,
    project: TempDir,
    items: Arc<Mutex<Vec<UpsertObject>>>,
    turns: watch::Sender<Vec<TurnEvent>>,
}

impl House {
    fn new() -> Self {
        let tasks = TaskTracker::new();
        let official = Official { home: tempfile::tempdir().unwrap(), tasks: tasks.clone() };
        let provider =
            AcpProvider::new("demo".into(), Arc::new(official), Environment::default(), tasks);
        let project = tempfile::tempdir().unwrap();
        Self { provider, project, items: Arc::default(), turns: watch::Sender::default() }
    }

    async fn create(&self) -> SessionId {
        let options = CreateSession { project_dir: self.directory(), ..CreateSession::default() };
        let session = self.provider.create_session(options).await.unwrap().session_id;
        self.listen(&session);
        session
    }

    fn directory(&self) -> String {
        self.project.path().to_string_lossy().into_owned()
    }

    fn listen(&self, session: &SessionId) {
        let (items, turns) = (self.items.clone(), self.turns.clone());
        self.provider.on_upsert(
            session,
            Sink::new(move |item| {
                items.lock().unwrap().push(item);
                std::future::ready(())
            }),
        );
        self.provider.on_turn(
            session,
            Sink::new(move |event| {
                turns.send_modify(|turns| turns.push(event));
                std::future::ready(())
            }),
        );
        self.provider.on_notice(
            session,
            Sink::new(|notice| {
                if let ProviderNotice::PermissionAsked { request, answer } = notice {
                    let option_id = Some(request.options[0].option_id.clone());
                    let chosen = PermissionAnswer { option_id, ..PermissionAnswer::default() };
                    answer.send(PermissionDecision::Selected(Box::new(chosen))).unwrap();
                }
                std::future::ready(())
            }),
        );
    }

    /// Sends, and waits for the end of the turn.
    async fn turn(&self, session: &SessionId, content: &str) -> TurnEventKind {
        let turn = self.begin(session, content).await;
        self.end_of(&turn).await
    }

    async fn begin(&self, session: &SessionId, content: &str) -> contract::TurnId {
        let message = OutgoingMessage { content: content.to_owned(), ..OutgoingMessage::default() };
        self.provider.send_message(session, message).await.unwrap()
    }

    async fn end_of(&self, turn: &contract::TurnId) -> TurnEventKind {
        let is_end = |event: &&TurnEvent| event.turn_id == *turn && event.kind.is_terminal();
        let mut turns = self.turns.subscribe();
        let ended = turns.wait_for(|turns| turns.iter().any(|event| is_end(&event)));
        let ended = tokio::time::timeout(Duration::from_secs(60), ended).await.unwrap().unwrap();
        ended.iter().find(is_end).unwrap().kind.clone()
    }

    fn said(&self) -> String {
        let items = self.items.lock().unwrap();
        let last = items.iter().filter(|item| item.is_final());
        let texts = last.filter_map(|item| match &item.body {
            UpsertBody::Message { content, .. } => Some(content.to_string()),
            _ => None,
        });
        texts.collect()
    }
}

fn is_complete(end: &TurnEventKind) -> bool {
    matches!(end, TurnEventKind::TurnComplete { status: TurnStatus::Completed, .. })
}

#[tokio::test]
async fn a_conversation_with_the_official_side() {
    let house = House::new();
    let file = house.project.path().join("notes.md");
    std::fs::write(&file, "hello world\n").unwrap();
    let session = house.create().await;
    for prompt in ["help", "list", "read notes.md", "search world", "plan", "think about it"] {
        let end = house.turn(&session, prompt).await;
        assert!(is_complete(&end), "{prompt}: {end:?}");
    }
    let end = house.turn(&session, "edit notes.md: replace hello with goodbye").await;
    assert!(is_complete(&end), "{end:?}");
    assert_eq!(read(&file), "goodbye world\n", "after it was allowed");
    let items = house.items.lock().unwrap();
    let has_diff = items.iter().any(|item| match &item.body {
        UpsertBody::ToolCall(tool) => tool.diff.is_some(),
        _ => false,
    });
    assert!(has_diff, "the change was shown");
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[tokio::test]
async fn the_official_side_fails_hangs_and_goes_on() {
    let house = House::new();
    let session = house.create().await;
    let end = house.turn(&session, "fail").await;
    assert!(matches!(end, TurnEventKind::TurnError { .. }), "{end:?}");
    let turn = house.begin(&session, "hang").await;
    house.provider.cancel_turn(&session, Some(&turn)).await.unwrap();
    let end = house.end_of(&turn).await;
    let cancelled = TurnStatus::Cancelled;
    assert!(matches!(end, TurnEventKind::TurnComplete { status, .. } if status == cancelled));
    assert!(is_complete(&house.turn(&session, "help").await));
    house.provider.kill_session(&session).await.unwrap();
    house.provider.load_session(&session, LoadSession::default()).await.unwrap();
    assert!(is_complete(&house.turn(&session, "help").await), "it is resumed");
}

#[tokio::test]
async fn everything_of_a_flood_arrives() {
    let house = House::new();
    let session = house.create().await;
    let end = house.turn(&session, "flood 5000").await;
    assert!(is_complete(&end), "{end:?}");
    let said = house.said();
    assert!(said.split_whitespace().count() >= 5000, "{} bytes", said.len());
}
