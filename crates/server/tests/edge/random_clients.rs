//! Clients that behave in any way end with the same view as the journal.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use contract::{HistoryPage, ItemStatus, ServerFrame, SessionId, TurnEvent, UpsertObject};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;
use testkit::{ClientView, Sample, SocketClient, TestServer};

use crate::bad_link::{Cut, Link};
use crate::legacy_view::LegacyView;

const CASES: u32 = 100;
const FAMILIES: [&str; 3] = ["upsert-v2", "upsert-v1", "legacy"];
/// One of each family, and one of each that is slow.
const CLIENTS: usize = 2 * FAMILIES.len();
/// Of which a client may have opened any, on one connection.
const SESSIONS: usize = 2;
const SLOTS: usize = 3;

/// What happens next.
#[derive(Clone, Debug)]
enum Step {
    /// The agent of a session says something.
    Say(usize, Saying),
    Read(usize, usize),
    /// Without a word, whatever is on its way.
    Disconnect(usize),
    /// Connects if it is not connected, over a link that may break at any byte, and opens a session, with its place or
    /// from the beginning.
    Open(usize, usize, bool, Link),
    Close(usize, usize),
}

#[derive(Clone, Debug)]
enum Saying {
    /// The text of an item goes on.
    Grow(usize, String),
    Rewrite(usize, String),
    /// An item ends, and another takes its slot.
    End(usize, bool),
    Turn,
    /// More than the outbox of a client holds that does not read.
    Flood,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let (session, client) = (0..SESSIONS, 0..CLIENTS);
    let open = (client.clone(), session.clone(), any::<bool>(), link());
    let step = prop_oneof![
        65 => (session.clone(), saying()).prop_map(|(session, saying)| Step::Say(session, saying)),
        32 => (client.clone(), 0..8_usize).prop_map(|(client, count)| Step::Read(client, count)),
        8 => client.clone().prop_map(Step::Disconnect),
        16 => open.prop_map(|(client, session, keeps, link)| Step::Open(client, session, keeps, link)),
        4 => (client, session).prop_map(|(client, session)| Step::Close(client, session)),
    ];
    proptest::collection::vec(step, 0..80)
}

fn saying() -> impl Strategy<Value = Saying> {
    let (slot, text) = (0..SLOTS, "[a-z \u{e4}\u{20ac}\u{1f600}\n\"]{0,60}");
    prop_oneof![
        48 => (slot.clone(), text).prop_map(|(slot, text)| Saying::Grow(slot, text)),
        4 => (slot.clone(), text).prop_map(|(slot, text)| Saying::Rewrite(slot, text)),
        8 => (slot, any::<bool>()).prop_map(|(slot, fails)| Saying::End(slot, fails)),
        4 => Just(Saying::Turn),
        1 => Just(Saying::Flood),
    ]
}

fn link() -> impl Strategy<Value = Link> {
    // Within heads and hellos, within messages that are short, and within those that are long.
    let at = prop_oneof![0..600_usize, 0..5000_usize, 0..2_000_000_usize];
    let cut = (at, any::<bool>(), any::<bool>()).prop_map(|(at, of_client, reset)| Cut {
        at,
        of_client,
        reset,
    });
    let slice = prop_oneof![1..8_usize, Just(64 << 10)];
    (slice, proptest::option::weighted(0.7, cut)).prop_map(|(slice, cut)| Link { slice, cut })
}

/// An agent that says things.
struct Source {
    session: SessionId,
    sample: Sample,
    /// The item of each slot and its text, if it has begun.
    slots: [(usize, Option<String>); SLOTS],
    turns: usize,
    floods: usize,
}

impl Source {
    fn new(session: &SessionId) -> Self {
        let slots = std::array::from_fn(|_| (0, None));
        let sample = Sample::new(session, "turn");
        Self { session: session.clone(), sample, slots, turns: 0, floods: 0 }
    }

