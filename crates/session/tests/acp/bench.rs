//! A provider with its scripted agent, and what it emits.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use contract::{
    PermissionRequest, SessionId, ToolCall, TurnEvent, TurnEventKind, TurnId, UpsertBody,
    UpsertObject,
};
use serde_json::Value;
use session::provider::acp::AcpProvider;
use session::provider::{
    CliProvider, CreateSession, OutgoingMessage, PermissionDecision, ProviderError, ProviderNotice,
    Sink,
};
use testkit::fixed_environment;
use testkit::scripted_acp::ScriptedAcp;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio_util::task::TaskTracker;

pub(crate) type Asked = (PermissionRequest, oneshot::Sender<PermissionDecision>);

pub(crate) struct Bench {
    pub(crate) agent: ScriptedAcp,
    pub(crate) provider: Arc<AcpProvider>,
    pub(crate) upserts: Arc<Mutex<Vec<UpsertObject>>>,
    pub(crate) turns: Arc<Mutex<Vec<TurnEvent>>>,
    pub(crate) asked: Arc<Mutex<Vec<Asked>>>,
    /// Notices but permissions, as they print.
    pub(crate) notices: Arc<Mutex<Vec<String>>>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let agent = ScriptedAcp::default();
        let provider = AcpProvider::new(
            "codex".into(),
            Arc::new(agent.clone()),
            fixed_environment(),
            TaskTracker::new(),
        );
        Self {
            agent,
            provider: Arc::new(provider),
            upserts: Arc::default(),
            turns: Arc::default(),
            asked: Arc::default(),
            notices: Arc::default(),
        }
    }

    pub(crate) async fn create(&self) -> SessionId {
        let options =
            CreateSession { project_dir: "/project".to_owned(), ..CreateSession::default() };
        let session = SessionId::from("session-1");
        self.listen(&session);
        let created = self.provider.create_session(options).await.unwrap().session_id;
        assert_eq!(created, session);
        session
    }

    pub(crate) fn listen(&self, session: &SessionId) {
        let (upserts, turns) = (self.upserts.clone(), self.turns.clone());
        let (asked, notices) = (self.asked.clone(), self.notices.clone());
        self.provider.on_upsert(
            session,
            Sink::new(move |upsert| {
                upserts.lock().unwrap().push(upsert);
                std::future::ready(())
            }),
        );
        self.provider.on_turn(
            session,
            Sink::new(move |event| {
                turns.lock().unwrap().push(event);
                std::future::ready(())
            }),
        );
        self.provider.on_notice(
            session,
            Sink::new(move |notice| {
                match notice {
                    ProviderNotice::PermissionAsked { request, answer } => {
                        asked.lock().unwrap().push((*request, answer));
                    }
                    other => notices.lock().unwrap().push(format!("{other:?}")),
                }
                std::future::ready(())
            }),
        );
    }

    /// Sends beside the test, for a send waits until its turn has begun.
    pub(crate) fn send(
        &self,
        session: &SessionId,
        content: &str,
    ) -> JoinHandle<Result<TurnId, ProviderError>> {
        let (provider, session) = (self.provider.clone(), session.clone());
        let message = OutgoingMessage { content: content.to_owned(), ..OutgoingMessage::default() };
        #[expect(clippy::disallowed_methods, reason = "the test waits for it")]
        tokio::spawn(async move { provider.send_message(&session, message).await })
    }

    /// A session whose agent has a prompt.
    pub(crate) async fn prompted(&self) -> (SessionId, Value) {
        let session = self.create().await;
        drop(self.send(&session, "go"));
        let prompt = self.agent.next("session/prompt").await;
        (session, prompt)
    }

    /// Lets everything happen that can happen by itself; with a paused clock also what takes its time.
    pub(crate) async fn settle(&self) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }

    pub(crate) fn upserts(&self) -> Vec<UpsertObject> {
        self.upserts.lock().unwrap().clone()
    }

    /// Items as they were told: id, status, code and text.
    pub(crate) fn items(&self) -> Vec<String> {
        let upserts = self.upserts();
        let told = upserts.iter().map(|upsert| {
            let code = upsert.error_code.as_ref().map(|code| format!(" {code}"));
            let text = upsert.content().map(|text| format!(" {:?}", text.to_string()));
            let (code, text) = (code.unwrap_or_default(), text.unwrap_or_default());
            format!("{} {:?}{code}{text}", upsert.item_id, upsert.status)
        });
        told.collect()
    }

    pub(crate) fn turns(&self) -> Vec<String> {
        let turns = self.turns.lock().unwrap().clone();
        let told = turns.iter().map(|event| match &event.kind {
            TurnEventKind::TurnStarted { .. } => format!("{} started", event.turn_id),
            TurnEventKind::TurnComplete { status, .. } => format!("{} {status:?}", event.turn_id),
            TurnEventKind::TurnError { error_code, error_message, .. } => {
                format!("{} {error_code}: {error_message}", event.turn_id)
            }
        });
        told.collect()
    }

    pub(crate) fn notices(&self) -> Vec<String> {
        self.notices.lock().unwrap().clone()
    }

    pub(crate) fn take_asked(&self) -> Asked {
        self.asked.lock().unwrap().remove(0)
    }
}

pub(crate) fn tool(upsert: &UpsertObject) -> &ToolCall {
    match &upsert.body {
        UpsertBody::ToolCall(tool) => tool,
        other => panic!("{other:?} is no tool call"),
    }
}
