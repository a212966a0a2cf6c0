//! the time of day is set an hour back or forward, again and again. What happens is in the order of its numbers, and what is
//! due is due by the clock that nobody sets.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use contract::{Activity, ItemStatus, Timestamp};
use serde_json::json;
use session::{Clock, Environment};
use store::{HistoryQuery, MemoryJournal, PageLimit};
use testkit::{CountingIds, ScriptedProvider, TestService};

use crate::external::{half_a_message, read};
use crate::support::Watched;

const HOUR: i64 = 3_600_000;

/// An hour earlier or later than it was whenever it is asked.
#[derive(Default)]
struct JumpingClock(AtomicU32);

impl Clock for JumpingClock {
    fn now(&self) -> Timestamp {
        let hours = [0, 1, -1, 2, 0, -2];
        let asked = self.0.fetch_add(1, Ordering::Relaxed) as usize;
        Timestamp::from_millis(1_771_156_800_000 + hours[asked % hours.len()] * HOUR)
    }
}

async fn watched(cli_type: &str) -> Watched {
    let clock = Arc::new(JumpingClock::default());
    let environment = Environment::new(Arc::new(CountingIds::default()), clock);
    let journal = Arc::new(MemoryJournal::default());
    let agent = ScriptedProvider::default();
    Watched::on(TestService::with_environment(journal, agent, environment).await, cli_type).await
}

#[tokio::test]
async fn turns_keep_their_order_and_end_once_whatever_the_time_of_day() {
    let run = watched("scripted").await;
    for (turn, said) in [("turn-1", "one"), ("turn-2", "two"), ("turn-3", "three")] {
        run.send(said).await;
        let sample = run.sample(turn);
        let item = format!("{turn}:1:0");
        run.test.agent.emit_turn(sample.started()).await;
        run.test.agent.emit(sample.message(&item, ItemStatus::Complete, said)).await;
        run.test.agent.emit_turn(sample.completed()).await;
        run.settle().await;
        assert_eq!(run.activity().await, Activity::Idle, "{turn}");
    }
    let expected = [
        "1 turn-1:0:0 Complete \"one\"",
        "2 turn-1 started",
        "3 turn-1:1:0 Complete \"one\"",
        "4 turn-1 Completed",
        "5 turn-2:0:0 Complete \"two\"",
        "6 turn-2 started",
        "7 turn-2:1:0 Complete \"two\"",
        "8 turn-2 Completed",
        "9 turn-3:0:0 Complete \"three\"",
        "10 turn-3 started",
        "11 turn-3:1:0 Complete \"three\"",
        "12 turn-3 Completed",
    ];
    assert_eq!(run.story().await, expected);
    let newest = HistoryQuery::Newest { limit: PageLimit { entries: 100, bytes: 1 << 20 } };
    let page = run.test.service.history(&run.session, newest).await.unwrap();
    let positions: Vec<_> = page.entries.iter().map(|item| item.position.unwrap().0).collect();
    assert_eq!(positions, [1, 3, 5, 7, 9, 11]);
}

#[tokio::test(start_paused = true)]
async fn text_that_waits_is_shown_when_it_is_due_by_the_clock_that_nobody_sets() {
    let run = watched("external").await;
    let service = &run.test.service;
    service.ingest(&run.session, read(&run.session, "t", &half_a_message())).await.unwrap();
    assert_eq!(run.story().await, ["1 t started"]);
    tokio::time::sleep(Duration::from_millis(1001)).await;
    assert_eq!(run.story().await, ["2 m Create \"half a message\""]);
    let end = [json!({"type": "response_done", "status": "completed"})];
    service.ingest(&run.session, read(&run.session, "t", &end)).await.unwrap();
    assert_eq!(run.story().await, ["3 m Complete \"half a message\"", "4 t Completed"]);
}
