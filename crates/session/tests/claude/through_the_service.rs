//! The Claude provider under the session service: what is asked in an order arrives in it, and nothing waits for ever.

use std::sync::Arc;
use std::time::Duration;

use contract::{
    CreateSessionRequest, Delivery, ProviderOptions, SendRequest, SessionId, TurnId, UpsertBody,
};
use serde_json::{Value, json};
use session::provider::ProviderRegistry;
use session::provider::claude::{ClaudeProvider, Input};
use session::{AllowedRoots, Autonomous, Environment, SessionService, SessionServiceParts};
use store::MemoryJournal;
use testkit::ScriptedClaude;
use testkit::watched_session::WatchedSession;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Rounds of what goes wrong now and then where tasks overtake each other.
const ROUNDS: usize = 10;

struct House {
    agent: ScriptedClaude,
    service: Arc<SessionService>,
    project: tempfile::TempDir,
}

impl House {
    async fn new() -> Self {
        Self::on(Arc::new(MemoryJournal::default()), tempfile::tempdir().unwrap()).await
    }

    /// As a server that starts on what another one left.
    async fn on(journal: Arc<MemoryJournal>, project: tempfile::TempDir) -> Self {
        let agent = ScriptedClaude::default();
        let (environment, tasks) = (Environment::default(), TaskTracker::new());
        let provider =
            ClaudeProvider::new(Arc::new(agent.clone()), environment.clone(), tasks.clone());
        let mut providers = ProviderRegistry::default();
        providers.register(Arc::new(provider));
        let service = SessionService::new(SessionServiceParts {
            providers,
            journal,
            allowed_roots: AllowedRoots::resolve([project.path().to_owned()]).await,
            environment,
            autonomous: Autonomous::default(),
            stop: CancellationToken::new(),
            tasks,
        });
        Self { agent, service: Arc::new(service), project }
    }

    async fn create(&self) -> SessionId {
        self.create_in(None).await
    }

    async fn create_in(&self, mode: Option<&str>) -> SessionId {
        self.create_with(self.request(mode)).await
    }

    async fn create_with(&self, request: CreateSessionRequest) -> SessionId {
        self.service.create(request).await.unwrap().session_id
    }

    fn request(&self, mode: Option<&str>) -> CreateSessionRequest {
        CreateSessionRequest {
            cli_type: "claude-code".into(),
            project_dir: self.project.path().to_str().unwrap().to_owned(),
            title: None,
            model_id: None,
            mode_id: mode.map(Into::into),
            provider_options: None,
        }
    }

    /// The server after this one.
    async fn restarted(self, journal: Arc<MemoryJournal>) -> Self {
        Self::on(journal, self.project).await
    }

    /// The agent says yes to what it is asked to be.
    async fn agree(&self) {
        let request_id = loop {
            if let Some(Input::Control { request_id, .. }) = self.agent.told() {
                break request_id;
            }
            tokio::task::yield_now().await;
        };
        let response = json!({ "subtype": "success", "request_id": request_id, "response": {} });
        self.agent.say_line(json!({ "type": "control_response", "response": response })).await;
    }

    async fn send(&self, session: &SessionId, content: &str, delivery: Delivery) -> TurnId {
        let sent = self.service.send(session, request(content, delivery)).await.unwrap();
        sent.answer().await.unwrap().turn_id
    }

    /// The mode that the agent which was started last was started in.
    fn last_mode(&self) -> Option<String> {
        self.agent.queries().last().unwrap().options.mode.clone()
    }

    async fn shown_mode(&self, session: &SessionId) -> String {
        let options = self.service.options(session).await.unwrap();
        options.current_mode_id.unwrap().to_string()
    }

    /// A session whose first turn runs.
    async fn running(&self) -> SessionId {
        let session = self.create().await;
        let turn = self.send(&session, "go", Delivery::Queue).await;
        self.agent.message().await;
        self.agent.say_line(init(&turn)).await;
        settle().await;
        session
    }
}

fn request(content: &str, delivery: Delivery) -> SendRequest {
    SendRequest {
        content: content.to_owned(),
        client_message_id: None,
        delivery: Some(delivery),
        attachments: None,
    }
}

async fn settle() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}

