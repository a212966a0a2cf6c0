//! What a server that stops does to sessions in which something is under way.

use std::sync::Arc;

use contract::{Activity, ErrorCode};
use session::provider::{CliProvider, ProviderNotice};
use store::{Journal, MemoryJournal};
use testkit::{Call, Operation, TestService};

use crate::support::Watched;

#[tokio::test]
async fn a_message_that_a_stopping_server_takes_back_waits_for_the_next_one() {
    let journal = Arc::new(MemoryJournal::default());
    let test = TestService::with_journal(journal.clone()).await;
    let run = Watched::on(test, "scripted").await;
    run.send("one").await;
    run.test.agent.wait_for_calls(2).await;
    let ended = run.test.agent.hold_next(Operation::Kill);
    run.test.stop.cancel();
    run.test.agent.wait_for_calls(3).await;
    run.test.agent.notify(&run.session, ProviderNotice::NeverBegan("turn-1".into())).await;
    ended.send(()).unwrap();
    run.test.tasks.close();
    run.test.tasks.wait().await;
    let queue = journal.session(&run.session).await.unwrap().queue;
    let contents: Vec<_> = queue.iter().map(|turn| turn.content.as_str()).collect();
    assert_eq!(contents, ["one"], "it was accepted, and nobody cancelled it");
}

#[tokio::test]
async fn an_agent_that_is_coming_up_when_the_server_stops_is_not_left_behind() {
    let run = Watched::start().await;
    run.test.service.kill(&run.session).await.unwrap();
    let up = run.test.agent.hold_next(Operation::Load);
    let ended = run.test.agent.hold_next(Operation::Kill);
    let send = run.test.service.send(&run.session, TestService::send_request("hi")).await.unwrap();
    run.test.agent.wait_for_calls(3).await;
    run.test.stop.cancel();
    run.test.agent.wait_for_calls(4).await;
    up.send(()).ok();
    tokio::task::yield_now().await;
    ended.send(()).unwrap();
    run.test.tasks.close();
    run.test.tasks.wait().await;
    assert_eq!(send.answer().await.unwrap_err().code(), ErrorCode::SHUTTING_DOWN);
    assert!(!run.test.agent.is_alive(&run.session), "nobody is left who would end it");
}

#[tokio::test]
async fn r_11_a_turn_that_waits_when_the_server_is_about_to_stop_waits_for_the_next_one() {
    let journal = Arc::new(MemoryJournal::default());
    let test = TestService::with_journal(journal.clone()).await;
    let run = Watched::on(test, "scripted").await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.send("two").await;
    run.settle().await;
    run.test.service.begin_to_drain();
    run.test.agent.emit_turn(run.sample("turn-1").completed()).await;
    run.settle().await;
    assert_eq!(run.activity().await, Activity::Idle, "nothing is waited for");
    let status = run.test.service.status(&run.session).await.unwrap();
    assert!(status.queued.iter().all(|turn| turn.paused), "{:?}", status.queued);
    let late = run.test.service.send(&run.session, TestService::send_request("three")).await;
    let refused = late.unwrap().answer().await.unwrap_err();
    assert_eq!(refused.code(), ErrorCode::SHUTTING_DOWN);
    let resumed = run.test.service.resume_queue(&run.session).await.unwrap_err();
    assert_eq!(resumed.code(), ErrorCode::SHUTTING_DOWN);
    run.test.stop().await;
    let is_send = |call: &&Call| matches!(call, Call::Send(..));
    assert_eq!(run.test.agent.calls().iter().filter(is_send).count(), 1);
    let queue = journal.session(&run.session).await.unwrap().queue;
    let waiting: Vec<_> = queue.iter().map(|turn| (turn.content.as_str(), turn.paused)).collect();
    assert_eq!(waiting, [("two", true)]);
}

#[tokio::test]
async fn r_11_a_server_that_is_about_to_stop_starts_no_agent() {
    let run = Watched::start().await;
    run.test.service.kill(&run.session).await.unwrap();
    let project = run.test.service.projects().await.unwrap().remove(0).id;
    let known = run.test.service.agents(true).await.unwrap();
    let calls = run.test.agent.calls();
    let service = &run.test.service;
    service.begin_to_drain();
    let refused = [
        service.create(run.test.create_request("scripted")).await.err(),
        service.load(&run.session).await.err(),
        service.reconnect(&"scripted".into()).await.err(),
        service.agents(true).await.err(),
        service.importable(&project).await.err(),
    ];
    for (index, refused) in refused.into_iter().enumerate() {
        assert_eq!(refused.unwrap().code(), ErrorCode::SHUTTING_DOWN, "{index}");
    }
    assert_eq!(service.agents(false).await.unwrap(), known, "as they were found");
    assert_eq!(run.test.agent.calls(), calls);
}
