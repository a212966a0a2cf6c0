//! Cancelling: what runs, what waits, and an agent that does not listen.

use std::time::Duration;

use contract::{Activity, Cancelled, Delivery, ErrorCode, ItemStatus, SendRequest};
use futures_util::future::join_all;
use session::provider::{ProviderErrorCode, ProviderNotice};
use testkit::{Call, Operation, TestService};

use crate::support::Watched;

#[tokio::test]
async fn cancelling_answers_when_the_turn_has_ended() {
    let run = Watched::start().await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.settle().await;
    let first = run.test.service.cancel(&run.session, None).await.unwrap();
    let second = run.test.service.cancel(&run.session, None).await.unwrap();
    assert_eq!(run.test.agent.wait_for_calls(3).await[2], Call::Cancel(run.session.clone()));
    assert_eq!(run.activity().await, Activity::Running, "until the agent has ended it");
    run.test.agent.emit_turn(run.sample("turn-1").cancelled()).await;
    assert_eq!(first.answer().await.unwrap(), Cancelled { cancelled: true });
    assert_eq!(second.answer().await.unwrap(), Cancelled { cancelled: true });
    assert_eq!(run.test.agent.calls().len(), 3, "the agent is asked once");
    assert_eq!(run.activity().await, Activity::Idle);
}

#[tokio::test]
async fn nothing_running_is_not_cancelled() {
    let run = Watched::start().await;
    let answer = run.test.service.cancel(&run.session, None).await.unwrap().answer().await.unwrap();
    assert!(!answer.cancelled);
    let other = run
        .test
        .service
        .cancel(&run.session, Some("turn-9".into()))
        .await
        .unwrap()
        .answer()
        .await
        .unwrap();
    assert!(!other.cancelled);
}

#[tokio::test]
async fn a_queued_turn_is_removed_and_its_message_says_so() {
    let run = Watched::start().await;
    run.send("one").await;
    run.send("two").await;
    let answer = run
        .test
        .service
        .cancel(&run.session, Some("turn-2".into()))
        .await
        .unwrap()
        .answer()
        .await
        .unwrap();
    assert!(answer.cancelled);
    let story = run.story().await;
    assert_eq!(story.last().unwrap(), "3 turn-2:0:0 Error REMOVED \"two\"");
    assert!(run.test.service.status(&run.session).await.unwrap().queued.is_empty());
    assert!(!run.test.agent.calls().contains(&Call::Cancel(run.session.clone())));
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_does_not_stop_keeps_running() {
    let run = Watched::start().await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.settle().await;
    let started = tokio::time::Instant::now();
    let answer = run.test.service.cancel(&run.session, None).await.unwrap().answer().await;
    assert_eq!(answer.unwrap_err().code(), ErrorCode::INTERRUPT_FAILED);
    assert_eq!(started.elapsed().as_secs(), Duration::from_secs(5).as_secs());
    assert_eq!(run.activity().await, Activity::Running);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_never_pauses_keeps_nobody_waiting_for_its_stop() {
    let run = Watched::start().await;
    run.send("one").await;
    let turn = run.sample("turn-1");
    run.test.agent.emit_turn(turn.started()).await;
    // More than wait in any queue, so that there is always another word of it.
    let words = (0..2000).map(async |n| {
        let item = format!("turn-1:{n}:0");
        loop {
            run.test.agent.emit(turn.message(&item, ItemStatus::Update, "word")).await;
        }
    });
    let time = async {
        loop {
            tokio::time::advance(Duration::from_millis(50)).await;
        }
    };
    let cancelled =
        async { run.test.service.cancel(&run.session, None).await.unwrap().answer().await };
    tokio::select! {
        answer = cancelled => assert_eq!(answer.unwrap_err().code(), ErrorCode::INTERRUPT_FAILED),
        _ = join_all(words) => unreachable!("they never end"),
        () = time => unreachable!("neither does this"),
    }
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_that_is_repeated_has_its_time_from_then_on() {
    let run = Watched::start().await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.settle().await;
    let started = tokio::time::Instant::now();
    let cancelled = run.test.service.cancel(&run.session, None).await.unwrap();
    tokio::time::sleep(Duration::from_secs(3)).await;
    run.test.agent.notify(&run.session, ProviderNotice::InterruptedAgain).await;
    assert_eq!(cancelled.answer().await.unwrap_err().code(), ErrorCode::INTERRUPT_FAILED);
    assert_eq!(started.elapsed().as_secs(), 3 + 5);
}

#[tokio::test]
async fn an_interrupt_that_cannot_be_written_fails_at_once() {
    let run = Watched::start().await;
    run.send("one").await;
    run.test.agent.fail_next(Operation::Cancel, ProviderErrorCode::InterruptFailed);
    let answer = run.test.service.cancel(&run.session, None).await.unwrap().answer().await;
    assert_eq!(answer.unwrap_err().code(), ErrorCode::INTERRUPT_FAILED);
}

#[tokio::test]
async fn a_send_that_interrupts_goes_first() {
    let run = Watched::start().await;
    run.send("one").await;
    run.send("two").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.settle().await;
    let request =
        SendRequest { delivery: Some(Delivery::Interrupt), ..TestService::send_request("now") };
    run.test.service.send(&run.session, request).await.unwrap().answer().await.unwrap();
    let request = SendRequest {
        delivery: Some(Delivery::Interrupt),
        ..TestService::send_request("then this")
    };
    run.test.service.send(&run.session, request).await.unwrap().answer().await.unwrap();
    let queued = run.test.service.status(&run.session).await.unwrap().queued.clone();
    let contents: Vec<_> = queued.iter().map(|turn| turn.content.as_str()).collect();
    assert_eq!(contents, ["now", "then this", "two"], "in the order they were sent");
    run.test.agent.wait_for_calls(3).await;
    run.test.agent.emit_turn(run.sample("turn-1").cancelled()).await;
    let calls = run.test.agent.wait_for_calls(4).await;
    assert_eq!(calls[2], Call::Cancel(run.session.clone()));
    assert_eq!(
        calls[3],
        Call::Send(run.session.clone(), "turn-3".into(), "now".into(), Delivery::Interrupt)
    );
}

#[tokio::test]
async fn a_turn_whose_message_was_taken_back_is_removed_and_has_no_end() {
    let run = Watched::start().await;
    run.send("one").await;
    run.send("two").await;
    run.test.agent.wait_for_calls(2).await;
    let cancelled = run.test.service.cancel(&run.session, Some("turn-1".into())).await.unwrap();
    run.test.agent.wait_for_calls(3).await;
    run.test.agent.notify(&run.session, ProviderNotice::NeverBegan("turn-1".into())).await;
    assert_eq!(cancelled.answer().await.unwrap(), Cancelled { cancelled: true });
    let calls = run.test.agent.wait_for_calls(4).await;
    assert!(matches!(&calls[3], Call::Send(_, turn, ..) if *turn == "turn-2"), "the next one runs");
    let story = run.story().await;
    assert!(story.iter().any(|line| line.contains("turn-1:0:0 Error REMOVED")), "{story:?}");
    assert!(
        story.iter().all(|line| !line.contains("turn-1 ")),
        "it neither began nor ended: {story:?}"
    );
}
