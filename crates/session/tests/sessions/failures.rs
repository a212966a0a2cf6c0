//! Agents that die and journals that fail.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use contract::{
    Activity, ErrorCode, ItemStatus, PermissionAnswer, SendRequest, SessionId, SessionState,
    StreamEventEnvelope,
};
use session::provider::{CliProvider, ProviderErrorCode};
use session::{Publication, Subscriber};
use store::{HistoryQuery, Journal, PageLimit, TurnProgress};
use testkit::{BreakableJournal, Call, Operation, Sample, TestService};

use crate::support::Watched;

#[tokio::test]
async fn an_agent_that_dies_in_a_turn_ends_it_once_and_loses_nothing() {
    let run = Watched::start().await;
    run.send("one").await;
    let turn = run.sample("turn-1");
    run.test.agent.emit_turn(turn.started()).await;
    run.test.agent.emit(turn.message("turn-1:1:0", ItemStatus::Create, "half a sen")).await;
    run.test.agent.emit(turn.tool("turn-1:1:1", ItemStatus::Complete, None)).await;
    run.send("two").await;
    run.settle().await;
    run.story().await;
    run.test.agent.exit(&run.session, "exit status 137").await;
    let expected = [
        "6 turn-1:1:0 Error INTERRUPTED \"half a sen\"",
        "7 turn-1:1:1 Error INTERRUPTED",
        "8 turn-1 failed PROCESS_CRASH",
    ];
    assert_eq!(run.story().await, expected);
    let status = run.test.service.status(&run.session).await.unwrap();
    assert_eq!((status.state, status.activity), (SessionState::Dead, Activity::Error));
    assert!(status.queued[0].paused, "nothing is prompted again by itself");
}

#[tokio::test]
async fn a_provider_that_reports_the_crash_itself_is_not_doubled() {
    let run = Watched::start().await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.test.agent.emit_turn(run.sample("turn-1").failed(ErrorCode::PROCESS_CRASH)).await;
    run.test.agent.exit(&run.session, "exit status 1").await;
    run.test.agent.emit_turn(run.sample("turn-1").failed(ErrorCode::PROCESS_CRASH)).await;
    let story = run.story().await;
    assert_eq!(story[1..], ["2 turn-1 started", "3 turn-1 failed PROCESS_CRASH"]);
}

#[tokio::test]
async fn a_turn_that_the_dead_agent_never_began_waits() {
    let run = Watched::start().await;
    run.test.agent.fail_next(Operation::Send, ProviderErrorCode::ProcessCrash);
    run.send("one").await;
    run.test.agent.wait_for_calls(2).await;
    run.test.agent.exit(&run.session, "gone").await;
    run.settle().await;
    let status = run.test.service.status(&run.session).await.unwrap();
    assert_eq!((status.state, status.activity), (SessionState::Dead, Activity::Idle));
    assert_eq!(status.queued.len(), 1);
    assert!(status.queued[0].paused);
    assert_eq!(run.story().await, ["1 turn-1:0:0 Complete \"one\""]);
}

#[tokio::test]
async fn an_idle_agent_that_dies_fails_no_turn() {
    let run = Watched::start().await;
    run.test.agent.exit(&run.session, "gone").await;
    run.settle().await;
    assert_eq!(run.test.service.status(&run.session).await.unwrap().state, SessionState::Dead);
    assert_eq!(run.story().await, [""; 0]);
}

