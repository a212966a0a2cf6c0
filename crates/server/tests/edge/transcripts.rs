//! What connections of `upsert-v2` are told, as files that the page's own reducer is held against.
//!
//! `web/tests/transcripts.test.ts` replays them and compares the end with the history. `UPDATE_SNAPSHOTS=1` writes them anew.

use std::path::PathBuf;

use contract::{
    ErrorCode, ItemStatus, ServerFrame, SessionId, TurnEvent, TurnEventKind, UpsertBody,
    UpsertObject,
};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};
use testkit::{ClientView, Sample, SocketClient, TestServer};

use crate::random_agent::{Saying, Source, saying};

/// Texts of nothing but this letter are written down as their length.
const FILLER: &str = "x";
const FILLED: usize = 1000;
/// How often an agent says something at random, and how often the connection is lost meanwhile.
const RANDOM_STEPS: usize = 50;
const LOST_EVERY: usize = 12;

/// What one connection was told of one session, and how the session stands after it.
#[derive(Debug)]
struct Transcript {
    name: &'static str,
    frames: Vec<Value>,
    /// The items whole, as the page fetches them.
    items: Map<String, Value>,
    history: Value,
    /// Whether the same frames come every time; else only the end is compared.
    is_exact: bool,
}

impl Transcript {
    fn to_json(&self) -> Value {
        filled(json!({"frames": self.frames, "items": self.items, "history": self.history}))
    }
}

/// Writes down what a connection is told.
struct Scribe {
    server: TestServer,
    session: SessionId,
    sample: Sample,
    socket: SocketClient,
    frames: Vec<Value>,
}

impl Scribe {
    async fn start() -> Self {
        Self::resume(Vec::new(), &json!({})).await
    }

    /// With what an earlier connection was told, and the place where it stood.
    async fn resume(frames: Vec<Value>, place: &Value) -> Self {
        let server = TestServer::start().await;
        let session = server.create_session("scripted").await;
        let sample = Sample::new(&session, "t");
        let socket = server.socket_of("upsert-v2").await;
        let mut scribe = Self { server, session, sample, socket, frames };
        scribe.open(place).await;
        scribe
    }

    async fn open(&mut self, place: &Value) {
        let mut open = json!({"type": "session:open", "sessionId": self.session});
        open.as_object_mut().unwrap().extend(place.as_object().unwrap().clone());
        self.socket.send(&open).await;
        self.listen().await;
    }

    /// The connection is lost and comes back.
    async fn reconnect(&mut self) {
        let place = self.place();
        self.socket = self.server.socket_of("upsert-v2").await;
        self.open(&place).await;
    }

    fn place(&self) -> Value {
        let mut told = self.frames.iter().rev();
        let history = told.find(|frame| frame["type"] == "session:history").unwrap();
        let epoch = history["epoch"].clone();
        json!({"epoch": epoch, "after": self.frames.last().unwrap()["seq"]})
    }

    /// Notes the next frame that is about items or turns.
    async fn listen(&mut self) -> Value {
        const TOLD: [&str; 4] =
            ["session:history", "session:upsert", "session:delta", "session:turn"];
        loop {
            let frame = self.socket.receive().await;
            if TOLD.iter().any(|kind| frame["type"] == *kind) {
                self.frames.push(frame.clone());
                return frame;
            }
        }
    }

    /// The agent says something that nobody listens to.
    async fn miss(&self, upsert: UpsertObject) {
        self.server.parts.agent.emit(upsert).await;
    }

    async fn say(&mut self, upsert: UpsertObject) {
        self.miss(upsert).await;
        self.listen().await;
    }

    async fn write(&mut self, item: &str, status: ItemStatus, text: &str) {
        self.say(self.sample.message(item, status, text)).await;
    }

    async fn begin(&mut self) {
        self.turn(self.sample.started()).await;
    }

    async fn turn(&mut self, event: TurnEvent) {
        self.server.parts.agent.emit_turn(event).await;
        self.listen().await;
    }

