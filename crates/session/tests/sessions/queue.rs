//! Turns that wait: changed, moved, hurried, removed, woken.

use std::sync::Arc;

use contract::{Activity, Delivery, ErrorCode, QueuePatch, QueuedTurn};
use session::ServiceError;
use session::provider::ProviderErrorCode;
use store::{Journal, MemoryJournal};
use testkit::{Call, Operation, TestService};

use crate::support::Watched;

fn contents(queue: &[QueuedTurn]) -> Vec<&str> {
    queue.iter().map(|turn| turn.content.as_str()).collect()
}

/// A session in which a turn runs and these wait, as `turn-2` and on.
async fn waiting(contents: &[&str]) -> Watched {
    waiting_on(TestService::start().await, contents).await
}

async fn waiting_on(test: TestService, contents: &[&str]) -> Watched {
    let run = Watched::on(test, "scripted").await;
    run.send("running").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    for content in contents {
        run.send(content).await;
    }
    run.settle().await;
    run.story().await;
    run
}

async fn change(
    run: &Watched,
    turn: &str,
    patch: QueuePatch,
) -> Result<Vec<QueuedTurn>, ServiceError> {
    run.test.service.change_queued(&run.session, turn.into(), patch).await
}

fn reworded(content: &str) -> QueuePatch {
    QueuePatch { content: Some(content.into()), ..QueuePatch::default() }
}

fn moved_before(turn: &str) -> QueuePatch {
    QueuePatch { before: Some(turn.into()), ..QueuePatch::default() }
}

fn sent_now() -> QueuePatch {
    QueuePatch { send_now: Some(true), ..QueuePatch::default() }
}

#[tokio::test]
async fn a_turn_is_reworded_where_it_waits_and_in_the_timeline() {
    let journal = Arc::new(MemoryJournal::default());
    let run = waiting_on(TestService::with_journal(journal.clone()).await, &["two", "three"]).await;
    let queue = change(&run, "turn-2", reworded("zwei")).await.unwrap();
    assert_eq!(contents(&queue), ["zwei", "three"]);
    assert_eq!(run.story().await, ["5 turn-2:0:0 Complete \"zwei\""]);
    assert_eq!(contents(&journal.session(&run.session).await.unwrap().queue), ["zwei", "three"]);
    let status = run.test.service.status(&run.session).await.unwrap();
    assert_eq!(contents(&status.queued), ["zwei", "three"], "connections are told");
    run.test.agent.emit_turn(run.sample("turn-1").completed()).await;
    let calls = run.test.agent.wait_for_calls(3).await;
    assert!(matches!(&calls[2], Call::Send(_, _, content, _) if content == "zwei"), "{calls:?}");
}

#[tokio::test]
async fn a_reworded_turn_that_a_dead_agent_gives_back_keeps_its_place() {
    let run = Watched::start().await;
    run.send("one").await;
    run.send("two").await;
    run.send("three").await;
    change(&run, "turn-2", reworded("zwei")).await.unwrap();
    run.test.agent.exit(&run.session, "gone").await;
    run.settle().await;
    let queue = run.test.service.queue(&run.session).await.unwrap();
    assert_eq!(contents(&queue), ["one", "zwei", "three"]);
}

#[tokio::test]
async fn a_turn_is_moved_before_another() {
    let run = waiting(&["two", "three", "four"]).await;
    let queue = change(&run, "turn-4", moved_before("turn-2")).await.unwrap();
    assert_eq!(contents(&queue), ["four", "two", "three"]);
    let queue = change(&run, "turn-2", moved_before("turn-2")).await.unwrap();
    assert_eq!(contents(&queue), ["four", "two", "three"]);
    let nowhere = change(&run, "turn-2", moved_before("turn-1")).await.unwrap_err();
    assert_eq!(nowhere.code(), ErrorCode::INVALID_REQUEST);
    assert_eq!(run.story().await, [""; 0], "nothing of it is in the timeline");
}

#[tokio::test]
async fn a_turn_that_is_sent_now_interrupts_what_runs_and_goes_first() {
    let run = waiting(&["two", "three"]).await;
    let queue = change(&run, "turn-3", sent_now()).await.unwrap();
    assert_eq!(contents(&queue), ["three", "two"]);
    let calls = run.test.agent.wait_for_calls(3).await;
    assert_eq!(calls[2], Call::Cancel(run.session.clone()));
    run.test.agent.emit_turn(run.sample("turn-1").cancelled()).await;
    let calls = run.test.agent.wait_for_calls(4).await;
    let sent =
        Call::Send(run.session.clone(), "turn-3".into(), "three".into(), Delivery::Interrupt);
    assert_eq!(calls[3], sent);
    run.settle().await;
    assert_eq!(contents(&run.test.service.queue(&run.session).await.unwrap()), ["two"]);
}

