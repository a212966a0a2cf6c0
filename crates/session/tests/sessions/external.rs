//! Sessions that are fed with envelopes.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use contract::{Activity, ErrorCode, SessionId, SessionState, StreamEventEnvelope, Timestamp};
use serde_json::{Value, json};
use session::{Clock, Environment, Outbox, Publication};
use store::{Journal, MemoryJournal};
use testkit::{CountingIds, ScriptedProvider, TestService, envelope};

use crate::support::Watched;

pub(crate) fn read(
    session: &SessionId,
    turn: &str,
    payloads: &[Value],
) -> Vec<StreamEventEnvelope> {
    let read =
        |payload| StreamEventEnvelope::from_value(&envelope(session, turn, payload)).unwrap();
    payloads.iter().map(read).collect()
}

pub(crate) fn half_a_message() -> [Value; 3] {
    [
        json!({"type": "response_start", "modelId": "m", "providerId": "p"}),
        json!({"type": "item_start", "itemId": "m", "itemType": "message"}),
        json!({"type": "item_delta", "itemId": "m", "deltaContent": "half a message"}),
    ]
}

#[tokio::test(start_paused = true)]
async fn envelopes_become_items_and_idle_text_is_shown_in_time() {
    let run = Watched::of_type("external").await;
    run.test
        .service
        .ingest(&run.session, read(&run.session, "t", &half_a_message()))
        .await
        .unwrap();
    assert_eq!(run.story().await, ["1 t started"]);
    tokio::time::sleep(Duration::from_millis(1001)).await;
    assert_eq!(run.story().await, ["2 m Create \"half a message\""]);
    let end = [json!({"type": "response_done", "status": "completed"})];
    run.test.service.ingest(&run.session, read(&run.session, "t", &end)).await.unwrap();
    assert_eq!(run.story().await, ["3 m Complete \"half a message\"", "4 t Completed"]);
}

/// A millisecond later whenever it is asked.
#[derive(Default)]
struct TickingClock(AtomicI64);

impl Clock for TickingClock {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(1_771_156_800_000 + self.0.fetch_add(1, Ordering::Relaxed))
    }
}

#[tokio::test]
async fn a_turn_that_nobody_saw_running_is_told_by_when_its_session_was_last_active() {
    let ids = Arc::new(CountingIds::default());
    let environment = Environment::new(ids, Arc::new(TickingClock::default()));
    let journal = Arc::new(MemoryJournal::default());
    let agent = ScriptedProvider::default();
    let test = TestService::with_environment(journal, agent, environment).await;
    let run = Watched::on(test, "external").await;
    run.settle().await;
    let statuses = || {
        let told = std::iter::from_fn(|| run.connection.with_outbox(Outbox::pop));
        let told = told.filter_map(|entry| match entry.publication {
            Publication::Status(status) => Some((status.activity, status.last_active_at)),
            _ => None,
        });
        told.collect::<Vec<_>>()
    };
    statuses();
    let before = run.test.service.status(&run.session).await.unwrap().last_active_at;
    let end = json!({"type": "response_done", "status": "completed"});
    let turn = [half_a_message().as_slice(), &[end]].concat();
    run.test.service.ingest(&run.session, read(&run.session, "t", &turn)).await.unwrap();
    run.settle().await;
    let told = statuses();
    let (activity, last_active_at) = *told.last().unwrap();
    assert_eq!((activity, told.len()), (Activity::Idle, 1), "only how it stands is told");
    assert!(last_active_at > before);
}

#[tokio::test]
async fn text_that_waits_for_more_is_told_when_a_request_ends() {
    let run = Watched::of_type("external").await;
    let service = &run.test.service;
    service.ingest(&run.session, read(&run.session, "t", &half_a_message())).await.unwrap();
    service.end_ingestion(&run.session).await.unwrap();
    assert_eq!(run.story().await, ["1 t started", "2 m Create \"half a message\""]);
    // The end of a word is no new word, and is kept all the same.
    let rest = [json!({"type": "item_delta", "itemId": "m", "deltaContent": "s "})];
    service.ingest(&run.session, read(&run.session, "t", &rest)).await.unwrap();
    service.end_ingestion(&run.session).await.unwrap();
    service.end_ingestion(&run.session).await.unwrap();
    assert_eq!(run.story().await, ["3 m Update \"half a messages \""]);
}

#[tokio::test]
async fn after_a_restart_they_go_on_by_themselves_unless_somebody_ended_them() {
    let journal = Arc::new(MemoryJournal::default());
    let before = TestService::with_journal(journal.clone()).await;
    let (session, _) = before.create("external").await;
    let (killed, _) = before.create("external").await;
    before.service.ingest(&session, read(&session, "t", &half_a_message())).await.unwrap();
    before.service.kill(&killed).await.unwrap();
    before.stop().await;

    let after = TestService::with_journal(journal.clone()).await;
    after.service.check_ingestion(&session).await.unwrap();
    after.service.ingest(&session, read(&session, "u", &half_a_message())).await.unwrap();
    after.service.end_ingestion(&session).await.unwrap();
    let item = journal.item(&session, &"m".into()).await.unwrap().unwrap();
    assert_eq!(item.turn_id, "t", "an item stays with its turn");
    assert!(after.service.status(&session).await.unwrap().is_alive);
    let late = after.service.ingest(&killed, read(&killed, "u", &half_a_message())).await;
    assert_eq!(late.unwrap_err().code(), ErrorCode::PROCESS_CRASH);
}

