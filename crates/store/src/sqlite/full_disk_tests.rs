//! What happens to writes when a transaction cannot be begun, is lost half-way, or the disk is full.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use contract::Timestamp;
use rusqlite::Connection;

use super::checkpoints::Renewal;
use super::tests::{directory, record};
use super::writer::{self, Tables, Writer};
use super::*;

/// A writer that has begun nothing yet: what is asked of it meanwhile shares a commit.
struct Waiting {
    writer: Writer,
    begin: Box<dyn FnOnce() + Send>,
}

fn waiting(path: &Path) -> Waiting {
    drop(SqliteJournal::open(path).unwrap());
    let connection = connect(path).unwrap();
    let version = schema::check(&connection).unwrap();
    schema::configure_writer(&connection, version).unwrap();
    connection.busy_timeout(std::time::Duration::ZERO).unwrap();
    let (writer, jobs) = Writer::new();
    let (_, poke, _) = WordIndex::new();
    Waiting {
        writer,
        begin: Box::new(move || {
            writer::run(Tables::new(connection), jobs, Renewal::default(), &poke);
        }),
    }
}

fn mark(tables: &Tables, name: &str) -> Result<(), StoreError> {
    let sql = "INSERT INTO marks (name) VALUES (?1)";
    tables.connection.execute(sql, [name]).map(drop).map_err(broken)
}

fn marks(path: &Path) -> Vec<String> {
    let connection = Connection::open(path).unwrap();
    let mut select = connection.prepare("SELECT name FROM marks ORDER BY name").unwrap();
    let names = select.query_map([], |row| row.get(0)).unwrap();
    names.collect::<Result<_, _>>().unwrap()
}

#[tokio::test]
async fn s_37_what_shares_a_commit_that_is_lost_is_told_so_and_nothing_of_it_is_kept() {
    let (_directory, path) = directory();
    let Waiting { writer, begin } = waiting(&path);
    // SQLite takes the whole transaction back when a write finds no room, and what comes after is outside of it.
    let fill = |tables: &mut Tables| {
        let pages: i64 =
            tables.connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
        tables.connection.pragma_update(None, "max_page_count", pages).unwrap();
        let long = Project {
            id: "p".into(),
            path: "x".repeat(1 << 20),
            name: String::new(),
            added_at: Timestamp::default(),
        };
        project_rows::add(&tables.connection, &long).map(drop).map_err(broken)
    };
    let (before, filled, after, thread) = tokio::join!(
        biased;
        writer.write(|tables| mark(tables, "before")),
        writer.write(fill),
        writer.write(|tables| mark(tables, "after")),
        async { std::thread::spawn(begin) },
    );
    assert!(before.is_err() && filled.is_err() && after.is_err());
    assert_eq!(marks(&path), [""; 0], "what was told to have failed is not there");

    writer.write(|tables| mark(tables, "later")).await.unwrap();
    drop(writer);
    thread.join().unwrap();
    assert_eq!(marks(&path), ["later"]);
}

#[tokio::test]
async fn what_finds_the_journal_locked_is_not_done_outside_a_transaction() {
    let (_directory, path) = directory();
    let Waiting { writer, begin } = waiting(&path);
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let was_tried = Arc::new(AtomicBool::new(false));
    let tried = was_tried.clone();
    let thread = std::thread::spawn(begin);
    let refused = writer
        .write(move |tables| {
            tried.store(true, Ordering::SeqCst);
            mark(tables, "alone")
        })
        .await;
    assert!(refused.is_err());
    assert!(!was_tried.load(Ordering::SeqCst), "without a transaction it would be kept at once");
    other.execute_batch("ROLLBACK").unwrap();
    writer.write(|tables| mark(tables, "later")).await.unwrap();
    drop(writer);
    thread.join().unwrap();
    assert_eq!(marks(&path), ["later"]);
}

#[test]
fn s_37_a_journal_that_is_up_to_date_is_opened_without_being_written_to() {
    let (_directory, path) = directory();
    drop(SqliteJournal::open(&path).unwrap());
    let changed = || {
        let connection = Connection::open(&path).unwrap();
        let read = |row: &rusqlite::Row<'_>| row.get::<_, i64>(0);
        connection.pragma_query_value(None, "schema_version", read).unwrap();
        drop(connection);
        // The file's own count of changes, in its header.
        std::fs::read(&path).unwrap()[24..28].to_vec()
    };
    let before = changed();
    drop(SqliteJournal::open(&path).unwrap());
    assert_eq!(changed(), before);
}

#[tokio::test]
async fn s_37_sessions_can_be_made_again_once_there_is_room() {
    let (_directory, path) = directory();
    let journal = SqliteJournal::open(&path).unwrap();
    journal.limit_pages(Some(1)).await.unwrap();
    let record = |n: usize| SessionRecord { session_id: format!("s{n}").into(), ..record() };
    let mut kept = 0;
    while journal.create_session(record(kept)).await.is_ok() {
        kept += 1;
        assert!(kept < 10_000, "it is never full");
    }
    assert_eq!(journal.sessions().await.unwrap().len(), kept);
    journal.limit_pages(None).await.unwrap();
    journal.create_session(record(kept)).await.unwrap();
    assert_eq!(journal.sessions().await.unwrap().len(), kept + 1);
}

/// As the power goes: the log ends anywhere, or its end is rubbish. What is left is a beginning of what was committed.
#[tokio::test]
async fn a_log_that_is_torn_loses_only_its_end() {
    let (directory, path) = directory();
    let journal = SqliteJournal::open(&path).unwrap();
    journal.create_session(record()).await.unwrap();
    let mut text = contract::Text::default();
    for seq in 1..=20 {
        text.push_str("some words ");
        let change = tests::said(&text, seq, contract::ItemStatus::Update);
        journal.append(&"s".into(), vec![change]).await.unwrap();
    }
    let (whole, log) = (std::fs::read(&path).unwrap(), std::fs::read(log_of(&path)).unwrap());
    let mut heads = Vec::new();
    for cut in (0..=20).map(|n| log.len() * n / 20) {
        let torn = directory.path().join(format!("torn-{cut}.db"));
        std::fs::write(&torn, &whole).unwrap();
        let mut left = log[..cut].to_vec();
        left.extend([0x5a; 3000]);
        std::fs::write(log_of(&torn), left).unwrap();
        let journal = SqliteJournal::open(&torn).unwrap();
        let head = match journal.session(&"s".into()).await {
            Ok(saved) => saved.head.0,
            Err(StoreError::UnknownSession(_)) => 0,
            Err(other) => panic!("{other}"),
        };
        if head > 0 {
            let item = journal.item(&"s".into(), &"i".into()).await.unwrap().unwrap();
            let length = "some words ".len() * usize::try_from(head).unwrap();
            assert_eq!((item.seq.unwrap().0, item.content().unwrap().len()), (head, length));
        }
        heads.push(head);
    }
    assert!(heads.is_sorted() && heads.last() == Some(&20), "{heads:?}");
    assert!(heads.iter().any(|head| (1..20).contains(head)), "it was torn: {heads:?}");
}
