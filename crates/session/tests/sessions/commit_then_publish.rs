//! What is told is in the journal: not before it is committed, and never if it could not be.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use contract::{ItemStatus, SessionId};
use session::{Outbox, Publication, Subscriber};
use testkit::{BreakableJournal, Sample, TestService};

struct Held {
    journal: Arc<BreakableJournal>,
    test: TestService,
    session: SessionId,
    connection: Arc<Subscriber>,
}

impl Held {
    /// A session in the middle of a turn, watched by a connection that has heard of all of it.
    async fn begin() -> Self {
        let journal = Arc::new(BreakableJournal::default());
        let test = TestService::with_journal(journal.clone()).await;
        let (session, _) = test.create("scripted").await;
        let connection = test.watch(&session).await;
        let send = test.service.send(&session, TestService::send_request("one"));
        send.await.unwrap().answer().await.unwrap();
        test.agent.wait_for_calls(2).await;
        test.agent.emit_turn(Sample::new(&session, "turn-1").started()).await;
        let held = Self { journal, test, session, connection };
        held.told().await;
        held
    }

    async fn say(&self, item: &str) {
        let sample = Sample::new(&self.session, "turn-1");
        self.test.agent.emit(sample.message(item, ItemStatus::Complete, "words")).await;
    }

    /// The items that the connection was told since it was last asked, and those that it would be told within a minute.
    async fn told(&self) -> Vec<String> {
        let mut items = Vec::new();
        for _ in 0..60 {
            tokio::time::sleep(Duration::from_secs(1)).await;
            while let Some(entry) = self.connection.with_outbox(Outbox::pop) {
                if let Publication::Upsert(item) = &entry.publication {
                    items.push(item.item_id.to_string());
                }
            }
        }
        items
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_is_told_before_it_is_committed() {
    let held = Held::begin().await;
    held.journal.held.send_replace(true);
    held.say("turn-1:1:0").await;
    assert_eq!(held.told().await, [""; 0], "it is not on the disk yet");
    held.journal.held.send_replace(false);
    assert_eq!(held.told().await, ["turn-1:1:0"]);
}

#[tokio::test(start_paused = true)]
async fn what_could_not_be_committed_is_never_told() {
    let held = Held::begin().await;
    held.journal.breaks_once.store(true, Ordering::SeqCst);
    held.say("turn-1:1:0").await;
    let told = held.told().await;
    assert!(!told.contains(&"turn-1:1:0".to_owned()), "{told:?}");
}