#[tokio::test]
async fn after_a_failed_commit_the_session_is_taken_up_from_the_journal() {
    let journal = Arc::new(BreakableJournal::default());
    let test = TestService::with_journal(journal.clone()).await;
    let (session, _) = test.create("scripted").await;
    let connection = test.watch(&session).await;
    let send = |text| test.service.send(&session, TestService::send_request(text));
    send("one").await.unwrap().answer().await.unwrap();
    test.agent.wait_for_calls(2).await;
    test.agent.emit_turn(Sample::new(&session, "turn-1").started()).await;
    send("two").await.unwrap().answer().await.unwrap();

    journal.broken.store(true, Ordering::SeqCst);
    let refused = send("three").await.unwrap().answer().await.unwrap_err();
    let code = refused.code();
    assert_eq!(code, ErrorCode::STORE_UNAVAILABLE, "what is not committed is not acknowledged");
    test.agent.wait_for_calls(3).await;
    assert!(test.agent.calls().contains(&Call::Kill(session.clone())), "its agent is stopped");

    journal.broken.store(false, Ordering::SeqCst);
    // The failed session answers until its agent has ended; then it is taken up again.
    while !test.service.status(&session).await.unwrap().queued.iter().any(|turn| turn.paused) {
        tokio::task::yield_now().await;
    }
    let status = test.service.status(&session).await.unwrap();
    assert_eq!(status.queued.iter().map(|turn| turn.content.as_str()).collect::<Vec<_>>(), ["two"]);
    assert!(status.queued[0].paused);
    let page = test
        .service
        .history(
            &session,
            HistoryQuery::Newest { limit: PageLimit { entries: 10, bytes: 1 << 20 } },
        )
        .await;
    let contents: Vec<_> =
        page.unwrap().entries.iter().map(|entry| entry.content().unwrap().to_string()).collect();
    assert_eq!(contents, ["one", "two"], "nothing that was not committed is kept");
    test.watch(&session).await;
    assert_eq!(test.service.status(&session).await.unwrap().activity, Activity::Error);
    let ended = journal.turn(&session, &"turn-1".into()).await.unwrap();
    assert_eq!(ended, Some(TurnProgress::Ended), "the turn that had started got its end");
    let lost = connection.with_outbox(session::Outbox::take_resync).unwrap();
    assert_eq!(lost.session_id, session, "who was watching is told again");
}

#[tokio::test(start_paused = true)]
async fn a_failed_session_is_taken_up_again_by_itself_and_everybody_is_told() {
    let journal = Arc::new(BreakableJournal::default());
    let test = TestService::with_journal(journal.clone()).await;
    let service = test.service.clone();
    test.tasks.spawn(async move { service.mend().await });
    let (session, project) = test.create("scripted").await;
    let everybody = Arc::new(Subscriber::new(1 << 20));
    test.service.connect(&everybody);
    let request = TestService::send_request("one");
    test.service.send(&session, request).await.unwrap().answer().await.unwrap();
    test.agent.wait_for_calls(2).await;
    let turn = Sample::new(&session, "turn-1");
    test.agent.emit_turn(turn.started()).await;
    while journal.turn(&session, &"turn-1".into()).await.unwrap().is_none() {
        tokio::task::yield_now().await;
    }

    journal.broken.store(true, Ordering::SeqCst);
    test.agent.emit(turn.message("turn-1:1:0", ItemStatus::Update, "no room for it")).await;
    test.agent.wait_for_calls(3).await;
    tokio::time::sleep(Duration::from_secs(100)).await;
    let listed = test.service.list(&project, true).await.unwrap();
    assert_ne!(listed[0].activity, Activity::Running, "it has no owner, and does not run");
    assert!(test.service.current_state().is_empty());
    while everybody.with_outbox(session::Outbox::pop).is_some() {}

    journal.broken.store(false, Ordering::SeqCst);
    let told = async {
        loop {
            everybody.ready().await;
            while let Some(entry) = everybody.with_outbox(session::Outbox::pop) {
                if let Publication::Status(status) = entry.publication {
                    return status;
                }
            }
        }
    };
    let told = tokio::time::timeout(Duration::from_secs(60), told).await.expect("it is told");
    assert_eq!((told.state, told.activity), (SessionState::Open, Activity::Error));
    let ended = journal.turn(&session, &"turn-1".into()).await.unwrap();
    assert_eq!(ended, Some(TurnProgress::Ended));
    let asked = test.agent.calls().into_iter().filter(|call| !matches!(call, Call::Kill(_)));
    assert_eq!(asked.count(), 2, "no agent is started: {:?}", test.agent.calls());
    test.stop().await;
}

/// A session whose turn has begun, of which everything was told, on a journal that can fail.
async fn in_a_turn() -> (Watched, Arc<BreakableJournal>) {
    let journal = Arc::new(BreakableJournal::default());
    let run = Watched::on(TestService::with_journal(journal.clone()).await, "scripted").await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.story().await;
    (run, journal)
}