#[tokio::test]
async fn they_take_no_messages_and_cannot_be_cancelled() {
    let run = Watched::of_type("external").await;
    let refused = run
        .test
        .service
        .send(&run.session, TestService::send_request("hi"))
        .await
        .unwrap()
        .answer()
        .await;
    assert_eq!(refused.unwrap_err().code(), ErrorCode::NOT_SUPPORTED);
    run.test
        .service
        .ingest(&run.session, read(&run.session, "t", &half_a_message()))
        .await
        .unwrap();
    run.settle().await;
    assert!(
        !run.test
            .service
            .cancel(&run.session, None)
            .await
            .unwrap()
            .answer()
            .await
            .unwrap()
            .cancelled
    );
}

#[tokio::test]
async fn killing_one_ends_what_is_open_once() {
    let run = Watched::of_type("external").await;
    let mut payloads = half_a_message().to_vec();
    payloads.push(json!({"type": "item_start", "itemId": "t", "itemType": "function_call", "name": "Read", "callId": "c"}));
    run.test.service.ingest(&run.session, read(&run.session, "t", &payloads)).await.unwrap();
    run.test.service.kill(&run.session).await.unwrap();
    let expected = [
        "1 t started",
        "3 m Error INTERRUPTED \"half a message\"",
        "4 t Error INTERRUPTED",
        "5 t failed INTERRUPTED",
    ];
    assert_eq!(run.story().await, expected);
    let status = run.test.service.status(&run.session).await.unwrap();
    assert_eq!((status.state, status.is_alive), (SessionState::Dead, false));
    assert_eq!(status.activity, Activity::Idle, "ended is not failed");
    let late =
        run.test.service.ingest(&run.session, read(&run.session, "u", &half_a_message())).await;
    assert_eq!(late.unwrap_err().code(), ErrorCode::PROCESS_CRASH);
    run.test.service.load(&run.session).await.unwrap();
    run.test
        .service
        .ingest(&run.session, read(&run.session, "u", &half_a_message()))
        .await
        .unwrap();
    assert_eq!(run.story().await, ["6 u started"]);
}

#[tokio::test]
async fn other_sessions_take_no_envelopes() {
    let run = Watched::start().await;
    let refused =
        run.test.service.ingest(&run.session, read(&run.session, "t", &half_a_message())).await;
    assert_eq!(refused.unwrap_err().code(), ErrorCode::NOT_SUPPORTED);
    let unknown = run.test.service.ingest(&"nobody".into(), Vec::new()).await;
    assert_eq!(unknown.unwrap_err().code(), ErrorCode::SESSION_NOT_FOUND);
}

#[tokio::test]
async fn a_turn_id_that_ended_in_an_earlier_life_does_not_begin_again() {
    let run = Watched::of_type("external").await;
    run.test
        .service
        .ingest(&run.session, read(&run.session, "t", &half_a_message()))
        .await
        .unwrap();
    run.test.service.kill(&run.session).await.unwrap();
    run.test.service.load(&run.session).await.unwrap();
    run.story().await;
    run.test
        .service
        .ingest(&run.session, read(&run.session, "t", &half_a_message()))
        .await
        .unwrap();
    assert_eq!(
        run.story().await,
        [""; 0],
        "the journal remembers what the processor has forgotten"
    );
}

#[tokio::test]
async fn what_was_taken_before_the_server_stops_is_kept() {
    let run = Watched::of_type("external").await;
    run.test
        .service
        .ingest(&run.session, read(&run.session, "t", &half_a_message()))
        .await
        .unwrap();
    run.test.stop.cancel();
    run.test.tasks.close();
    run.test.tasks.wait().await;
    let limit = store::PageLimit { entries: 10, bytes: 1 << 20 };
    let page = run
        .test
        .service
        .history(&run.session, store::HistoryQuery::Newest { limit })
        .await
        .unwrap();
    let texts: Vec<_> =
        page.entries.iter().map(|entry| entry.content().unwrap().to_string()).collect();
    assert_eq!(texts, ["half a message"], "also what had not been shown yet");
    assert!(page.turns.last().unwrap().kind.is_terminal());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_answered_is_committed() {
    let run = Watched::of_type("external").await;
    let limit = store::PageLimit { entries: 500, bytes: 1 << 20 };
    for n in 0..50 {
        let items: Vec<_> = (0..20)
            .map(|item| {
                json!({"type": "item_done", "itemId": format!("i{n}-{item}"), "finalItem":
                    {"type": "message", "content": "x", "origin": "agent"}})
            })
            .collect();
        run.test.service.ingest(&run.session, read(&run.session, "t", &items)).await.unwrap();
        let page = run
            .test
            .service
            .history(&run.session, store::HistoryQuery::Newest { limit })
            .await
            .unwrap();
        assert_eq!(page.seq.0, (n + 1) * 20);
    }
}
