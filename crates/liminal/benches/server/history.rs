//! Pages of a journal that holds a million items: read by a client of the server, and straight from the journal.

use std::sync::Arc;

use contract::{
    ItemStatus, MessageOrigin, Seq, SessionId, SessionSource, Timestamp, UpsertBody, UpsertObject,
};
use measure::{Bound, Limit, Quantile, of_one};
use serde_json::{Value, json};
use store::{
    AgentChoices, Change, HistoryQuery, Journal, MemoryJournal, PageLimit, SessionRecord,
    SqliteJournal, Wanted,
};
use testkit::{HttpClient, ServerPlace, ServerProcess};
use tokio::time::Instant;

use crate::clients::Client;

/// Items of each session.
const ITEMS: u64 = 10_000;
/// Appended at once, as an import does.
const BATCH: u64 = 1_000;
/// Pages that are read.
const PAGES: usize = 400;
/// Items of the session that is read whole, and how often it is.
const WHOLE: u64 = 2_000;
const TIMES: usize = 30;
const TEXT: &str = "The words of an agent that explains at some length what it found in a file, which function it changed and \
     why, and which of the tests it ran afterwards with what result, so that a person may judge it. ";

fn record(session: &SessionId) -> SessionRecord {
    SessionRecord {
        session_id: session.clone(),
        project_id: "p".into(),
        project_dir: "/p".into(),
        cli_type: "external".into(),
        agent_session: None,
        choices: AgentChoices::default(),
        epoch: "e".into(),
        title: "New Session".into(),
        created_at: Timestamp::default(),
        last_active_at: Timestamp::default(),
        archived: false,
        dead: false,
        source: SessionSource::Created,
    }
}

fn item(session: &SessionId, seq: u64) -> Change {
    let content = format!("{TEXT}{TEXT} item{seq}").into();
    let body = UpsertBody::Message { content, origin: MessageOrigin::Agent };
    Change::Upsert(Arc::new(UpsertObject {
        status: ItemStatus::Complete,
        seq: Some(Seq(seq)),
        position: Some(Seq(seq)),
        ..UpsertObject::new(
            format!("t{}", seq / 20).into(),
            session.clone(),
            format!("i{seq}").into(),
            body,
        )
    }))
}

pub(crate) struct Histories {
    sessions: u64,
    in_memory: Vec<f64>,
    on_disk: Vec<f64>,
    by_http: Vec<f64>,
    whole: Vec<f64>,
    searches: Vec<f64>,
    /// Items a second.
    written: f64,
    /// Seconds until the last of them could be found.
    found: f64,
}

pub(crate) async fn measure(place: &ServerPlace, sessions: u64) -> Histories {
    let disk = SqliteJournal::open(&place.at("data").join("journal.db")).unwrap();
    let start = Instant::now();
    for n in 0..sessions {
        fill(&disk, n, ITEMS).await;
    }
    #[expect(clippy::cast_precision_loss, reason = "a figure of a benchmark")]
    let written = (sessions * ITEMS) as f64 / start.elapsed().as_secs_f64();
    let found = until_found(&disk, sessions).await;
    fill(&disk, sessions, WHOLE).await;
    let memory = MemoryJournal::default();
    for n in 0..4 {
        fill(&memory, n, ITEMS).await;
    }
    let (in_memory, on_disk) = (pages(&memory, 4).await, pages(&disk, sessions).await);
    let searches = searches(&disk).await;
    drop(disk);
    let server = place.start();
    let by_http = pages_by_http(&server.client(), sessions).await;
    let mut whole = Vec::new();
    for _ in 0..TIMES {
        whole.push(whole_session(&server, &name(sessions)).await);
    }
    Histories { sessions, in_memory, on_disk, by_http, whole, searches, written, found }
}

fn name(n: u64) -> SessionId {
    SessionId::from(format!("s{n}"))
}

async fn fill(journal: &dyn Journal, n: u64, items: u64) {
    let session = name(n);
    journal.create_session(record(&session)).await.unwrap();
    for start in (0..items).step_by(usize::try_from(BATCH).unwrap()) {
        let changes = (start + 1..=start + BATCH).map(|seq| item(&session, seq)).collect();
        journal.append(&session, changes).await.unwrap();
    }
}

/// Sessions, and positions in them, from everywhere.
fn places(sessions: u64) -> impl Iterator<Item = (SessionId, Seq)> {
    let mut place: u64 = 7;
    std::iter::repeat_with(move || {
        place = place.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (name((place >> 33) % sessions), Seq((place >> 17) % ITEMS + 2))
    })
    .take(PAGES)
}

