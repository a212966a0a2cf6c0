//! Permission requests: asked, answered once, withdrawn, ended with their turn.

use contract::{Activity, ErrorCode, PermissionAnswer};
use session::provider::{PermissionDecision, ProviderNotice};

use crate::support::Watched;

fn select(option: &str) -> PermissionAnswer {
    PermissionAnswer { option_id: Some(option.into()), ..PermissionAnswer::default() }
}

/// A session with a running turn that asks `permission-1`.
async fn asking() -> (Watched, tokio::sync::oneshot::Receiver<PermissionDecision>) {
    let run = Watched::start().await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    let decision = run.test.agent.ask(run.sample("turn-1").permission("permission-1")).await;
    run.settle().await;
    (run, decision)
}

#[tokio::test]
async fn a_request_waits_and_is_answered_once() {
    let (run, decision) = asking().await;
    assert_eq!(run.activity().await, Activity::Permission);
    assert_eq!(run.test.service.permissions().len(), 1);
    let answer =
        |option| run.test.service.answer(&run.session, "permission-1".into(), select(option));
    assert!(answer("allow").await.unwrap().answered);
    assert_eq!(decision.await.unwrap(), PermissionDecision::Selected(Box::new(select("allow"))));
    assert_eq!(answer("reject").await.unwrap_err().code(), ErrorCode::PERMISSION_ALREADY_ANSWERED);
    assert_eq!(run.activity().await, Activity::Running);
    let story = run.story().await;
    assert_eq!(story[2..], ["permission-1 requested", "permission-1 Selected"]);
}

#[tokio::test]
async fn of_two_answers_at_once_one_counts() {
    let (run, decision) = asking().await;
    let answer =
        |option| run.test.service.answer(&run.session, "permission-1".into(), select(option));
    let (allow, reject) = tokio::join!(answer("allow"), answer("reject"));
    assert_ne!(allow.is_ok(), reject.is_ok());
    let chosen = if allow.is_ok() { "allow" } else { "reject" };
    assert_eq!(decision.await.unwrap(), PermissionDecision::Selected(Box::new(select(chosen))));
}

#[tokio::test]
async fn an_answer_that_was_not_offered_leaves_the_request_open() {
    let (run, mut decision) = asking().await;
    let bad = [
        select("always"),
        PermissionAnswer::default(),
        PermissionAnswer { cancel: Some(true), ..select("allow") },
    ];
    for answer in bad {
        let refused = run.test.service.answer(&run.session, "permission-1".into(), answer).await;
        assert_eq!(refused.unwrap_err().code(), ErrorCode::INVALID_REQUEST);
    }
    let unknown =
        run.test.service.answer(&run.session, "permission-9".into(), select("allow")).await;
    assert_eq!(unknown.unwrap_err().code(), ErrorCode::PERMISSION_NOT_FOUND);
    assert!(decision.try_recv().is_err());
    assert_eq!(run.activity().await, Activity::Permission);
}

#[tokio::test]
async fn cancelling_a_request_is_told_to_the_agent_as_such() {
    let (run, decision) = asking().await;
    let cancel = PermissionAnswer { cancel: Some(true), ..PermissionAnswer::default() };
    run.test.service.answer(&run.session, "permission-1".into(), cancel).await.unwrap();
    assert_eq!(decision.await.unwrap(), PermissionDecision::Cancelled);
    assert_eq!(run.story().await.last().unwrap(), "permission-1 Cancelled");
}

#[tokio::test]
async fn a_withdrawn_request_is_closed() {
    let (run, decision) = asking().await;
    run.test
        .agent
        .notify(&run.session, ProviderNotice::PermissionWithdrawn("permission-1".into()))
        .await;
    assert_eq!(run.story().await.last().unwrap(), "permission-1 Withdrawn");
    assert!(decision.await.is_err(), "nobody will answer any more");
    let late = run.test.service.answer(&run.session, "permission-1".into(), select("allow")).await;
    assert_eq!(late.unwrap_err().code(), ErrorCode::PERMISSION_ALREADY_ANSWERED);
}

#[tokio::test]
async fn a_request_ends_with_its_turn_and_not_with_another() {
    let (run, decision) = asking().await;
    run.test.agent.emit_turn(run.sample("turn-0").failed(ErrorCode::RESPONSE_ERROR)).await;
    run.settle().await;
    assert_eq!(run.activity().await, Activity::Permission);
    run.test.agent.emit_turn(run.sample("turn-1").completed()).await;
    let story = run.story().await;
    assert_eq!(story[story.len() - 2..], ["permission-1 TurnEnded", "4 turn-1 Completed"]);
    assert!(decision.await.is_err());
    assert_eq!(run.activity().await, Activity::Idle);
}