    async fn say(&mut self, server: &TestServer, saying: Saying) {
        match saying {
            Saying::Grow(slot, more) => self.grow(server, slot, &more).await,
            Saying::Rewrite(slot, text) => self.put(server, slot, text, ItemStatus::Update).await,
            Saying::End(slot, fails) => {
                let text = self.slots[slot].1.clone().unwrap_or_default() + ".";
                let status = if fails { ItemStatus::Error } else { ItemStatus::Complete };
                self.put(server, slot, text, status).await;
            }
            Saying::Turn => self.turn(server).await,
            Saying::Flood => self.flood(server).await,
        }
    }

    async fn put(&mut self, server: &TestServer, slot: usize, text: String, status: ItemStatus) {
        let (generation, before) = &mut self.slots[slot];
        let status = match (&before, status) {
            (None, ItemStatus::Update) => ItemStatus::Create,
            (_, status) => status,
        };
        let id = format!("s{slot}-{generation}");
        server.parts.agent.emit(self.sample.message(&id, status, &text)).await;
        *before = Some(text);
        if matches!(status, ItemStatus::Complete | ItemStatus::Error) {
            (*generation, *before) = (*generation + 1, None);
        }
    }

    async fn grow(&mut self, server: &TestServer, slot: usize, more: &str) {
        let text = self.slots[slot].1.clone().unwrap_or_default() + more;
        self.put(server, slot, text, ItemStatus::Update).await;
    }

    async fn turn(&mut self, server: &TestServer) {
        let turn = Sample::new(&self.session, &format!("turn-{}", self.turns));
        self.turns += 1;
        server.parts.agent.emit_turn(turn.started()).await;
        server.parts.agent.emit_turn(turn.completed()).await;
    }

    async fn flood(&mut self, server: &TestServer) {
        for n in 0..6 {
            let (id, text) = (format!("flood{}-{n}", self.floods), "x".repeat(190_000));
            let item = self.sample.message(&id, ItemStatus::Complete, &text);
            server.parts.agent.emit(item).await;
        }
        self.floods += 1;
    }
}

/// What a client knows of a session.
struct Seen {
    session: SessionId,
    view: ClientView,
    /// In place of the view, where the family is the old one.
    legacy: LegacyView,
}

impl Seen {
    fn new(session: &SessionId) -> Self {
        let (view, legacy) = (ClientView::new(session), LegacyView::default());
        Self { session: session.clone(), view, legacy }
    }

    fn has_the_end(&self) -> bool {
        self.view.items.contains_key("end")
            || self.legacy.texts.get("end").is_some_and(|text| !text.is_empty())
    }
}

struct Client {
    family: &'static str,
    is_narrow: bool,
    socket: Option<SocketClient>,
    seen: Vec<Seen>,
    resyncs: usize,
    /// Connections that broke under it.
    broken: usize,
}

impl Client {
    fn new(index: usize, sessions: &[SessionId]) -> Self {
        Self {
            family: FAMILIES[index % FAMILIES.len()],
            is_narrow: index >= FAMILIES.len(),
            socket: None,
            seen: sessions.iter().map(Seen::new).collect(),
            resyncs: 0,
            broken: 0,
        }
    }

    async fn open(&mut self, server: &TestServer, at: usize, keeps_place: bool, link: Link) {
        if self.socket.is_none() {
            self.connect(server, link).await;
        }
        let Seen { session, view, .. } = &self.seen[at];
        let mut open = json!({"type": "session:open", "sessionId": session});
        if let Some((epoch, seq)) = view.place.as_ref().filter(|_| keeps_place) {
            (open["epoch"], open["after"]) = (json!(epoch), json!(seq));
        }
        self.say(&open).await;
    }

    async fn connect(&mut self, server: &TestServer, link: Link) {
        let (host, bearer) = (format!("127.0.0.1:{}", server.port), server.bearer());
        let headers = [("host", host.as_str()), ("authorization", &bearer)];
        let port = link.to(server.port, &server.parts.tasks).await;
        self.socket = SocketClient::try_connect(port, self.is_narrow, &headers).await;
        self.broken += usize::from(self.socket.is_none());
        if !self.is_legacy() {
            self.say(&json!({"type": "session:hello", "streamProtocol": self.family})).await;
        }
    }

