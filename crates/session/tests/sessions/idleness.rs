//! Agents that have nothing to do for long.

use std::time::Duration;

use contract::{Activity, BackgroundTask, PermissionRequest, SendState, SessionState};
use session::provider::{CliProvider, ProviderNotice};
use testkit::Call;

use crate::support::Watched;

const MINUTE: Duration = Duration::from_secs(60);

async fn finish_a_turn(run: &Watched) {
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.test.agent.emit_turn(run.sample("turn-1").completed()).await;
    run.settle().await;
}

#[tokio::test(start_paused = true)]
async fn an_idle_agent_is_ended_and_comes_back_with_the_next_message() {
    let run = Watched::start().await;
    finish_a_turn(&run).await;
    tokio::time::sleep(29 * MINUTE).await;
    assert!(run.test.agent.is_alive(&run.session));
    tokio::time::sleep(2 * MINUTE).await;
    run.settle().await;
    assert!(!run.test.agent.is_alive(&run.session));
    let status = run.test.service.status(&run.session).await.unwrap();
    assert_eq!(
        (status.state, status.is_alive, status.activity),
        (SessionState::Open, false, Activity::Idle)
    );
    assert_eq!(run.send("two").await.state, SendState::Started);
    let calls = run.test.agent.wait_for_calls(5).await;
    assert!(matches!(calls[2..], [Call::Kill(_), Call::Load(_), Call::Send(..)]), "{calls:?}");
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_works_or_waits_for_an_answer_is_not_idle() {
    let run = Watched::start().await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    tokio::time::sleep(60 * MINUTE).await;
    assert!(run.test.agent.is_alive(&run.session), "a turn runs");
    run.test.agent.emit_turn(run.sample("turn-1").completed()).await;
    let task = BackgroundTask {
        task_id: "task".into(),
        kind: "shell".to_owned(),
        description: "sleep".to_owned(),
    };
    run.test.agent.notify(&run.session, ProviderNotice::BackgroundTasks(vec![task])).await;
    tokio::time::sleep(60 * MINUTE).await;
    assert!(run.test.agent.is_alive(&run.session), "it works in the background");
    run.test.agent.notify(&run.session, ProviderNotice::BackgroundTasks(Vec::new())).await;
    // As of work that outlives its turn.
    let request = PermissionRequest { turn_id: None, ..run.sample("turn-1").permission("p1") };
    let _decision = run.test.agent.ask(request).await;
    tokio::time::sleep(60 * MINUTE).await;
    assert!(run.test.agent.is_alive(&run.session), "it waits for an answer");
    run.test.agent.notify(&run.session, ProviderNotice::PermissionWithdrawn("p1".into())).await;
    tokio::time::sleep(29 * MINUTE).await;
    run.test.agent.notify(&run.session, ProviderNotice::Notice(None)).await;
    tokio::time::sleep(29 * MINUTE).await;
    assert!(run.test.agent.is_alive(&run.session), "it said something meanwhile");
    tokio::time::sleep(2 * MINUTE).await;
    run.settle().await;
    assert!(!run.test.agent.is_alive(&run.session));
}

#[tokio::test(start_paused = true)]
async fn what_is_fed_from_outside_has_no_agent_to_end() {
    let run = Watched::of_type("external").await;
    tokio::time::sleep(60 * MINUTE).await;
    assert!(run.test.service.status(&run.session).await.unwrap().is_alive);
}