/// Pages of two hundred, in milliseconds.
async fn pages(journal: &dyn Journal, sessions: u64) -> Vec<f64> {
    let mut times = Vec::new();
    for (session, position) in places(sessions) {
        let limit = PageLimit { entries: 200, bytes: 1 << 20 };
        let start = Instant::now();
        let query = HistoryQuery::Before { position, limit };
        let page = journal.history(&session, query).await.unwrap();
        times.push(millis(start));
        assert!(!page.entries.is_empty());
    }
    times
}

/// The same, as a client gets them: a connection, a request, and all of its answer.
async fn pages_by_http(client: &HttpClient, sessions: u64) -> Vec<f64> {
    let mut times = Vec::new();
    for (session, Seq(position)) in places(sessions) {
        let path = format!("/api/session/{session}/history?before={position}&limit=200");
        let start = Instant::now();
        let page = client.get(&path).await;
        times.push(millis(start));
        assert_eq!(page.status, 200, "{}", page.text());
    }
    times
}

/// A client opens a session and fetches all that came before the page it is shown, in milliseconds.
async fn whole_session(server: &ServerProcess, session: &SessionId) -> f64 {
    let (mut socket, client) = (Client::connect(server, "upsert-v2").await, server.client());
    let start = Instant::now();
    socket.say(&json!({ "type": "session:open", "sessionId": session.as_str() })).await;
    let mut page = socket.until("session:history").await;
    let mut read = entries(&page);
    while page["more"] == true {
        let position = &page["entries"][0]["position"];
        let path = format!("/api/session/{session}/history?before={position}&limit=500");
        page = client.get(&path).await.json();
        read += entries(&page);
    }
    assert_eq!(read, WHOLE);
    millis(start)
}

fn entries(page: &Value) -> u64 {
    page["entries"].as_array().map_or(0, Vec::len) as u64
}

async fn searches(journal: &dyn Journal) -> Vec<f64> {
    let mut times = Vec::new();
    for n in 0..40 {
        let wanted = Wanted::parse(&format!("item{} judge", n * 97 + 1)).unwrap();
        let start = Instant::now();
        let hits = journal.search(wanted, 20).await.unwrap();
        times.push(millis(start));
        assert!(!hits.is_empty());
    }
    times
}

/// Until what was written last can be found, in seconds: words are gathered beside the writer.
async fn until_found(journal: &dyn Journal, sessions: u64) -> f64 {
    let start = Instant::now();
    let wanted = Wanted::parse(&format!("item{ITEMS}")).unwrap().within(Some(name(sessions - 1)));
    while journal.search(wanted.clone(), 1).await.unwrap().is_empty() {}
    start.elapsed().as_secs_f64()
}

fn millis(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1000.0
}

fn row(way: &str, times: &[f64]) -> String {
    let of = |quantile: Quantile| quantile.of(times);
    let (median, p95, p99) = (of(Quantile::Median), of(Quantile::P95), of(Quantile::P99));
    format!("| {way} | {median:.2} | {p95:.2} | {p99:.2} |\n")
}

impl Histories {
    pub(crate) fn report(&self) -> String {
        format!(
            "\
### Pages of a long history

| what | median, ms | P95, ms | P99, ms |
|---|---:|---:|---:|
{}{}{}{}{}
{} sessions of {ITEMS} items of 400 bytes in one file; pages of 200 items from random places. *to a client*: by HTTP, each on a connection
of its own. *from the disk*, *in memory*: straight from the journal; that in memory holds four such sessions. *{WHOLE} items to a client*:
a session is opened by WebSocket, and what came before the page that this shows is fetched by HTTP, {TIMES} times. Written in batches of a
thousand: {:.0} items a second; the last of them could be found by its words {:.1} s later.

",
            row("a page to a client", &self.by_http),
            row("a page from the disk", &self.on_disk),
            row("a page in memory", &self.in_memory),
            row(&format!("{WHOLE} items to a client"), &self.whole),
            row("a search for two words", &self.searches),
            self.sessions,
            self.written,
            self.found,
        )
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        let bound = |text, limit, figure| {
            let limit = Limit::AtMost(limit);
            Bound { name: "f9_history", text, limit, figure, unit: " ms" }.to_string()
        };
        let page = of_one(Quantile::P99, &self.by_http);
        let whole = of_one(Quantile::P95, &self.whole);
        vec![
            bound("a page of 200 items of a million to a client, P99", 20.0, page),
            bound("two thousand items of one session to a client, P95", 150.0, whole),
        ]
    }
}
