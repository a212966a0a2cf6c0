//! Agents that take their time, and what happens meanwhile.

use std::time::Duration;

use contract::{ClientMessageId, ErrorCode, SendRequest, SessionState};
use session::provider::{CliProvider, ProviderErrorCode};
use testkit::{Call, Operation, TestService};

use crate::support::Watched;

/// A dead session whose agent takes its time to come up.
async fn loading() -> (Watched, tokio::sync::oneshot::Sender<()>) {
    let run = Watched::start().await;
    run.test.service.kill(&run.session).await.unwrap();
    let release = run.test.agent.hold_next(Operation::Load);
    (run, release)
}

#[tokio::test]
async fn a_session_that_is_killed_while_its_agent_comes_up_stays_dead() {
    let (run, _held) = loading().await;
    let send = run.test.service.send(&run.session, TestService::send_request("hi")).await.unwrap();
    run.test.agent.wait_for_calls(3).await;
    let (service, session) = (run.test.service.clone(), run.session.clone());
    let kill = run.test.tasks.spawn(async move { service.kill(&session).await });
    assert_eq!(send.answer().await.unwrap_err().code(), ErrorCode::PROCESS_CRASH);
    assert!(kill.await.unwrap().unwrap().killed, "it does not wait for the agent to come up");
    assert!(!run.test.agent.is_alive(&run.session));
    assert_eq!(run.test.service.status(&run.session).await.unwrap().state, SessionState::Dead);
    assert!(matches!(run.test.agent.calls().last(), Some(Call::Kill(_))));
}

#[tokio::test]
async fn a_retry_while_the_agent_comes_up_joins_the_first() {
    let (run, release) = loading().await;
    let request = SendRequest {
        client_message_id: Some(ClientMessageId::from("m-1")),
        ..TestService::send_request("once")
    };
    let first = run.test.service.send(&run.session, request.clone()).await.unwrap();
    let second = run.test.service.send(&run.session, request).await.unwrap();
    run.test.agent.wait_for_calls(3).await;
    release.send(()).unwrap();
    assert_eq!(first.answer().await.unwrap(), second.answer().await.unwrap());
    run.test.agent.wait_for_calls(4).await;
    run.settle().await;
    assert_eq!(run.test.agent.calls().len(), 4, "one send");
}

/// A cold start on a busy machine takes its time, with some agents half a minute.
#[tokio::test(start_paused = true)]
async fn an_agent_that_comes_up_late_is_waited_for() {
    let (run, release) = loading().await;
    let send = run.test.service.send(&run.session, TestService::send_request("hi")).await.unwrap();
    run.test.agent.wait_for_calls(3).await;
    tokio::time::sleep(Duration::from_secs(50)).await;
    release.send(()).unwrap();
    send.answer().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_never_comes_up_is_given_up() {
    let (run, _release) = loading().await;
    let sends: Vec<_> = futures(&run, 20).await;
    let mut codes = Vec::new();
    for send in sends {
        codes.push(send.answer().await.unwrap_err().code());
    }
    assert_eq!(codes.iter().filter(|code| **code == ErrorCode::PROCESS_CRASH).count(), 16);
    assert_eq!(
        codes.iter().filter(|code| **code == ErrorCode::TOO_MANY_REQUESTS).count(),
        4,
        "those that wait are bounded"
    );
    assert_eq!(run.test.service.status(&run.session).await.unwrap().state, SessionState::Dead);
}

async fn futures(run: &Watched, count: usize) -> Vec<session::Pending<contract::SessionSent>> {
    let mut pending = Vec::new();
    for _ in 0..count {
        pending.push(
            run.test.service.send(&run.session, TestService::send_request("hi")).await.unwrap(),
        );
    }
    pending
}

#[tokio::test]
async fn a_turn_that_was_cancelled_before_it_began_is_not_prompted_again() {
    let run = Watched::start().await;
    let release = run.test.agent.hold_next(Operation::Send);
    run.test.agent.fail_next(Operation::Send, ProviderErrorCode::ProcessCrash);
    run.send("never mind").await;
    run.test.agent.wait_for_calls(2).await;
    let cancel = run.test.service.cancel(&run.session, None).await.unwrap();
    run.test.agent.wait_for_calls(3).await;
    release.send(()).unwrap();
    assert!(cancel.answer().await.unwrap().cancelled);
    assert!(run.test.service.status(&run.session).await.unwrap().queued.is_empty());
    assert_eq!(run.story().await.last().unwrap(), "2 turn-1:0:0 Error REMOVED \"never mind\"");
}

#[tokio::test(start_paused = true)]
async fn the_failure_of_an_old_interrupt_does_not_end_a_new_one() {
    let run = Watched::start().await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.settle().await;
    let release = run.test.agent.hold_next(Operation::Cancel);
    run.test.agent.fail_next(Operation::Cancel, ProviderErrorCode::InterruptFailed);
    let first = run.test.service.cancel(&run.session, None).await.unwrap();
    run.test.agent.wait_for_calls(3).await;
    run.test.agent.emit_turn(run.sample("turn-1").cancelled()).await;
    assert!(first.answer().await.unwrap().cancelled);
    run.send("two").await;
    run.test.agent.emit_turn(run.sample("turn-2").started()).await;
    run.settle().await;
    let second = run.test.service.cancel(&run.session, None).await.unwrap();
    run.test.agent.wait_for_calls(5).await;
    release.send(()).unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    run.test.agent.emit_turn(run.sample("turn-2").cancelled()).await;
    assert!(second.answer().await.unwrap().cancelled);
}
