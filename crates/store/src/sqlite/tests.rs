//! What is true of the file, besides what every journal promises.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;

use contract::{ItemStatus, MessageOrigin, Seq, SessionSource, Text, Timestamp, UpsertBody};

use super::*;
use crate::AgentChoices;

pub(super) fn directory() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("journal.db");
    (directory, path)
}

pub(super) fn record() -> SessionRecord {
    SessionRecord {
        session_id: "s".into(),
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

pub(super) fn said(text: &Text, seq: u64, status: ItemStatus) -> Change {
    let body = UpsertBody::Message { content: text.clone(), origin: MessageOrigin::Agent };
    Change::Upsert(Arc::new(UpsertObject {
        status,
        seq: Some(Seq(seq)),
        position: Some(Seq(1)),
        ..UpsertObject::new("t".into(), "s".into(), "i".into(), body)
    }))
}

#[tokio::test]
async fn only_its_owner_can_read_the_files() {
    let (directory, path) = directory();
    std::fs::write(&path, "").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o666)).unwrap();
    let journal = SqliteJournal::open(&path).unwrap();
    journal.create_session(record()).await.unwrap();
    let files: Vec<_> = directory.path().read_dir().unwrap().map(Result::unwrap).collect();
    assert!(files.len() >= 2, "the file and its log");
    for file in files {
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{file:?}");
    }
}

#[test]
fn a_link_in_place_of_the_file_is_refused() {
    let (directory, path) = directory();
    let target = directory.path().join("target");
    std::fs::write(&target, "untouched").unwrap();
    std::os::unix::fs::symlink(&target, &path).unwrap();
    SqliteJournal::open(&path).unwrap_err();
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "untouched");
}

#[test]
fn a_journal_of_a_newer_version_is_refused_and_left_as_it_is() {
    let (_directory, path) = directory();
    drop(SqliteJournal::open(&path).unwrap());
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "user_version", 999).unwrap();
    drop(connection);
    let before = std::fs::read(&path).unwrap();
    let error = SqliteJournal::open(&path).unwrap_err();
    assert!(matches!(error, OpenError::Newer { found: 999, .. }), "{error}");
    assert!(error.to_string().contains("use a newer one"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_database_of_something_else_is_refused_and_left_as_it_is() {
    let (_directory, path) = directory();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE theirs (x)").unwrap();
    let before = std::fs::read(&path).unwrap();
    assert!(matches!(SqliteJournal::open(&path).unwrap_err(), OpenError::Foreign));
    assert_eq!(std::fs::read(&path).unwrap(), before);
    std::fs::write(&path, "not a database at all, but some notes of a person").unwrap();
    assert!(matches!(SqliteJournal::open(&path).unwrap_err(), OpenError::Sqlite(_)));
}

#[tokio::test]
async fn a_commit_is_flushed_before_it_is_answered() {
    let (_directory, path) = directory();
    let journal = SqliteJournal::open(&path).unwrap();
    let settings = journal
        .write(|tables| {
            let pragma = |name: &str| {
                let value = tables
                    .connection
                    .pragma_query_value(None, name, |row| row.get::<_, rusqlite::types::Value>(0));
                value.map(|value| format!("{value:?}")).map_err(broken)
            };
            ["journal_mode", "synchronous", "foreign_keys", "auto_vacuum"]
                .into_iter()
                .map(pragma)
                .collect::<Result<Vec<_>, _>>()
        })
        .await
        .unwrap();
    assert_eq!(settings, ["Text(\"wal\")", "Integer(2)", "Integer(1)", "Integer(2)"]);
}

/// A text of n bytes in k pieces costs n bytes, not n × k.
#[tokio::test]
async fn a_text_that_grows_costs_what_is_new_of_it() {
    let (_directory, path) = directory();
    let journal = SqliteJournal::open(&path).unwrap();
    journal.create_session(record()).await.unwrap();
    let mut text = Text::default();
    for seq in 1..=500 {
        text.push_str(&"word ".repeat(100));
        journal.append(&"s".into(), vec![said(&text, seq, ItemStatus::Update)]).await.unwrap();
    }
    let counted = journal
        .read(|connection| {
            let sql = "SELECT count(*), sum(length(text)), (SELECT sum(length(body)) FROM bodies) FROM chunks";
            let row = connection.query_row(sql, [], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?, row.get::<_, i64>(2)?))
            });
            row.map_err(broken)
        })
        .await
        .unwrap();
    // The first thousand bytes stand in the body.
    assert_eq!((counted.0, counted.1), (498, 249_000));
    assert!(counted.2 < 2000, "the body has only the beginning of the text: {}", counted.2);
    journal.append(&"s".into(), vec![said(&text, 501, ItemStatus::Complete)]).await.unwrap();
    let left = journal
        .read(|connection| {
            let count =
                connection.query_row("SELECT count(*) FROM chunks", [], |row| row.get::<_, i64>(0));
            count.map_err(broken)
        })
        .await;
    assert_eq!(left.unwrap(), 0_i64, "folded into the item");
    let item = journal.item(&"s".into(), &"i".into()).await.unwrap().unwrap();
    assert_eq!(item.content(), Some(&text));
}

