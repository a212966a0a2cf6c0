//! Messages that are to join the turn that runs.

use contract::{Delivery, ErrorCode, SendRequest};
use session::Autonomous;
use session::provider::ProviderErrorCode;
use testkit::{Call, Operation, ScriptedProvider, TestService};

use crate::support::Watched;

/// A session whose first turn runs, on an agent that takes messages in.
async fn running() -> Watched {
    let test = TestService::with_agent(ScriptedProvider::steering(), Autonomous::default()).await;
    let run = Watched::on(test, "scripted").await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.settle().await;
    run
}

async fn deliver(run: &Watched, content: &str, delivery: Delivery) -> Result<(), ErrorCode> {
    let request = SendRequest { delivery: Some(delivery), ..TestService::send_request(content) };
    let sent = run.test.service.send(&run.session, request).await.unwrap();
    sent.answer().await.map(drop).map_err(|error| error.code())
}

fn sent(calls: &[Call]) -> Vec<&str> {
    let sends = calls.iter().filter_map(|call| match call {
        Call::Send(_, _, content, _) => Some(content.as_str()),
        _ => None,
    });
    sends.collect()
}

#[tokio::test]
async fn those_that_the_agent_has_not_taken_in_are_bounded() {
    let run = running().await;
    let mut refused = 0;
    for _ in 0..40 {
        if let Err(code) = deliver(&run, "left", Delivery::Steer).await {
            assert_eq!(code, ErrorCode::TOO_MANY_REQUESTS);
            refused += 1;
        }
    }
    assert_eq!(refused, 24);
}

#[tokio::test]
async fn one_behind_a_message_that_interrupts_does_not_overtake_it() {
    let run = running().await;
    deliver(&run, "now", Delivery::Interrupt).await.unwrap();
    deliver(&run, "and this", Delivery::Steer).await.unwrap();
    run.settle().await;
    assert_eq!(sent(&run.test.agent.calls()), ["one"], "until what runs has ended");
    run.test.agent.emit_turn(run.sample("turn-1").cancelled()).await;
    run.settle().await;
    assert_eq!(sent(&run.test.agent.calls()), ["one", "now", "and this"]);
}

#[tokio::test]
async fn what_a_dead_agent_gives_back_waits_in_the_order_it_was_sent() {
    let test = TestService::with_agent(ScriptedProvider::steering(), Autonomous::default()).await;
    let run = Watched::on(test, "scripted").await;
    let mut held = Vec::new();
    for (content, delivery) in [("one", Delivery::Queue), ("left", Delivery::Steer)] {
        run.test.agent.fail_next(Operation::Send, ProviderErrorCode::ProcessCrash);
        held.push(run.test.agent.hold_next(Operation::Send));
        deliver(&run, content, delivery).await.unwrap();
    }
    for release in held {
        release.send(()).unwrap();
        run.settle().await;
    }
    let queued = run.test.service.status(&run.session).await.unwrap().queued.clone();
    let contents: Vec<_> = queued.iter().map(|turn| turn.content.as_str()).collect();
    assert_eq!(contents, ["one", "left"]);
}
