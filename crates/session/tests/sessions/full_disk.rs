//! Sessions on a disk that is full: refused clearly, nothing half-kept, and on again once there is room.

use std::sync::Arc;
use std::time::Duration;

use contract::{Activity, ErrorCode, ItemStatus, SessionId};
use store::{HistoryQuery, Journal, PageLimit, SqliteJournal, TurnProgress};
use testkit::{Call, Sample, TestService};

struct FullDisk {
    test: TestService,
    journal: Arc<SqliteJournal>,
    session: SessionId,
    _directory: tempfile::TempDir,
}

impl FullDisk {
    /// A session whose agent is in the middle of a turn when the disk is full.
    async fn begin() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let journal = Arc::new(SqliteJournal::open(&directory.path().join("journal.db")).unwrap());
        let test = TestService::with_journal(journal.clone()).await;
        let (session, _) = test.create("scripted").await;
        let disk = Self { test, journal, session, _directory: directory };
        disk.send("one").await.unwrap();
        disk.test.agent.wait_for_calls(2).await;
        disk.test.agent.emit_turn(Sample::new(&disk.session, "turn-1").started()).await;
        while disk.journal.turn(&disk.session, &"turn-1".into()).await.unwrap().is_none() {
            tokio::task::yield_now().await;
        }
        disk.journal.limit_pages(Some(1)).await.unwrap();
        disk
    }

    async fn send(&self, content: &str) -> Result<(), ErrorCode> {
        let request = TestService::send_request(content);
        let sent = self.test.service.send(&self.session, request).await;
        let answer = match sent {
            Ok(pending) => pending.answer().await,
            Err(error) => Err(error),
        };
        answer.map(drop).map_err(|error| error.code())
    }

    /// What people said, as it is kept.
    async fn kept(&self) -> Vec<String> {
        let limit = PageLimit { entries: 500, bytes: 64 << 20 };
        let page = self.test.service.history(&self.session, HistoryQuery::Newest { limit }).await;
        let entries = page.unwrap().entries.into_iter();
        let said = entries.filter(|item| item.item_id.as_str().ends_with(":0:0"));
        said.map(|item| item.content().unwrap().to_string()).collect()
    }

    fn calls(&self, is_meant: impl Fn(&Call) -> bool) -> usize {
        self.test.agent.calls().iter().filter(|call| is_meant(call)).count()
    }
}

/// Long enough to need pages of its own.
fn long(n: usize) -> String {
    format!("{n} {}", "word ".repeat(8_000))
}

#[tokio::test]
async fn s_37_what_finds_no_room_is_refused_clearly_and_what_was_answered_is_there() {
    let disk = FullDisk::begin().await;
    let mut answered = vec!["one".to_owned()];
    for n in 0..12 {
        match disk.send(&long(n)).await {
            Ok(()) => answered.push(long(n)),
            Err(code) => assert_eq!(code, ErrorCode::STORE_UNAVAILABLE),
        }
    }
    assert!(answered.len() < 4, "it was full: {}", answered.len());
    assert_eq!(disk.kept().await, answered);
    let request = disk.test.create_request("scripted");
    let made = disk
        .test
        .service
        .create(contract::CreateSessionRequest { title: Some(long(0)), ..request })
        .await;
    if let Err(error) = made {
        assert_eq!(error.code(), ErrorCode::STORE_UNAVAILABLE);
    }

    disk.journal.limit_pages(None).await.unwrap();
    disk.send(&long(99)).await.unwrap();
    answered.push(long(99));
    assert_eq!(disk.kept().await, answered);
    let ended = disk.journal.turn(&disk.session, &"turn-1".into()).await.unwrap();
    assert_eq!(ended, Some(TurnProgress::Ended), "the turn that ran has its end");
}

#[tokio::test]
async fn s_37_an_agent_whose_words_find_no_room_is_ended_once_and_nothing_is_tried_again_by_itself()
{
    let disk = FullDisk::begin().await;
    let connection = disk.test.watch(&disk.session).await;
    let said =
        Sample::new(&disk.session, "turn-1").message("turn-1:1:0", ItemStatus::Update, &long(1));
    disk.test.agent.emit(said).await;
    let is_kill = |call: &Call| matches!(call, Call::Kill(_));
    disk.test.agent.wait_for_calls(3).await;
    assert_eq!(disk.calls(is_kill), 1);
    let lost = async {
        loop {
            connection.ready().await;
            if connection.with_outbox(session::Outbox::take_resync).is_some() {
                return;
            }
            while connection.with_outbox(session::Outbox::pop).is_some() {}
        }
    };
    tokio::time::timeout(Duration::from_secs(60), lost).await.expect("who watches is told");
    // Reading goes on, and writing is not tried by anybody who only looks.
    for _ in 0..20 {
        disk.test.service.status(&disk.session).await.unwrap();
        tokio::task::yield_now().await;
    }
    let is_start = |call: &Call| matches!(call, Call::Load(_) | Call::Create(..));
    assert_eq!((disk.calls(is_start), disk.calls(is_kill)), (1, 1));
    assert_eq!(disk.kept().await, ["one"]);

    disk.journal.limit_pages(None).await.unwrap();
    disk.send("two").await.unwrap();
    assert_eq!(disk.calls(is_start), 2, "another agent for the next message");
    let status = disk.test.service.status(&disk.session).await.unwrap();
    assert_eq!(status.activity, Activity::Running);
    let found = disk.journal.item(&disk.session, &"turn-1:1:0".into()).await.unwrap();
    assert_eq!(found, None, "what was not kept is not there");
}