    /// All on one connection, those that are open already too.
    async fn open_all(&mut self, server: &TestServer, keeps_place: bool, slice: usize) {
        let mut at = 0;
        while at < self.seen.len() {
            self.open(server, at, keeps_place, Link { slice, cut: None }).await;
            // One that turns out to be gone has none of them open.
            at = if self.socket.is_some() { at + 1 } else { 0 };
        }
    }

    async fn say(&mut self, message: &serde_json::Value) {
        if let Some(socket) = &mut self.socket
            && !socket.try_send(message).await
        {
            self.lose();
        }
    }

    /// What it knows stays, and where it stands.
    fn lose(&mut self) {
        self.socket = None;
        self.broken += 1;
    }

    fn is_legacy(&self) -> bool {
        self.family == "legacy"
    }

    fn take(&mut self, text: &str) {
        if self.is_legacy() {
            return self.take_legacy(&serde_json::from_str(text).unwrap());
        }
        let frame: ServerFrame = serde_json::from_str(text).unwrap();
        if text.contains(r#""resync":true"#) {
            self.resyncs += 1;
        }
        for Seen { view, .. } in &mut self.seen {
            view.apply(frame.message.clone());
            assert!(view.mismatches.is_empty(), "{}: {text}", self.family);
        }
    }

    fn take_legacy(&mut self, message: &serde_json::Value) {
        for Seen { session, legacy, .. } in &mut self.seen {
            if message["sessionId"] == session.as_str() {
                legacy.apply(message);
            }
        }
    }

    /// Reads what is there, at most so many messages.
    async fn read(&mut self, count: usize) {
        for _ in 0..count {
            tokio::task::yield_now().await;
            match self.socket.as_mut().and_then(SocketClient::received) {
                Some(Some(text)) => self.take(&text),
                Some(None) => return self.lose(),
                None => return,
            }
        }
    }

    /// Reads until it knows the last item of each session.
    async fn catch_up(&mut self, server: &TestServer) {
        // Whatever its last link was, one that holds brings it there.
        self.open_all(server, true, 64 << 10).await;
        while !self.seen.iter().all(Seen::has_the_end) {
            let socket = self.socket.as_mut();
            let text = match socket {
                Some(socket) => socket.try_receive().await,
                None => None,
            };
            match text {
                Some(text) => self.take(&text),
                None => {
                    self.lose();
                    self.open_all(server, true, 1).await;
                }
            }
        }
        for Seen { session, view, .. } in &mut self.seen {
            while view.more {
                let before = view.oldest().expect("there is a page");
                view.apply_older(page(server, session, &format!("before={}", before.0)).await);
            }
        }
    }
}

async fn page(server: &TestServer, session: &SessionId, query: &str) -> HistoryPage {
    let answer = server.client().get(&format!("/api/session/{session}/history?{query}")).await;
    serde_json::from_value(answer.json()).unwrap()
}

/// Everything that the journal has.
async fn journalled(server: &TestServer, session: &SessionId) -> ClientView {
    let mut view = ClientView::new(session);
    let mut seq = 0;
    loop {
        let page = page(server, session, &format!("after={seq}")).await;
        seq = page.seq.0;
        view.apply_older(page);
        if !view.more {
            return view;
        }
    }
}

/// Items without their texts, so that a failure can be read.
fn outline((items, turns): &(Vec<UpsertObject>, Vec<TurnEvent>)) -> Vec<String> {
    let items = items.iter().map(|item| {
        let length = item.content().map_or(0, contract::Text::len);
        format!("{} {:?} {:?} {length}", item.item_id, item.seq, item.status)
    });
    items.chain(turns.iter().map(|event| format!("{:?}", event.seq))).collect()
}

