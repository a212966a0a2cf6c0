//! What a server that stops does to sessions in which something is under way.

use std::sync::Arc;

use contract::ErrorCode;
use session::provider::{CliProvider, ProviderNotice};
use store::{Journal, MemoryJournal};
use testkit::{Operation, TestService};

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