    /// Listens until it has heard of everything that was said.
    async fn catch_up(&mut self) {
        let path = format!("/api/session/{}/history?after=0", self.session);
        let head = self.server.client().get(&path).await.json()["seq"].as_u64().unwrap();
        while self.frames.last().unwrap()["seq"].as_u64().unwrap() < head {
            self.listen().await;
        }
    }

    async fn end(mut self, name: &'static str) -> Transcript {
        self.turn(self.sample.completed()).await;
        let path = format!("/api/session/{}", self.session);
        let client = self.server.client();
        let history = client.get(&format!("{path}/history?after=0")).await.json();
        assert_eq!(history["more"], false, "one page");
        let mut items = Map::new();
        for entry in history["entries"].as_array().unwrap() {
            let id = entry["itemId"].as_str().unwrap();
            items.insert(id.to_owned(), client.get(&format!("{path}/item/{id}")).await.json());
        }
        self.server.parts.stop.cancel();
        self.is_what_a_client_shows(&history);
        Transcript { name, frames: self.frames, items, history, is_exact: true }
    }

    /// The reducer of the test kit comes to the same end.
    fn is_what_a_client_shows(&self, history: &Value) {
        let mut view = ClientView::new(&self.session);
        for frame in &self.frames {
            let frame: ServerFrame = serde_json::from_value(frame.clone()).unwrap();
            view.apply(frame.message);
        }
        let mut expected = ClientView::new(&self.session);
        expected.apply_older(serde_json::from_value(history.clone()).unwrap());
        assert!(view.mismatches.is_empty());
        assert_eq!(view.shown(), expected.shown());
    }
}

async fn growing_text() -> Transcript {
    let mut scribe = Scribe::start().await;
    scribe.begin().await;
    scribe.write("m", ItemStatus::Create, "caf\u{e9} \u{1f600}").await;
    scribe.write("n", ItemStatus::Create, "").await;
    scribe.write("m", ItemStatus::Update, "caf\u{e9} \u{1f600}\u{1f469}\u{200d}\u{1f4bb}").await;
    scribe.write("n", ItemStatus::Update, "\u{1f600}").await;
    scribe.write("n", ItemStatus::Update, "\u{1f600}e\u{301}").await;
    let whole = "caf\u{e9} \u{1f600}\u{1f469}\u{200d}\u{1f4bb} \u{20ac}\n";
    scribe.write("m", ItemStatus::Update, whole).await;
    scribe.write("n", ItemStatus::Update, "written anew").await;
    scribe.write("n", ItemStatus::Error, "written anew, and cut").await;
    scribe.write("m", ItemStatus::Complete, &format!("{whole}end")).await;
    scribe.end("growing-text").await
}

async fn tool_calls() -> Transcript {
    let mut scribe = Scribe::start().await;
    scribe.begin().await;
    let sample = scribe.sample.clone();
    scribe.say(sample.tool("c", ItemStatus::Create, None)).await;
    scribe.say(sample.tool("c", ItemStatus::Update, Some("line 1\n"))).await;
    scribe.say(sample.tool("d", ItemStatus::Complete, None)).await;
    scribe.say(sample.tool("c", ItemStatus::Update, Some("line 1\nline 2\n"))).await;
    scribe.say(sample.tool("d", ItemStatus::Complete, Some("all of it"))).await;
    scribe.say(sample.tool("c", ItemStatus::Complete, Some("line 1\nline 2\nend\n"))).await;
    scribe.end("tool-calls").await
}

async fn a_long_item() -> Transcript {
    let mut scribe = Scribe::start().await;
    scribe.begin().await;
    for kilobytes in [100, 200, 300] {
        scribe.write("m", ItemStatus::Update, &FILLER.repeat(kilobytes << 10)).await;
    }
    scribe.write("m", ItemStatus::Complete, &FILLER.repeat(400 << 10)).await;
    scribe.end("long-item").await
}