#[tokio::test]
async fn a_turn_that_is_removed_says_so_in_the_timeline() {
    let run = waiting(&["two", "three"]).await;
    assert!(run.test.service.remove_queued(&run.session, "turn-2".into()).await.unwrap().removed);
    assert_eq!(run.story().await, ["5 turn-2:0:0 Error REMOVED \"two\""]);
    assert_eq!(contents(&run.test.service.queue(&run.session).await.unwrap()), ["three"]);
    let again = run.test.service.remove_queued(&run.session, "turn-2".into()).await;
    assert_eq!(again.unwrap_err().code(), ErrorCode::TURN_NOT_FOUND);
}

#[tokio::test]
async fn what_has_begun_does_not_wait_any_more() {
    let run = waiting(&["two"]).await;
    let running = change(&run, "turn-1", reworded("too late")).await.unwrap_err();
    assert_eq!(running.code(), ErrorCode::TURN_ALREADY_STARTED);
    run.test.agent.emit_turn(run.sample("turn-1").completed()).await;
    run.settle().await;
    for turn in ["turn-1", "turn-2"] {
        let begun = run.test.service.remove_queued(&run.session, turn.into()).await;
        assert_eq!(begun.unwrap_err().code(), ErrorCode::TURN_ALREADY_STARTED, "{turn}");
    }
    let unknown = change(&run, "turn-9", reworded("x")).await.unwrap_err();
    assert_eq!(unknown.code(), ErrorCode::TURN_NOT_FOUND);
}

#[tokio::test]
async fn a_change_of_nothing_and_an_empty_message_are_refused() {
    let run = waiting(&["two"]).await;
    for patch in [QueuePatch::default(), reworded(" \n")] {
        let refused = change(&run, "turn-2", patch).await.unwrap_err();
        assert_eq!(refused.code(), ErrorCode::INVALID_REQUEST);
    }
    assert_eq!(contents(&run.test.service.queue(&run.session).await.unwrap()), ["two"]);
}

#[tokio::test]
async fn a_full_queue_that_is_paused_is_woken_with_an_agent() {
    let many = ["x"; 16];
    let run = waiting(&many).await;
    run.test.service.kill(&run.session).await.unwrap();
    let queue = run.test.service.queue(&run.session).await.unwrap();
    assert!(queue.len() == 16 && queue.iter().all(|turn| turn.paused));
    run.test.agent.fail_next(Operation::Load, ProviderErrorCode::ProcessCrash);
    let refused = run.test.service.resume_queue(&run.session).await.unwrap_err();
    assert_eq!(refused.code(), ErrorCode::PROCESS_CRASH);
    assert!(run.test.service.queue(&run.session).await.unwrap()[0].paused, "nothing changed");
    let queue = run.test.service.resume_queue(&run.session).await.unwrap();
    assert!(queue.len() == 15 && queue.iter().all(|turn| !turn.paused));
    assert_eq!(run.activity().await, Activity::Running);
    let calls = run.test.agent.wait_for_calls(6).await;
    assert!(matches!(&calls[5], Call::Send(_, turn, ..) if *turn == "turn-2"), "{calls:?}");
    let again = run.test.service.resume_queue(&run.session).await.unwrap();
    assert_eq!(again, queue, "what is not paused goes on as it does");
}

#[tokio::test]
async fn of_a_paused_queue_only_what_is_sent_now_runs() {
    let run = waiting(&["two", "three"]).await;
    run.test.service.kill(&run.session).await.unwrap();
    let queue = change(&run, "turn-3", sent_now()).await.unwrap();
    assert_eq!(contents(&queue), ["two"]);
    assert!(queue[0].paused);
    run.test.agent.wait_for_calls(5).await;
    run.test.agent.emit_turn(run.sample("turn-3").started()).await;
    run.test.agent.emit_turn(run.sample("turn-3").completed()).await;
    run.settle().await;
    assert_eq!(run.activity().await, Activity::Idle);
    assert_eq!(run.test.agent.calls().len(), 5, "the other one waits");
}

#[tokio::test]
async fn a_hurried_turn_runs_also_when_one_that_is_paused_is_moved_before_it() {
    let run = waiting(&["two", "three", "four"]).await;
    run.test.agent.exit(&run.session, "gone").await;
    run.settle().await;
    change(&run, "turn-2", sent_now()).await.unwrap();
    run.test.agent.emit_turn(run.sample("turn-2").started()).await;
    run.settle().await;
    change(&run, "turn-4", sent_now()).await.unwrap();
    let queue = change(&run, "turn-3", moved_before("turn-4")).await.unwrap();
    let waiting: Vec<_> = queue.iter().map(|turn| (turn.content.as_str(), turn.paused)).collect();
    assert_eq!(waiting, [("three", true), ("four", false)]);
    run.test.agent.emit_turn(run.sample("turn-2").cancelled()).await;
    run.settle().await;
    let status = run.test.service.status(&run.session).await.unwrap();
    assert_eq!((status.activity, contents(&status.queued)), (Activity::Running, vec!["three"]));
    assert!(status.queued[0].paused);
}
