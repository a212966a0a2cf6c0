//! Clients that behave in any way end with the same view as the journal.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use contract::{
    HistoryPage, ItemStatus, STREAM_LIMIT, ServerFrame, SessionId, TurnEvent, UpsertObject,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::json;
use store::{Journal, MemoryJournal, SqliteJournal};
use tempfile::TempDir;
use testkit::{ClientView, Sample, SocketClient, TestServer, TestService};

use crate::bad_link::{Cut, Link};
use crate::legacy_view::LegacyView;
use crate::random_agent::{Saying, Source, saying};

const CASES: u32 = 100;
const FAMILIES: [&str; 3] = ["upsert-v2", "upsert-v1", "legacy"];
/// One of each family, and one of each that is slow.
const CLIENTS: usize = 2 * FAMILIES.len();
/// Of which a client may have opened any, on one connection.
const SESSIONS: usize = 2;

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

/// What a client knows of a session.
struct Seen {
    session: SessionId,
    view: ClientView,
    /// In place of the view, where the family is the old one.
    legacy: LegacyView,
    /// Whether it is told of the session on the connection it has.
    is_open: bool,
}

impl Seen {
    fn new(session: &SessionId) -> Self {
        let (view, legacy) = (ClientView::new(session), LegacyView::default());
        Self { session: session.clone(), view, legacy, is_open: false }
    }

    fn has_the_end(&self) -> bool {
        self.view.items.contains_key("end") || self.legacy.has_ended("end")
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
        self.seen[at].is_open = self.socket.is_some();
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

    /// All on one connection, those that are open already too. To an old client that would be a history in place of all that
    /// it was told live, so it leaves those.
    async fn open_all(&mut self, server: &TestServer, keeps_place: bool, slice: usize) {
        let mut at = 0;
        while at < self.seen.len() {
            if self.is_legacy() && self.seen[at].is_open {
                at += 1;
                continue;
            }
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
        self.disconnect();
        self.broken += 1;
    }

    fn disconnect(&mut self) {
        self.socket = None;
        self.seen.iter_mut().for_each(|seen| seen.is_open = false);
    }

    async fn close(&mut self, at: usize) {
        let Seen { session, is_open, .. } = &mut self.seen[at];
        *is_open = false;
        let close = json!({"type": "session:close", "sessionId": session});
        self.say(&close).await;
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

/// What connections are told of an item that is too long for them and grows is not every state of it: the same text, and in
/// steps how long the whole is.
fn as_told((mut items, turns): (Vec<UpsertObject>, Vec<TurnEvent>)) -> Shown {
    for item in items.iter_mut().filter(|item| item.status == ItemStatus::Update) {
        if let Some(whole) = &mut item.truncated {
            whole.bytes /= STREAM_LIMIT as u64;
            item.seq = None;
        }
    }
    (items, turns)
}

type Shown = (Vec<UpsertObject>, Vec<TurnEvent>);

/// Items without their texts, so that a failure can be read.
fn outline((items, turns): &Shown) -> Vec<String> {
    let items = items.iter().map(|item| {
        let length = item.growing_text().map_or(0, contract::Text::len);
        let UpsertObject { item_id, seq, status, truncated, .. } = item;
        format!("{item_id} {seq:?} {status:?} {length} {truncated:?}")
    });
    items.chain(turns.iter().map(|event| format!("{:?}", event.seq))).collect()
}

/// The journal in memory, or the one on disk with the directory that it is in.
fn journal(on_disk: bool) -> (Arc<dyn Journal>, Option<TempDir>) {
    if !on_disk {
        return (Arc::new(MemoryJournal::default()), None);
    }
    let directory = tempfile::tempdir().unwrap();
    let journal = SqliteJournal::open(&directory.path().join("journal.db")).unwrap();
    (Arc::new(journal), Some(directory))
}

async fn live(steps: Vec<Step>, on_disk: bool) -> (usize, usize) {
    let (journal, _directory) = journal(on_disk);
    let server = TestServer::of(TestService::with_journal(journal).await).await;
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
        Step::Disconnect(client) => clients[client].disconnect(),
        Step::Open(client, session, keeps_place, link) => {
            clients[client].open(server, session, keeps_place, link).await;
        }
        Step::Close(client, session) => clients[client].close(session).await,
    }
}

/// Every client shows what the journal has.
async fn agree(server: &TestServer, sessions: &[SessionId], clients: &[Client]) {
    let mut fresh = Client::new(FAMILIES.len() - 1, sessions);
    fresh.catch_up(server).await;
    for (at, session) in sessions.iter().enumerate() {
        let expected = as_told(journalled(server, session).await.shown());
        for client in clients.iter().filter(|client| client.is_legacy()) {
            client.seen[at].legacy.shows(&expected.0, &fresh.seen[at].legacy);
        }
        for client in clients.iter().filter(|client| !client.is_legacy()) {
            let shown = as_told(client.seen[at].view.shown());
            assert_eq!(outline(&shown), outline(&expected), "{}", client.family);
            assert!(shown == expected, "{}: the same items differ", client.family);
        }
    }
}

#[test]
fn a_hundred_random_clients_end_with_the_view_of_the_journal() {
    let (resyncs, broken) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let config = Config { failure_persistence: None, ..Config::with_cases(CASES) };
    let cases = (steps(), proptest::bool::weighted(0.2));
    let run = TestRunner::new(config).run(&cases, |(steps, on_disk)| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let case = live(steps, on_disk);
        let case = async { tokio::time::timeout(Duration::from_secs(120), case).await };
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
