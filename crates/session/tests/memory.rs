//! A session that nobody talks in holds no timeline in memory: what it said is in the journal.
#![cfg(test)]

use std::sync::Arc;

use contract::{ItemStatus, SessionId};
use session::{Outbox, Publication, Subscriber};
use store::SqliteJournal;
use testkit::{Sample, TestService};

const SESSIONS: usize = 200;
const ITEMS: usize = 4;
const ITEM_BYTES: usize = 250_000;

/// What this process holds in memory, in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<usize>().unwrap() << 10
}

/// One long word, which costs nothing to index.
fn text(n: usize) -> String {
    format!("{n}").repeat(ITEM_BYTES / n.to_string().len())
}

/// A session that said a megabyte and was looked at.
async fn said_and_read(test: &TestService) -> SessionId {
    let (session, _) = test.create("scripted").await;
    let connection = test.watch(&session).await;
    let sample = Sample::new(&session, "t");
    test.agent.emit_turn(sample.started()).await;
    for n in 0..ITEMS {
        let id = format!("i{n}");
        test.agent.emit(sample.message(&id, ItemStatus::Complete, &text(n))).await;
        // Each is taken before the next comes, or the connection would be told everything again.
        connection.ready().await;
        takes_the_end(&connection);
    }
    test.agent.emit_turn(sample.completed()).await;
    while !takes_the_end(&connection) {
        connection.ready().await;
    }
    session
}

/// Takes what there is, and tells whether the turn has ended.
fn takes_the_end(connection: &Subscriber) -> bool {
    let taken: Vec<_> = std::iter::from_fn(|| connection.with_outbox(Outbox::pop)).collect();
    let is_end = |publication: &Publication| matches!(publication, Publication::Turn(event) if event.kind.is_terminal());
    taken.iter().any(|entry| is_end(&entry.publication))
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn idle_sessions_hold_no_timeline() {
    let directory = tempfile::tempdir().unwrap();
    let journal = SqliteJournal::open(&directory.path().join("journal.db")).unwrap();
    let test = TestService::with_journal(Arc::new(journal)).await;
    // Caches of the journal and of the allocator fill once, whatever follows.
    for _ in 0..5 {
        said_and_read(&test).await;
    }
    let before = resident();
    let mut sessions = Vec::new();
    for _ in 0..SESSIONS {
        sessions.push(said_and_read(&test).await);
    }
    let written = SESSIONS * ITEMS * ITEM_BYTES;
    let grown = resident().saturating_sub(before);
    assert!(grown < written / 10, "{grown} of {written} bytes are still held");

    let again = test.watch(&sessions[0]).await;
    assert!(!again.with_outbox(|outbox| outbox.is_empty()), "its history is told again");
    let item = test.service.item(&sessions[0], &"i3".into()).await.unwrap();
    assert!(item.content().is_some_and(|content| *content == text(3).as_str()));
}