#[tokio::test]
async fn what_cannot_be_read_is_told_to_who_asked_and_ends_no_agent() {
    let (run, journal) = in_a_turn().await;

    journal.unreadable.store(true, Ordering::SeqCst);
    let service = &run.test.service;
    let other = Arc::new(Subscriber::new(1 << 20));
    let opened = service.subscribe(&run.session, &other, None, None).await;
    let with_id =
        SendRequest { client_message_id: Some("m".into()), ..TestService::send_request("two") };
    let sent = service.send(&run.session, with_id).await.unwrap().answer().await;
    let answered = service.answer(&run.session, "p".into(), PermissionAnswer::default()).await;
    let removed = service.remove_queued(&run.session, "turn-9".into()).await;
    for code in [
        opened.unwrap_err().code(),
        sent.unwrap_err().code(),
        answered.unwrap_err().code(),
        removed.unwrap_err().code(),
    ] {
        assert_eq!(code, ErrorCode::STORE_UNAVAILABLE);
    }
    journal.unreadable.store(false, Ordering::SeqCst);
    run.test.agent.emit(run.sample("turn-1").message("turn-1:1:0", ItemStatus::Create, "on")).await;
    assert_eq!(run.story().await, ["3 turn-1:1:0 Create \"on\""], "the turn goes on");
    assert!(!run.test.agent.calls().contains(&Call::Kill(run.session.clone())));
}

#[tokio::test]
async fn a_history_that_cannot_be_read_keeps_no_load_from_its_agent() {
    let (run, journal) = in_a_turn().await;

    journal.unreadable.store(true, Ordering::SeqCst);
    run.test.service.load(&run.session).await.unwrap();
    journal.unreadable.store(false, Ordering::SeqCst);
    assert_eq!(run.activity().await, Activity::Running, "the turn goes on");
    assert!(!run.test.agent.calls().contains(&Call::Kill(run.session.clone())));
    let again = run.connection.with_outbox(session::Outbox::take_resync);
    assert_eq!(again.map(|resync| resync.session_id), Some(run.session.clone()));
}

#[tokio::test]
async fn a_session_that_cannot_be_opened_anew_is_followed_as_before() {
    let journal = Arc::new(BreakableJournal::default());
    let run = Watched::on(TestService::with_journal(journal.clone()).await, "scripted").await;
    run.story().await;
    journal.unreadable.store(true, Ordering::SeqCst);
    let opened = run.test.service.subscribe(&run.session, &run.connection, None, None).await;
    assert_eq!(opened.unwrap_err().code(), ErrorCode::STORE_UNAVAILABLE);
    journal.unreadable.store(false, Ordering::SeqCst);
    let again = run.connection.with_outbox(session::Outbox::take_resync).expect("it is told again");
    let service = &run.test.service;
    service.resync(&again.session_id, &run.connection, again.from, None).await.unwrap();
    run.send("one").await;
    assert_eq!(run.story().await, ["1 turn-1:0:0 Complete \"one\""]);
}

#[tokio::test]
async fn whoever_waits_for_a_turn_whose_journal_failed_is_told_that_it_failed() {
    let (run, journal) = in_a_turn().await;
    let waiting = run.test.service.wait(&run.session, Duration::from_secs(60));
    let failing = async {
        tokio::task::yield_now().await;
        journal.breaks_once.store(true, Ordering::SeqCst);
        let lost = run.sample("turn-1").message("turn-1:1:0", ItemStatus::Create, "lost");
        run.test.agent.emit(lost).await;
    };
    let (settled, ()) = tokio::join!(waiting, failing);
    let settled = settled.unwrap();
    assert_eq!((settled.activity, settled.timed_out), (Activity::Error, false));
}