async fn a_subagent() -> Transcript {
    let mut scribe = Scribe::start().await;
    scribe.begin().await;
    let sample = scribe.sample.clone();
    let of_task = |item: UpsertObject| UpsertObject { parent_item_id: Some("task".into()), ..item };
    scribe.say(sample.tool("task", ItemStatus::Complete, None)).await;
    scribe.say(of_task(sample.message("inner", ItemStatus::Create, "I look"))).await;
    scribe.write("outer", ItemStatus::Create, "Meanwhile").await;
    scribe.say(of_task(sample.message("inner", ItemStatus::Update, "I look at it"))).await;
    scribe.say(of_task(sample.message("inner", ItemStatus::Complete, "I look at it."))).await;
    scribe.say(sample.tool("task", ItemStatus::Complete, Some("done"))).await;
    scribe.write("outer", ItemStatus::Complete, "Meanwhile, this.").await;
    scribe.end("subagent").await
}

/// A thought, an answer that the agent took back, a message that joined the turn, and a turn that failed.
async fn thoughts_and_failures() -> Transcript {
    let mut scribe = Scribe::start().await;
    scribe.begin().await;
    let sample = scribe.sample.clone();
    let thought = |status, text: &str| UpsertObject {
        body: UpsertBody::Thinking { content: text.into(), provider_id: "p".into() },
        ..sample.message("thought", status, "")
    };
    scribe.say(thought(ItemStatus::Create, "Let me")).await;
    scribe.say(thought(ItemStatus::Update, "Let me see")).await;
    scribe.say(thought(ItemStatus::Complete, "Let me see.")).await;
    scribe.write("m", ItemStatus::Create, "First try").await;
    let taken_back = sample.message("m", ItemStatus::Error, "First try");
    scribe.say(UpsertObject { error_code: Some(ErrorCode::SUPERSEDED), ..taken_back }).await;
    let other = Sample::new(&scribe.session, "joined");
    let mut joined = other.started();
    if let TurnEventKind::TurnStarted { joined_turn_id, .. } = &mut joined.kind {
        *joined_turn_id = Some("t".into());
    }
    scribe.turn(joined).await;
    scribe.turn(other.completed()).await;
    let failing = Sample::new(&scribe.session, "failing");
    scribe.turn(failing.started()).await;
    scribe.say(failing.message("half", ItemStatus::Complete, "half an answer")).await;
    scribe.turn(failing.failed(ErrorCode::RESPONSE_ERROR)).await;
    scribe.end("thoughts-and-failures").await
}

/// What an agent says that says anything, to a connection that is lost now and then: the same every time for one seed, but for
/// how much of it is told in one frame.
async fn a_random_life(name: &'static str, seed: u8) -> Transcript {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut chance = TestRunner::new_with_rng(Config::default(), rng);
    let mut scribe = Scribe::start().await;
    scribe.begin().await;
    let mut source = Source::new(&scribe.session);
    for step in 0..RANDOM_STEPS {
        let said = saying().new_tree(&mut chance).unwrap().current();
        if !matches!(said, Saying::Flood | Saying::Swell(_)) {
            source.say(&scribe.server, said).await;
        }
        match step % LOST_EVERY {
            0 => scribe.socket = scribe.server.socket_of("upsert-v2").await,
            // What was said since was missed.
            3 => scribe.reconnect().await,
            1 | 2 => {}
            _ => scribe.catch_up().await,
        }
    }
    scribe.reconnect().await;
    Transcript { is_exact: false, ..scribe.end(name).await }
}

async fn a_lost_connection() -> Transcript {
    let mut scribe = Scribe::start().await;
    scribe.begin().await;
    let sample = scribe.sample.clone();
    scribe.write("m", ItemStatus::Create, "one").await;
    scribe.write("m", ItemStatus::Update, "one two").await;
    scribe.socket = scribe.server.socket_of("upsert-v2").await;
    scribe.miss(sample.message("m", ItemStatus::Update, "one two three")).await;
    scribe.miss(sample.message("n", ItemStatus::Complete, "meanwhile")).await;
    scribe.reconnect().await;
    scribe.write("m", ItemStatus::Complete, "one two three four").await;
    scribe.end("lost-connection").await
}

