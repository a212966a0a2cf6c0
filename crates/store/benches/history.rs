//! Reading pages of a journal that holds a million items, and writing to it.
//!
//! Run by `cargo xtask bench server`, which reads the `bound:` lines. `LIMINAL_BENCH_QUICK` makes the journal small.
#![expect(clippy::unwrap_used, reason = "a benchmark may end loudly")]

use std::io::Write;
use std::sync::Arc;

use contract::{
    ItemStatus, MessageOrigin, Seq, SessionId, SessionSource, Timestamp, UpsertBody, UpsertObject,
};
use measure::{Bound, Limit, Quantile, of_one};
use store::{
    AgentChoices, Change, HistoryQuery, Journal, MemoryJournal, PageLimit, SessionRecord,
    SqliteJournal, Wanted,
};
use tokio::time::Instant;

/// Items of each session.
const ITEMS: u64 = 10_000;
/// Appended at once, as an import does.
const BATCH: u64 = 1_000;
/// Pages that are read.
const PAGES: usize = 400;
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

async fn fill(journal: &dyn Journal, sessions: u64) {
    for n in 0..sessions {
        let session = SessionId::from(format!("s{n}"));
        journal.create_session(record(&session)).await.unwrap();
        for start in (0..ITEMS).step_by(usize::try_from(BATCH).unwrap()) {
            let changes = (start + 1..=start + BATCH).map(|seq| item(&session, seq)).collect();
            journal.append(&session, changes).await.unwrap();
        }
    }
}

/// Pages of two hundred from everywhere, in milliseconds.
async fn pages(journal: &dyn Journal, sessions: u64) -> Vec<f64> {
    let mut times = Vec::new();
    let mut place: u64 = 7;
    for _ in 0..PAGES {
        place = place.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let session = SessionId::from(format!("s{}", (place >> 33) % sessions));
        let position = Seq((place >> 17) % ITEMS + 2);
        let limit = PageLimit { entries: 200, bytes: 1 << 20 };
        let start = Instant::now();
        let page =
            journal.history(&session, HistoryQuery::Before { position, limit }).await.unwrap();
        times.push(millis(start));
        assert!(!page.entries.is_empty());
    }
    times
}

/// A session from its beginning to its end, page by page.
async fn whole(journal: &dyn Journal, items: u64) -> f64 {
    let start = Instant::now();
    let limit = PageLimit { entries: 500, bytes: 1 << 20 };
    let mut position = Seq(ITEMS + 1);
    let mut read = 0;
    while read < items {
        let query = HistoryQuery::Before { position, limit };
        let page = journal.history(&"s0".into(), query).await.unwrap();
        read += u64::try_from(page.entries.len()).unwrap();
        position = page.entries.first().unwrap().position.unwrap();
    }
    millis(start)
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
    let session = SessionId::from(format!("s{}", sessions - 1));
    let wanted = Wanted::parse(&format!("item{ITEMS}")).unwrap().within(Some(session));
    while journal.search(wanted.clone(), 1).await.unwrap().is_empty() {}
    start.elapsed().as_secs_f64()
}

fn millis(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1000.0
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let sessions = if std::env::var_os("LIMINAL_BENCH_QUICK").is_some() { 4 } else { 100 };
    let directory = tempfile::tempdir()?;
    let disk = SqliteJournal::open(&directory.path().join("journal.db")).unwrap();
    let start = Instant::now();
    fill(&disk, sessions).await;
    let filled = start.elapsed().as_secs_f64();
    let found = until_found(&disk, sessions).await;
    let memory = MemoryJournal::default();
    fill(&memory, 4).await;
    let (in_memory, on_disk) = (pages(&memory, 4).await, pages(&disk, sessions).await);
    let (whole, searches) = (whole(&disk, 2000).await, searches(&disk).await);
    let row = |way: &str, times: &[f64]| {
        let of = |quantile: Quantile| quantile.of(times);
        format!(
            "| {way} | {:.2} | {:.2} | {:.2} |\n",
            of(Quantile::Median),
            of(Quantile::P95),
            of(Quantile::P99)
        )
    };
    let mut out = std::io::stdout().lock();
    #[expect(clippy::cast_precision_loss, reason = "a figure of a benchmark")]
    let rate = (sessions * ITEMS) as f64 / filled;
    writeln!(
        out,
        "\
### Pages of a long history

| what | median, ms | P95, ms | P99, ms |
|---|---:|---:|---:|
{}{}{}
{sessions} sessions of {ITEMS} items of 400 bytes in one file; pages of 200 items from random places. *in memory*: the same
from the journal in memory, which holds four such sessions. Two thousand items of one session, page by page: {whole:.0} ms. Written
in batches of a thousand: {rate:.0} items a second; the last of them could be found by its words {found:.1} s later.
",
        row("a page from disk", &on_disk),
        row("a page in memory", &in_memory),
        row("a search for two words", &searches),
    )?;
    let bound = |text, limit, figure| {
        let limit = Limit::AtMost(limit);
        Bound { name: "f9_history", text, limit, figure, unit: " ms" }.to_string()
    };
    writeln!(
        out,
        "{}",
        bound("a page of 200 items of a million, P99", 20.0, of_one(Quantile::P99, &on_disk))
    )?;
    writeln!(
        out,
        "{}",
        bound("two thousand items of one session", 150.0, measure::Estimate::exact(whole))
    )
}