#[tokio::test]
async fn an_agent_that_comes_up_when_its_session_has_failed_is_not_left_behind() {
    let journal = Arc::new(BreakableJournal::default());
    let test = TestService::with_journal(journal.clone()).await;
    let (session, _) = test.create("scripted").await;
    test.service.archive(&session, None).await.unwrap();
    let comes_up = test.agent.hold_next(Operation::Load);
    let waiting = test.service.send(&session, TestService::send_request("one")).await.unwrap();
    test.agent.wait_for_calls(3).await;
    // The end of what is there takes its time, and meanwhile the other comes up.
    let ended = test.agent.hold_next(Operation::Kill);
    journal.broken.store(true, Ordering::SeqCst);
    let fail = test.service.rename(&session, "a title that finds no room");
    let come_up = async {
        test.agent.wait_for_calls(4).await;
        // Nobody may be there any more to hear it.
        comes_up.send(()).ok();
        tokio::task::yield_now().await;
        ended.send(()).unwrap();
    };
    let (failed, ()) = tokio::join!(fail, come_up);
    assert_eq!(failed.unwrap_err().code(), ErrorCode::STORE_UNAVAILABLE);
    assert!(waiting.answer().await.is_err());
    assert!(!test.agent.is_alive(&session), "nobody would know of it");
}

#[tokio::test]
async fn an_agent_that_outlives_its_session_is_ended_before_the_session_goes_on() {
    let run = Watched::start().await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.settle().await;
    run.test.agent.panic_next(Operation::Cancel);
    let cancel = run.test.service.cancel(&run.session, None).await.unwrap();
    assert!(cancel.answer().await.is_err());
    assert!(run.test.agent.is_alive(&run.session), "it works on the turn that nobody follows");

    run.send("two").await;
    let calls = run.test.agent.wait_for_calls(6).await;
    assert!(matches!(calls[3..], [Call::Kill(_), Call::Load(_), Call::Send(..)]), "{calls:?}");
    let status = run.test.service.status(&run.session).await.unwrap();
    assert_eq!(status.turn_id, Some("turn-2".into()));
}

/// Begins to feed half a message, and is not heard of again until the returned future is asked.
fn feed<'a>(
    test: &'a TestService,
    session: &'a SessionId,
) -> std::pin::Pin<Box<impl Future<Output = Result<u64, session::ServiceError>> + 'a>> {
    let read = |payload: serde_json::Value| {
        StreamEventEnvelope::from_value(&testkit::envelope(session, "t", &payload)).unwrap()
    };
    let start = serde_json::json!({"type": "response_start", "modelId": "m", "providerId": "p"});
    Box::pin(test.service.ingest(session, vec![read(start)]))
}

#[tokio::test]
async fn envelopes_that_were_lost_are_not_answered_as_accepted_by_the_session_that_comes_after() {
    let journal = Arc::new(BreakableJournal::default());
    let test = TestService::with_journal(journal.clone()).await;
    let (session, _) = test.create("external").await;
    journal.broken.store(true, Ordering::SeqCst);
    let mut fed = feed(&test, &session);
    tokio::select! {
        biased;
        _ = &mut fed => panic!("the session has not heard of it yet"),
        () = std::future::ready(()) => {}
    }
    // The journal fails and works again before whoever feeds gets to ask what became of it.
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    journal.broken.store(false, Ordering::SeqCst);
    let answer = fed.await;
    let head = journal.session(&session).await.unwrap().head;
    assert_eq!(head, contract::Seq(0), "it was lost");
    assert_eq!(answer.unwrap_err().code(), ErrorCode::STORE_UNAVAILABLE);

    assert_eq!(feed(&test, &session).await.unwrap(), 0, "and is taken when it is sent again");
    assert_eq!(journal.session(&session).await.unwrap().head, contract::Seq(1));
}

#[tokio::test(start_paused = true)]
async fn an_agent_whose_session_is_not_kept_is_ended_when_nobody_waits_for_it_any_more() {
    let journal = Arc::new(BreakableJournal::default());
    journal.stuck.store(true, Ordering::SeqCst);
    let test = TestService::with_journal(journal).await;
    let create = test.service.create(test.create_request("scripted"));
    let gave_up = tokio::time::timeout(Duration::from_secs(1), create).await;
    assert!(gave_up.is_err(), "the client went away");
    let calls = tokio::time::timeout(Duration::from_secs(1), test.agent.wait_for_calls(2)).await;
    assert!(matches!(calls.unwrap().as_slice(), [Call::Create(..), Call::Kill(_)]));
}