/// The journal is lost, and with it the numbering; what the first server told is known under another name.
async fn a_reset() -> Transcript {
    let mut first = Scribe::start().await;
    first.begin().await;
    first.write("m", ItemStatus::Create, "of the old life").await;
    first.write("gone", ItemStatus::Complete, "lost").await;
    first.server.parts.stop.cancel();
    let mut frames = first.frames;
    frames[0]["epoch"] = json!("epoch-0");
    let mut scribe = Scribe::resume(frames, &json!({"epoch": "epoch-0", "after": 3})).await;
    assert_eq!(scribe.frames.last().unwrap()["mode"], "reset");
    scribe.write("m", ItemStatus::Create, "new").await;
    scribe.write("m", ItemStatus::Complete, "new life").await;
    scribe.end("reset").await
}

/// More than the outbox and the sockets' buffers hold, while nobody reads. Where the outbox is dropped depends on them.
async fn a_resync() -> Transcript {
    let mut scribe = Scribe::start().await;
    scribe.begin().await;
    scribe.write("m", ItemStatus::Create, "begun").await;
    let sample = scribe.sample.clone();
    let items = || (0..8).map(|n| format!("flood{n}"));
    for shorter in 0..15 {
        for id in items() {
            let text = FILLER.repeat(200_000 - shorter);
            scribe.miss(sample.message(&id, ItemStatus::Update, &text)).await;
        }
    }
    scribe.miss(sample.message("m", ItemStatus::Update, "begun, and")).await;
    for id in items() {
        scribe.miss(sample.message(&id, ItemStatus::Complete, "short")).await;
    }
    while scribe.listen().await["seq"] != 2 + 8 * 15 + 1 + 8 {}
    assert!(scribe.frames.iter().any(|frame| frame["resync"] == true), "nothing was dropped");
    scribe.write("m", ItemStatus::Complete, "begun, and done").await;
    Transcript { is_exact: false, ..scribe.end("resync").await }
}

#[tokio::test]
async fn the_transcripts_that_the_page_replays_are_current() {
    let transcripts = [
        growing_text().await,
        tool_calls().await,
        a_long_item().await,
        a_subagent().await,
        a_lost_connection().await,
        a_reset().await,
        a_resync().await,
        thoughts_and_failures().await,
        a_random_life("random-1", 1).await,
        a_random_life("random-2", 2).await,
        a_random_life("random-3", 3).await,
        a_random_life("random-4", 4).await,
    ];
    let mut files: Vec<_> = std::fs::read_dir(directory()).into_iter().flatten().collect();
    transcripts.iter().for_each(check);
    files.retain(|file| {
        let path = file.as_ref().unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        transcripts.iter().all(|transcript| transcript.name != name)
    });
    assert!(files.is_empty(), "of no transcript: {files:?}");
}

fn directory() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/tests/transcripts"))
}

fn check(transcript: &Transcript) {
    let path = directory().join(format!("{}.json", transcript.name));
    let fresh = transcript.to_json();
    let kept = || -> Value {
        let text = std::fs::read_to_string(&path).unwrap_or_else(|_| "null".to_owned());
        serde_json::from_str(&text).unwrap()
    };
    let is_current = |kept: &Value| {
        let is_same = |part: &str| kept[part] == fresh[part];
        is_same("history") && is_same("items") && (is_same("frames") || !transcript.is_exact)
    };
    let update = std::env::var("UPDATE_SNAPSHOTS").as_deref() == Ok("1");
    if update && !is_current(&kept()) {
        std::fs::create_dir_all(directory()).unwrap();
        std::fs::write(&path, format!("{fresh:#}\n")).unwrap();
    }
    assert!(is_current(&kept()), "{} is stale: UPDATE_SNAPSHOTS=1 writes it anew", transcript.name);
}

/// With long filler as its length.
fn filled(value: Value) -> Value {
    match value {
        Value::String(text) if text.len() > FILLED && text.replace(FILLER, "").is_empty() => {
            json!({"repeated": FILLER, "times": text.len()})
        }
        Value::Array(values) => values.into_iter().map(filled).collect(),
        Value::Object(fields) => {
            fields.into_iter().map(|(name, value)| (name, filled(value))).collect()
        }
        value @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => value,
    }
}
