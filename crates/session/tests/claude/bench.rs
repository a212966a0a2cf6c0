//! A provider with its scripted agent, and what it emits.

use std::sync::{Arc, Mutex};

use contract::{SessionId, TurnEvent, TurnEventKind, TurnId, UpsertBody, UpsertObject};
use serde_json::{Value, json};
use session::provider::claude::ClaudeProvider;
use session::provider::{
    CliProvider, CreateSession, OutgoingMessage, ProviderError, ProviderNotice, Sink,
};
use testkit::{ScriptedClaude, fixed_environment};
use tokio::task::JoinHandle;
use tokio_util::task::TaskTracker;

#[derive(Clone, Debug)]
pub(crate) enum Emitted {
    Upsert(UpsertObject),
    Turn(TurnEvent),
}

pub(crate) struct Bench {
    pub(crate) agent: ScriptedClaude,
    pub(crate) provider: Arc<ClaudeProvider>,
    pub(crate) emitted: Arc<Mutex<Vec<Emitted>>>,
    pub(crate) notices: Arc<Mutex<Vec<ProviderNotice>>>,
}

impl Bench {
    pub(crate) fn new() -> Self {
        let agent = ScriptedClaude::default();
        let provider =
            ClaudeProvider::new(Arc::new(agent.clone()), fixed_environment(), TaskTracker::new());
        Self {
            agent,
            provider: Arc::new(provider),
            emitted: Arc::default(),
            notices: Arc::default(),
        }
    }

    pub(crate) async fn create(&self) -> SessionId {
        let options =
            CreateSession { project_dir: "/project".to_owned(), ..CreateSession::default() };
        let session = self.provider.create_session(options).await.unwrap().session_id;
        self.listen(&session);
        session
    }

    pub(crate) fn listen(&self, session: &SessionId) {
        let (upserts, turns, notices) =
            (self.emitted.clone(), self.emitted.clone(), self.notices.clone());
        self.provider.on_upsert(
            session,
            Sink::new(move |upsert| {
                upserts.lock().unwrap().push(Emitted::Upsert(upsert));
                std::future::ready(())
            }),
        );
        self.provider.on_turn(
            session,
            Sink::new(move |event| {
                turns.lock().unwrap().push(Emitted::Turn(event));
                std::future::ready(())
            }),
        );
        self.provider.on_notice(
            session,
            Sink::new(move |notice| {
                notices.lock().unwrap().push(notice);
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

    /// A session in which a turn is about to begin.
    pub(crate) async fn sent(&self) -> SessionId {
        let session = self.create().await;
        drop(self.send(&session, "go"));
        self.agent.message().await;
        session
    }

    /// Lets everything happen that can happen by itself; with a paused clock also what takes its time.
    pub(crate) async fn settle(&self) {
        tokio::time::sleep(std::time::Duration::from_millis(300)).await;
    }

    pub(crate) fn emitted(&self) -> Vec<Emitted> {
        self.emitted.lock().unwrap().clone()
    }

    pub(crate) fn upserts(&self) -> Vec<UpsertObject> {
        let upserts = self.emitted().into_iter().filter_map(|emitted| match emitted {
            Emitted::Upsert(upsert) => Some(upsert),
            Emitted::Turn(_) => None,
        });
        upserts.collect()
    }

    pub(crate) fn turns(&self) -> Vec<TurnEvent> {
        let turns = self.emitted().into_iter().filter_map(|emitted| match emitted {
            Emitted::Turn(event) => Some(event),
            Emitted::Upsert(_) => None,
        });
        turns.collect()
    }

    pub(crate) fn ends(&self) -> Vec<TurnEventKind> {
        self.turns()
            .into_iter()
            .map(|event| event.kind)
            .filter(TurnEventKind::is_terminal)
            .collect()
    }
}

pub(crate) fn tool(upsert: &UpsertObject) -> &contract::ToolCall {
    match &upsert.body {
        UpsertBody::ToolCall(tool) => tool,
        other => panic!("{other:?} is no tool call"),
    }
}

pub(crate) fn message_start() -> Value {
    json!({ "type": "message_start", "message": { "id": "msg-1", "model": "claude-x" } })
}

pub(crate) fn block_start(index: u32, block: &Value) -> Value {
    json!({ "type": "content_block_start", "index": index, "contentBlock": block })
}

pub(crate) fn text(index: u32, text: &str) -> Value {
    json!({ "type": "content_block_delta", "index": index, "delta": { "type": "text_delta", "text": text } })
}

pub(crate) fn arguments(index: u32, json: &str) -> Value {
    let delta = json!({ "type": "input_json_delta", "partialJson": json });
    json!({ "type": "content_block_delta", "index": index, "delta": delta })
}

pub(crate) fn block_stop(index: u32) -> Value {
    json!({ "type": "content_block_stop", "index": index })
}

pub(crate) fn result(call: &str, content: &str, is_error: bool) -> Value {
    json!({ "type": "user_tool_result", "toolUseId": call, "content": content, "isError": is_error })
}

/// The end of a message, and with it of its turn unless it stopped for a tool.
pub(crate) fn stop(reason: &str) -> [Value; 2] {
    let usage = json!({ "inputTokens": 10, "outputTokens": 5 });
    [
        json!({ "type": "message_delta", "delta": { "stopReason": reason, "usage": usage } }),
        json!({ "type": "message_stop" }),
    ]
}