/// What is written with every message of an agent is what delivering it waits for.
#[tokio::test]
async fn a_message_costs_few_pages() {
    const MESSAGES: u64 = 20;
    let (_directory, path) = directory();
    let journal = SqliteJournal::open(&path).unwrap();
    let sessions: Vec<_> = (0..5).map(|n| SessionId::from(format!("s{n}"))).collect();
    for session_id in &sessions {
        let record = SessionRecord { session_id: session_id.clone(), ..record() };
        journal.create_session(record).await.unwrap();
    }
    let message = |session: &SessionId, n: u64, seq: u64, status| {
        let words = "one two three four five six seven eight nine ten";
        let body = UpsertBody::Message { content: words.into(), origin: MessageOrigin::Agent };
        let id = format!("i{n}").as_str().into();
        Change::Upsert(Arc::new(UpsertObject {
            status,
            seq: Some(Seq(seq)),
            position: Some(Seq(2 * n - 1)),
            ..UpsertObject::new("t".into(), session.clone(), id, body)
        }))
    };
    let begin = async |n: u64| {
        for session in &sessions {
            // The one before ends when the next begins.
            let ends = (n > 1).then(|| message(session, n - 1, 2 * n - 2, ItemStatus::Complete));
            let begins = message(session, n, 2 * n - 1, ItemStatus::Create);
            journal.append(session, ends.into_iter().chain([begins]).collect()).await.unwrap();
        }
    };
    begin(1).await;
    let before = log_of(&path).metadata().unwrap().len();
    for n in 2..=MESSAGES {
        begin(n).await;
    }
    let pages = (log_of(&path).metadata().unwrap().len() - before) / (4096 + 24);
    let messages = (MESSAGES - 1) * 5;
    assert!(pages <= messages * 8, "{pages} pages for {messages} messages");
}

#[tokio::test]
async fn appends_that_wait_share_commits_and_fail_alone() {
    let (_directory, path) = directory();
    let journal = SqliteJournal::open(&path).unwrap();
    journal.create_session(record()).await.unwrap();
    let text = Text::from("x");
    let sessions: Vec<_> = (0..50).map(|n| SessionId::from(format!("s{n}"))).collect();
    for session_id in &sessions {
        let record = SessionRecord { session_id: session_id.clone(), ..record() };
        journal.create_session(record).await.unwrap();
    }
    let appends = sessions.iter().enumerate().map(|(n, session)| {
        // Every fifth has lost count.
        let seq = if n % 5 == 0 { 7 } else { 1 };
        journal.append(session, vec![said(&text, seq, ItemStatus::Update)])
    });
    let results = futures_util::future::join_all(appends).await;
    let failed =
        results.iter().filter(|result| matches!(result, Err(StoreError::OutOfOrder { .. })));
    assert_eq!((failed.count(), results.len()), (10, 50));
    for (n, session) in sessions.iter().enumerate() {
        let head = journal.session(session).await.unwrap().head;
        assert_eq!(head, Seq(u64::from(n % 5 != 0)));
    }
}

