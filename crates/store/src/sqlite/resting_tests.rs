//! What the journal does when nobody writes: it gives back room. And what it says of a file that is damaged.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use contract::{Attachment, ItemStatus, QueuedTurn, Text};

use super::page_check::damage;
use super::tests::{directory, record, said};
use super::*;

const SOON: Duration = Duration::from_millis(50);

async fn until(what: &str, holds: impl Fn() -> bool) {
    // A busy disk is slow, and slowness is not what is judged.
    for _ in 0..2400 {
        if holds() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("never: {what}");
}

fn size(path: &Path) -> u64 {
    path.metadata().map_or(0, |file| file.len())
}

/// Something to be sent with a message that waits.
fn attached(megabytes: usize) -> Vec<Change> {
    let attachment: Attachment = serde_json::from_value(serde_json::json!({
        "name": "a", "mimeType": "image/png", "data": "A".repeat(megabytes << 20),
    }))
    .unwrap();
    let queued: QueuedTurn = serde_json::from_value(serde_json::json!({
        "turnId": "q", "content": "c", "delivery": "queue", "queuedAt": "2026-01-01T00:00:00.000Z", "paused": false,
    }))
    .unwrap();
    vec![Change::Attachments("q".into(), Arc::new(vec![attachment])), Change::Queue(vec![queued])]
}

#[tokio::test]
async fn a_journal_that_rests_gives_back_its_log_and_what_was_removed() {
    let (_directory, path) = directory();
    let log = log_of(&path);
    let journal = SqliteJournal::open_resting_after(&path, SOON).unwrap();
    journal.create_session(record()).await.unwrap();
    for round in 0..2 {
        journal.append(&"s".into(), attached(12)).await.unwrap();
        until("the log is in the file", || size(&log) == 0 && size(&path) > 12 << 20).await;
        journal.append(&"s".into(), vec![Change::Queue(Vec::new())]).await.unwrap();
        until("the file is small again", || size(&log) == 0 && size(&path) < 1 << 20).await;
        let text = Text::from(format!("said {round}").as_str());
        let seq = journal.session(&"s".into()).await.unwrap().head.0 + 1;
        journal.append(&"s".into(), vec![said(&text, seq, ItemStatus::Update)]).await.unwrap();
        let item = journal.item(&"s".into(), &"i".into()).await.unwrap().unwrap();
        assert_eq!(item.content().unwrap(), &text, "and it goes on");
    }
}

#[tokio::test]
async fn a_little_room_is_kept_for_what_comes_next() {
    let (_directory, path) = directory();
    let journal = SqliteJournal::open_resting_after(&path, SOON).unwrap();
    journal.create_session(record()).await.unwrap();
    journal.append(&"s".into(), attached(3)).await.unwrap();
    until("the log is in the file", || size(&log_of(&path)) == 0).await;
    journal.append(&"s".into(), vec![Change::Queue(Vec::new())]).await.unwrap();
    drop(journal);
    assert!(size(&path) > 3 << 20);
}

/// A copy of a journal as a crash leaves it, with its log beside it, and with some pages of nonsense.
fn crashed(path: &Path, is_damaged: bool) -> (tempfile::TempDir, PathBuf) {
    let (directory, copy) = directory();
    let mut file = std::fs::read(path).unwrap();
    if is_damaged {
        let from = file.len() / 2 / 4096 * 4096;
        file[from..].fill(0x5a);
    }
    std::fs::write(&copy, file).unwrap();
    std::fs::copy(log_of(path), log_of(&copy)).unwrap();
    (directory, copy)
}

#[tokio::test]
async fn damage_is_found_after_a_crash_and_what_cannot_be_read_is_told_as_such() {
    let (_directory, path) = directory();
    let journal = SqliteJournal::open_resting_after(&path, SOON).unwrap();
    journal.create_session(record()).await.unwrap();
    let text = Text::from("word ".repeat(400_000).as_str());
    journal.append(&"s".into(), vec![said(&text, 1, ItemStatus::Complete)]).await.unwrap();
    until("the log is in the file", || size(&log_of(&path)) == 0).await;
    let renamed = SessionRecord { title: "later".to_owned(), ..record() };
    journal.append(&"s".into(), vec![Change::Record(Box::new(renamed))]).await.unwrap();
    assert!(size(&log_of(&path)) > 0, "a crash would leave a log");
    for is_damaged in [false, true] {
        let (_directory, copy) = crashed(&path, is_damaged);
        let journal = SqliteJournal::open(&copy).unwrap();
        let found = damage(&connect(&copy).unwrap());
        assert_eq!(!matches!(found, Ok(None)), is_damaged, "{found:?}");
        assert_eq!(journal.session(&"s".into()).await.unwrap().record.title, "later");
        match journal.item(&"s".into(), &"i".into()).await {
            Ok(item) => {
                assert!(!is_damaged, "nonsense is not passed on");
                assert_eq!(item.unwrap().content().unwrap(), &text);
            }
            Err(error) => assert!(is_damaged && matches!(error, StoreError::Unavailable(_))),
        }
    }
}