fn init(turn: &TurnId) -> Value {
    json!({
        "type": "system", "subtype": "init", "session_id": "agent-1", "model": "claude-x",
        "permissionMode": "default", "capabilities": ["msg_lifecycle_v1"], "user_message_uuids": [turn],
    })
}

fn streamed(event: &Value) -> Value {
    json!({ "type": "stream_event", "session_id": "agent-1", "parent_tool_use_id": null, "event": event })
}

fn tells(seen: &WatchedSession<'_>, text: &str) -> bool {
    seen.items
        .iter()
        .any(|item| matches!(&item.body, UpsertBody::Message { content, .. } if *content == *text))
}

fn done() -> Value {
    json!({ "type": "result", "subtype": "success", "is_error": false, "num_turns": 1 })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn steering_messages_are_written_in_the_order_they_were_sent() {
    for _ in 0..ROUNDS {
        let house = House::new().await;
        let session = house.running().await;
        let mut pending = Vec::new();
        for word in ["0", "1", "2", "3"] {
            let steer = request(word, Delivery::Steer);
            pending.push(house.service.send(&session, steer).await.unwrap());
        }
        for pending in pending {
            pending.answer().await.unwrap();
        }
        for word in ["0", "1", "2", "3"] {
            assert_eq!(house.agent.message().await.content, word);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cancel_right_behind_its_message_is_not_lost() {
    for _ in 0..ROUNDS {
        let house = House::new().await;
        let session = house.create().await;
        let _sent = house.service.send(&session, request("go", Delivery::Queue)).await.unwrap();
        let _cancel = house.service.cancel(&session, None).await.unwrap();
        let message = house.agent.message().await;
        settle().await;
        // The turn begins all the same, as when an interrupt came too early for it.
        house.agent.say_line(init(&message.turn_id)).await;
        settle().await;
        assert!(house.agent.interrupts() > 0, "the turn runs on");
    }
}

#[tokio::test(start_paused = true)]
async fn two_stops_that_wait_are_both_kept() {
    let house = House::new().await;
    let session = house.running().await;
    let second = house.send(&session, "b", Delivery::Steer).await;
    let third = house.send(&session, "c", Delivery::Steer).await;
    for turn in [&second, &third] {
        drop(house.service.cancel(&session, Some(turn.clone())).await.unwrap());
    }
    settle().await;
    for (count, turn) in [(1, &second), (2, &third)] {
        house.agent.say_line(done()).await;
        house.agent.say_line(init(turn)).await;
        settle().await;
        assert_eq!(house.agent.interrupts(), count, "it is interrupted when it begins");
    }
}

#[tokio::test(start_paused = true)]
async fn an_adjustment_that_is_never_answered_fails() {
    let house = House::new().await;
    let session = house.running().await;
    let asked = house.service.set_mode(&session, "plan".into()).await;
    assert!(asked.unwrap_err().to_string().contains("does not answer"));
}

#[tokio::test(start_paused = true)]
async fn an_interrupting_message_does_not_wait_for_one_that_did_not_join() {
    let house = House::new().await;
    let session = house.running().await;
    house.send(&session, "steer", Delivery::Steer).await;
    house.agent.message().await;
    house.send(&session, "now", Delivery::Interrupt).await;
    settle().await;
    assert_eq!(house.agent.interrupts(), 1, "what runs is interrupted");
    let told = house.agent.told();
    assert!(matches!(told, Some(Input::Control { .. })), "what waits is taken back: {told:?}");
}

#[tokio::test(start_paused = true)]
async fn a_kill_takes_every_message_back_that_waits_behind_the_turn() {
    let house = House::new().await;
    let session = house.running().await;
    for word in ["b", "c"] {
        house.send(&session, word, Delivery::Steer).await;
        house.agent.message().await;
    }
    let look = async {
        settle().await;
        for _ in 0..2 {
            let told = house.agent.told();
            assert!(
                matches!(told, Some(Input::Control { .. })),
                "it may begin meanwhile: {told:?}"
            );
        }
    };
    let (killed, ()) = tokio::join!(house.service.kill(&session), look);
    assert!(killed.unwrap().killed);
    let queued = house.service.status(&session).await.unwrap().queued.clone();
    let contents: Vec<_> = queued.iter().map(|turn| turn.content.as_str()).collect();
    assert_eq!(contents, ["b", "c"]);
}

#[tokio::test(start_paused = true)]
async fn s_31_a_mode_that_never_asks_is_chosen_for_one_session_and_ends_with_its_agent() {
    let house = House::new().await;
    let bold = house.create_in(Some("bypassPermissions")).await;
    assert_eq!(house.last_mode().as_deref(), Some("bypassPermissions"));
    assert_eq!(house.shown_mode(&bold).await, "bypassPermissions", "it is shown");
    let other = house.create().await;
    assert_eq!(house.last_mode(), None, "another session has its own");
    let chosen = house.service.set_mode(&other, "bypassPermissions".into()).await;
    assert!(chosen.is_err(), "nor can it be slipped into: {chosen:?}");

    house.service.kill(&bold).await.unwrap();
    house.send(&bold, "go on", Delivery::Queue).await;
    assert_eq!(house.last_mode(), None, "the next agent asks");
    assert_eq!(house.shown_mode(&bold).await, "default");
}

#[tokio::test(start_paused = true)]
async fn s_31_after_a_restart_of_the_server_a_mode_that_never_asks_is_the_default_one() {
    let journal = Arc::new(MemoryJournal::default());
    let before = House::on(journal.clone(), tempfile::tempdir().unwrap()).await;
    let session = before.create_in(Some("bypassPermissions")).await;
    let after = before.restarted(journal).await;
    after.service.load(&session).await.unwrap();
    assert_eq!(after.last_mode(), None);
    assert_eq!(after.shown_mode(&session).await, "default");
}

#[tokio::test(start_paused = true)]
async fn what_was_chosen_for_a_session_holds_after_a_restart_of_the_server() {
    let journal = Arc::new(MemoryJournal::default());
    let before = House::on(journal.clone(), tempfile::tempdir().unwrap()).await;
    let session = before
        .create_with(CreateSessionRequest {
            model_id: Some("claude-x[1m]".into()),
            provider_options: Some(ProviderOptions { max_thinking_tokens: Some(2048) }),
            ..before.request(Some("plan"))
        })
        .await;
    let chosen = before.agent.queries().last().unwrap().options.clone();
    assert_eq!(chosen.max_thinking_tokens, Some(2048));
    let after = before.restarted(journal.clone()).await;
    after.service.load(&session).await.unwrap();
    assert_eq!(after.agent.queries().last().unwrap().options, chosen);
    assert_eq!(after.shown_mode(&session).await, "plan");

    let (changed, ()) =
        tokio::join!(after.service.set_mode(&session, "acceptEdits".into()), after.agree());
    changed.unwrap();
    let later = after.restarted(journal).await;
    later.service.load(&session).await.unwrap();
    assert_eq!(later.last_mode().as_deref(), Some("acceptEdits"), "what was acknowledged is kept");
}

/// From the agent's line to what a connection is about to send, in virtual time: only waiting counts.
#[tokio::test(start_paused = true)]
async fn nfr_first_visible_token_the_first_words_wait_at_most_50_ms() {
    let house = House::new().await;
    let mut session = WatchedSession::open(&house.service, house.create().await).await;
    let turn = session.send("go").await;
    house.agent.message().await;
    house.agent.say_line(init(&turn)).await;
    let message = json!({ "id": "m1", "model": "claude-x", "role": "assistant", "content": [] });
    let block = json!({ "type": "text", "text": "" });
    for event in [
        json!({ "type": "message_start", "message": message }),
        json!({ "type": "content_block_start", "index": 0, "content_block": block }),
    ] {
        house.agent.say_line(streamed(&event)).await;
    }
    session.until("the turn began", |seen| !seen.turns.is_empty()).await;
    tokio::time::sleep(Duration::from_secs(2)).await;

    let said = tokio::time::Instant::now();
    let delta = json!({ "type": "text_delta", "text": "Hi" });
    let event = json!({ "type": "content_block_delta", "index": 0, "delta": delta });
    house.agent.say_line(streamed(&event)).await;
    session.until("the first word", |seen| tells(seen, "Hi")).await;
    let waited = said.elapsed();
    assert!(waited <= Duration::from_millis(50), "{waited:?}");
}