#[tokio::test]
async fn a_disk_that_is_full_loses_nothing_that_was_answered() {
    let (_directory, path) = directory();
    let journal = SqliteJournal::open(&path).unwrap();
    journal.create_session(record()).await.unwrap();
    let limit = |pages: i64| {
        journal.write(move |tables| {
            tables.connection.pragma_update(None, "max_page_count", pages).map_err(broken)
        })
    };
    limit(60).await.unwrap();
    let mut text = Text::default();
    let mut answered = 0;
    for seq in 1..1000 {
        text.push_str(&"word ".repeat(1000));
        match journal.append(&"s".into(), vec![said(&text, seq, ItemStatus::Update)]).await {
            Ok(()) => answered = seq,
            Err(StoreError::Unavailable(_)) => break,
            Err(other) => panic!("{other}"),
        }
    }
    assert!((2..999).contains(&answered), "{answered}");
    let item = journal.item(&"s".into(), &"i".into()).await.unwrap().unwrap();
    assert_eq!(
        (item.seq, item.content().unwrap().len()),
        (Some(Seq(answered)), 5000 * usize::try_from(answered).unwrap())
    );
    limit(100_000).await.unwrap();
    journal
        .append(&"s".into(), vec![said(&text, answered + 1, ItemStatus::Complete)])
        .await
        .unwrap();
}

#[tokio::test]
async fn whatever_people_look_for_is_words_and_never_a_mistake() {
    let (_directory, path) = directory();
    let journal = SqliteJournal::open(&path).unwrap();
    journal.create_session(record()).await.unwrap();
    let text = Text::from("Größe NOT near x² क्षि 漢字 😀 it's \"quoted\" a-b");
    journal.append(&"s".into(), vec![said(&text, 1, ItemStatus::Complete)]).await.unwrap();
    let many = "größe ".repeat(5_000);
    let queries = [
        ("NOT", 1),
        ("near(", 1),
        ("größe AND", 0),
        ("\"quoted", 1),
        ("it's", 1),
        ("a-b", 1),
        ("x²", 1),
        ("漢", 1),
        ("text:größe", 0),
        ("größe*", 1),
        ("^größe + {x}", 1),
        ("gro", 1),
        (&many, 1),
        ("\u{0}größe\u{0}", 1),
        ("absent", 0),
    ];
    for (query, count) in queries {
        let wanted = Wanted::parse(query).unwrap();
        let hits = journal.search(wanted, 10).await.unwrap();
        let shown: String = query.chars().take(20).collect();
        assert_eq!(hits.len(), count, "{shown}");
    }
    assert!(Wanted::parse("\" * ( ) 😀").is_none());
}

/// It is brought over beside the writer, and begun anew by it when it has written for long without a pause.
#[tokio::test]
async fn the_log_of_a_writer_that_never_rests_stays_short() {
    let (_directory, path) = directory();
    let journal = SqliteJournal::open(&path).unwrap();
    journal.create_session(record()).await.unwrap();
    let text = Text::from("word ".repeat(20_000).as_str());
    let mut longest = 0;
    for seq in 1..=1200 {
        let body = UpsertBody::Message { content: text.clone(), origin: MessageOrigin::Agent };
        let id = format!("i{seq}").as_str().into();
        let item = UpsertObject {
            seq: Some(Seq(seq)),
            ..UpsertObject::new("t".into(), "s".into(), id, body)
        };
        journal.append(&"s".into(), vec![Change::Upsert(Arc::new(item))]).await.unwrap();
        longest = longest.max(log_of(&path).metadata().unwrap().len());
    }
    assert!(longest < 56 << 20, "{longest} bytes of log for 120 MB");
    assert!(path.metadata().unwrap().len() > 40 << 20, "most of it is in the file");
}

/// An item that has ended, in the tables that every version has.
fn write_as_always(old: &Connection, words: &str) {
    let body = UpsertBody::Message { content: words.into(), origin: MessageOrigin::Agent };
    let item = UpsertObject {
        status: ItemStatus::Complete,
        seq: Some(Seq(7)),
        position: Some(Seq(7)),
        ..UpsertObject::new("t".into(), "s".into(), "old".into(), body)
    };
    let body = serde_json::to_string(&item).unwrap();
    let sql = "INSERT INTO items (session, position, seq, item, turn, status, final, size, source_at, emitted_at)
         VALUES (1, 7, 7, 'old', 't', 1, 1, 100, 1, 1)";
    old.execute(sql, []).unwrap();
    let sql = "INSERT INTO bodies (session, position, body) VALUES (1, 7, ?1)";
    old.execute(sql, [body]).unwrap();
}