async fn live(steps: Vec<Step>) -> (usize, usize) {
    let server = TestServer::start().await;
    let mut sources = Vec::new();
    for _ in 0..SESSIONS {
        sources.push(Source::new(&server.create_session("scripted").await));
    }
    let sessions: Vec<_> = sources.iter().map(|source| source.session.clone()).collect();
    let mut clients: Vec<_> = (0..CLIENTS).map(|index| Client::new(index, &sessions)).collect();
    for client in &mut clients {
        client.open_all(&server, false, 64 << 10).await;
    }
    for step in steps {
        take(step, &server, &mut sources, &mut clients).await;
    }
    for session in &sessions {
        let end = Sample::new(session, "end").message("end", ItemStatus::Complete, "the end");
        server.parts.agent.emit(end).await;
    }
    for client in &mut clients {
        client.catch_up(&server).await;
    }
    agree(&server, &sessions, &clients).await;
    let metrics = server.client().get("/metrics").await;
    assert!(metrics.text().contains("\nliminal_duplicate_deliveries_total 0\n"), "told twice");
    server.parts.stop.cancel();
    let count = |of: fn(&Client) -> usize| clients.iter().map(of).sum();
    (count(|client| client.resyncs), count(|client| client.broken))
}

async fn take(step: Step, server: &TestServer, sources: &mut [Source], clients: &mut [Client]) {
    match step {
        Step::Say(session, saying) => sources[session].say(server, saying).await,
        Step::Read(client, count) => clients[client].read(count).await,
        Step::Disconnect(client) => drop(clients[client].socket.take()),
        Step::Open(client, session, keeps_place, link) => {
            clients[client].open(server, session, keeps_place, link).await;
        }
        Step::Close(client, session) => {
            let session = &sources[session].session;
            clients[client].say(&json!({"type": "session:close", "sessionId": session})).await;
        }
    }
}

/// Every client shows what the journal has.
async fn agree(server: &TestServer, sessions: &[SessionId], clients: &[Client]) {
    let mut fresh = Client::new(FAMILIES.len() - 1, sessions);
    fresh.catch_up(server).await;
    for (at, session) in sessions.iter().enumerate() {
        let expected = journalled(server, session).await.shown();
        for client in clients.iter().filter(|client| client.is_legacy()) {
            client.seen[at].legacy.shows(&expected.0, &fresh.seen[at].legacy);
        }
        for client in clients.iter().filter(|client| !client.is_legacy()) {
            let shown = client.seen[at].view.shown();
            assert_eq!(outline(&shown), outline(&expected), "{}", client.family);
            assert!(shown == expected, "{}: the same items differ", client.family);
        }
    }
}

#[test]
fn a_hundred_random_clients_end_with_the_view_of_the_journal() {
    let (resyncs, broken) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let config = Config { failure_persistence: None, ..Config::with_cases(CASES) };
    let run = TestRunner::new(config).run(&steps(), |steps| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let case = async { tokio::time::timeout(Duration::from_secs(120), live(steps)).await };
        let counts = runtime.block_on(case).expect("an end");
        resyncs.fetch_add(counts.0, Ordering::Relaxed);
        broken.fetch_add(counts.1, Ordering::Relaxed);
        Ok(())
    });
    run.unwrap();
    assert!(resyncs.into_inner() > 0, "no outbox ever overflowed");
    assert!(broken.into_inner() > 0, "no connection ever broke");
}

#[test]
#[should_panic(expected = "seq goes on")]
fn a_change_that_is_told_twice_is_not_overlooked() {
    let session = SessionId::from("s");
    let mut client = Client::new(0, std::slice::from_ref(&session));
    let item = Sample::new(&session, "t").message("i", ItemStatus::Complete, "text");
    let mut item = serde_json::to_value(item).unwrap();
    item["seq"] = json!(5);
    let history = json!({"type": "session:history", "sessionId": "s", "epoch": "e", "seq": 4,
        "mode": "full", "entries": [], "turns": [], "more": false});
    let told = json!({"type": "session:upsert", "sessionId": "s", "seq": 5, "payload": item});
    for message in [history, told.clone(), told] {
        client.take(&message.to_string());
    }
}