/// `record()`, as every version could write it.
const SESSION_OF_OLD: &str =
    "INSERT INTO sessions (id, project_id, project_dir, cli_type, epoch, title,
       created_at, last_active_at, archived, dead, source, head, queue)
     VALUES ('s', 'p', '/p', 'external', 'e', 'New Session', 0, 0, 0, 0, 'created', 0, '[]')";

/// A journal that the first version made, with a project, a session and an item in it.
#[tokio::test]
async fn a_journal_of_every_earlier_version_is_brought_up_to_date() {
    for version in 1..schema::MIGRATIONS.len() {
        let (_directory, path) = directory();
        let old = Connection::open(&path).unwrap();
        for migration in schema::MIGRATIONS.iter().take(version) {
            old.execute_batch(migration).unwrap();
        }
        old.pragma_update(None, "user_version", u32::try_from(version).unwrap()).unwrap();
        old.pragma_update(None, "application_id", schema::APPLICATION).unwrap();
        let sql = "INSERT INTO projects (id, path, name, added_at) VALUES ('p', '/p', 'p', 1)";
        old.execute(sql, []).unwrap();
        old.execute(SESSION_OF_OLD, []).unwrap();
        write_as_always(&old, "marmalade");
        drop(old);
        let journal = SqliteJournal::open(&path).unwrap();
        let hits = journal.search(Wanted::parse("marmalade").unwrap(), 10).await.unwrap();
        assert_eq!(hits.len(), 1, "version {version}");
        assert_eq!(journal.projects().await.unwrap().len(), 1, "version {version}");
        assert_eq!(journal.session(&"s".into()).await.unwrap().record, record());
        journal
            .append(&"s".into(), vec![said(&"new".into(), 1, ItemStatus::Complete)])
            .await
            .unwrap();
        assert!(journal.remove_project(&"p".into()).await.unwrap());
        drop(journal);
        let again = SqliteJournal::open(&path).unwrap();
        assert_eq!(again.projects().await.unwrap(), []);
        let item = again.item(&"s".into(), &"i".into()).await.unwrap().unwrap();
        assert_eq!(item.content().unwrap().to_string(), "new");
    }
}

#[tokio::test]
async fn a_session_of_a_hundred_thousand_items_opens_by_pages() {
    const ITEMS: u64 = 100_000;
    let (_directory, path) = directory();
    let journal = SqliteJournal::open(&path).unwrap();
    journal.create_session(record()).await.unwrap();
    let item = |seq: u64| {
        let body = UpsertBody::Message { content: "word".into(), origin: MessageOrigin::Agent };
        let id = format!("i{seq}").as_str().into();
        Change::Upsert(Arc::new(UpsertObject {
            status: ItemStatus::Complete,
            seq: Some(Seq(seq)),
            position: Some(Seq(seq)),
            ..UpsertObject::new("t".into(), "s".into(), id, body)
        }))
    };
    for first in (1..=ITEMS).step_by(5000) {
        let changes = (first..first + 5000).map(item).collect();
        journal.append(&"s".into(), changes).await.unwrap();
    }
    let saved = journal.session(&"s".into()).await.unwrap();
    assert_eq!(saved.head, Seq(ITEMS));
    assert!(saved.unfinished.is_empty(), "its owner holds nothing of it");
    let limit = crate::PageLimit { entries: 500, bytes: 4 << 20 };
    let mut page = journal.history(&"s".into(), HistoryQuery::Newest { limit }).await.unwrap();
    let mut seen = 0;
    loop {
        let positions: Vec<u64> =
            page.entries.iter().map(|entry| entry.position.unwrap().0).collect();
        assert!(positions.len() <= 500 && positions.is_sorted());
        assert_eq!(positions.last().copied(), Some(ITEMS - seen), "without a gap");
        seen += positions.len() as u64;
        if !page.more {
            break;
        }
        let before = HistoryQuery::Before { position: Seq(positions[0]), limit };
        page = journal.history(&"s".into(), before).await.unwrap();
    }
    assert_eq!(seen, ITEMS);
}
