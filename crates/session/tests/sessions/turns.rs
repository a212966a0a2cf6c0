//! Sends, their turns and the queue.

use contract::{
    Activity, ClientMessageId, Delivery, ErrorCode, ItemStatus, PlanEntry, SendRequest, SendState,
};
use session::Autonomous;
use session::provider::{ProviderErrorCode, ProviderNotice};
use testkit::{Call, Operation, ScriptedProvider, TestService};

use crate::support::Watched;

#[tokio::test]
async fn a_turn_runs_from_the_users_item_to_its_end() {
    let run = Watched::start().await;
    assert_eq!(run.activity().await, Activity::Idle);
    let sent = run.send("hello").await;
    assert_eq!((sent.turn_id.as_str(), sent.state), ("turn-1", SendState::Started));
    assert_eq!(run.activity().await, Activity::Running);
    let calls = run.test.agent.wait_for_calls(2).await;
    assert_eq!(
        calls[1],
        Call::Send(run.session.clone(), "turn-1".into(), "hello".into(), Delivery::Queue)
    );

    let turn = run.sample("turn-1");
    run.test.agent.emit_turn(turn.started()).await;
    run.test.agent.emit(turn.message("turn-1:1:0", ItemStatus::Create, "hi")).await;
    run.test.agent.emit(turn.message("turn-1:1:0", ItemStatus::Complete, "hi there")).await;
    run.test.agent.emit_turn(turn.completed()).await;
    let expected = [
        "1 turn-1:0:0 Complete \"hello\"",
        "2 turn-1 started",
        "4 turn-1:1:0 Complete \"hi there\"",
        "5 turn-1 Completed",
    ];
    assert_eq!(
        run.story().await,
        expected,
        "an unsent older state of an item is replaced by the newer one"
    );
    assert_eq!(run.activity().await, Activity::Idle);
}

#[tokio::test]
async fn sends_while_a_turn_runs_wait_in_order() {
    let run = Watched::start().await;
    run.send("one").await;
    assert_eq!(run.send("two").await.state, SendState::Queued);
    assert_eq!(run.send("three").await.state, SendState::Queued);
    let status = run.test.service.status(&run.session).await.unwrap();
    assert_eq!(
        status.queued.iter().map(|turn| turn.content.as_str()).collect::<Vec<_>>(),
        ["two", "three"]
    );
    assert_eq!(status.turn_id.as_ref().unwrap(), "turn-1");
    for turn in ["turn-1", "turn-2", "turn-3"] {
        run.test.agent.emit_turn(run.sample(turn).started()).await;
        run.test.agent.emit_turn(run.sample(turn).completed()).await;
    }
    let calls = run.test.agent.wait_for_calls(4).await;
    let contents: Vec<_> = calls
        .iter()
        .filter_map(|call| match call {
            Call::Send(_, turn, content, _) => Some((turn.as_str(), content.as_str())),
            Call::Check | Call::Create(..) | Call::Load(_) | Call::Cancel(_) | Call::Kill(_) => {
                None
            }
        })
        .collect();
    assert_eq!(contents, [("turn-1", "one"), ("turn-2", "two"), ("turn-3", "three")]);
    run.settle().await;
    assert_eq!(run.activity().await, Activity::Idle);
}

#[tokio::test]
async fn a_full_queue_refuses() {
    let run = Watched::start().await;
    for _ in 0..17 {
        run.send("again").await;
    }
    let refused = run
        .test
        .service
        .send(&run.session, TestService::send_request("too many"))
        .await
        .unwrap()
        .answer()
        .await;
    assert_eq!(refused.unwrap_err().code(), ErrorCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn a_retried_send_is_answered_alike_and_sent_once() {
    let run = Watched::start().await;
    let request = SendRequest {
        client_message_id: Some(ClientMessageId::from("m-1")),
        ..TestService::send_request("once")
    };
    let send = || async {
        run.test.service.send(&run.session, request.clone()).await.unwrap().answer().await.unwrap()
    };
    let (first, second) = (send().await, send().await);
    assert_eq!(first, second);
    run.settle().await;
    assert_eq!(run.test.agent.calls().len(), 2, "one create, one send");
}

#[tokio::test]
async fn empty_messages_are_refused_and_leave_no_trace() {
    let run = Watched::start().await;
    for content in ["", "  \n"] {
        let refused =
            run.test.service.send(&run.session, TestService::send_request(content)).await.unwrap();
        assert_eq!(refused.answer().await.unwrap_err().code(), ErrorCode::INVALID_REQUEST);
    }
    assert_eq!(run.story().await, [""; 0]);
}

#[tokio::test]
async fn a_turn_that_a_living_agent_refuses_fails_and_the_next_one_runs() {
    let run = Watched::start().await;
    run.test.agent.fail_next(Operation::Send, ProviderErrorCode::ProtocolError);
    run.send("one").await;
    run.send("two").await;
    run.test.agent.wait_for_calls(3).await;
    run.settle().await;
    let story = run.story().await;
    assert!(story.iter().any(|line| line.ends_with("turn-1 failed PROTOCOL_ERROR")), "{story:?}");
    assert_eq!(
        run.test.service.status(&run.session).await.unwrap().turn_id.as_ref().unwrap(),
        "turn-2"
    );
}

#[tokio::test]
async fn a_failed_turn_shows_until_the_next_one() {
    let run = Watched::start().await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.test.agent.emit_turn(run.sample("turn-1").failed(ErrorCode::RESPONSE_ERROR)).await;
    run.settle().await;
    assert_eq!(run.activity().await, Activity::Error);
    run.send("two").await;
    assert_eq!(run.activity().await, Activity::Running);
}

#[tokio::test]
async fn waiting_returns_when_nothing_runs() {
    let run = Watched::start().await;
    let soon = std::time::Duration::from_millis(20);
    assert!(!run.test.service.wait(&run.session, soon).await.unwrap().timed_out);
    run.send("one").await;
    let waited = run.test.service.wait(&run.session, soon).await.unwrap();
    assert_eq!((waited.activity, waited.timed_out), (Activity::Running, true));
    let service = run.test.service.clone();
    let (session, long) = (run.session.clone(), std::time::Duration::from_secs(60));
    let waiting = run.test.tasks.spawn(async move { service.wait(&session, long).await.unwrap() });
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.test.agent.emit_turn(run.sample("turn-1").completed()).await;
    assert_eq!(waiting.await.unwrap().activity, Activity::Idle);
}

#[tokio::test]
async fn a_turn_that_nobody_asked_for_runs_too() {
    let run = Watched::start().await;
    run.test.agent.emit_turn(run.sample("auto-1").started()).await;
    run.settle().await;
    assert_eq!(run.activity().await, Activity::Running);
    run.test.agent.emit_turn(run.sample("auto-1").completed()).await;
    assert_eq!(run.story().await, ["1 auto-1 started", "2 auto-1 Completed"]);
    assert_eq!(run.activity().await, Activity::Idle);
}

#[tokio::test]
async fn a_send_waits_for_a_turn_that_nobody_asked_for() {
    let run = Watched::start().await;
    run.test.agent.emit_turn(run.sample("auto-1").started()).await;
    run.settle().await;
    assert_eq!(run.send("hello").await.state, SendState::Queued);
    run.settle().await;
    assert_eq!(run.test.agent.calls().len(), 1, "nothing was asked of the agent but to start");
    run.test.agent.emit_turn(run.sample("auto-1").completed()).await;
    let calls = run.test.agent.wait_for_calls(2).await;
    assert!(matches!(&calls[1], Call::Send(..)));
}

#[tokio::test]
async fn a_send_preempts_a_turn_that_nobody_asked_for_where_that_is_set() {
    let agent = ScriptedProvider::default();
    let test = TestService::with_agent(agent, Autonomous::Preempt).await;
    let run = Watched::on(test, "scripted").await;
    run.test.agent.emit_turn(run.sample("auto-1").started()).await;
    run.settle().await;
    assert_eq!(run.send("hello").await.state, SendState::Queued);
    let calls = run.test.agent.wait_for_calls(2).await;
    assert_eq!(calls[1], Call::Cancel(run.session.clone()), "first the interrupt");
    run.test.agent.emit_turn(run.sample("auto-1").cancelled()).await;
    let calls = run.test.agent.wait_for_calls(3).await;
    assert!(matches!(&calls[2], Call::Send(..)), "then, once it is torn down, the start");
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.settle().await;
    assert_eq!(run.send("again").await.state, SendState::Queued);
    run.settle().await;
    assert_eq!(run.test.agent.calls().len(), 3, "a turn that was asked for is not preempted");
}

#[tokio::test]
async fn a_steering_message_does_not_wait_where_the_agent_can_take_it_in() {
    let agent = ScriptedProvider::steering();
    let test = TestService::with_agent(agent, Autonomous::default()).await;
    let run = Watched::on(test, "scripted").await;
    run.send("one").await;
    run.test.agent.emit_turn(run.sample("turn-1").started()).await;
    run.settle().await;
    run.send("queued").await;
    let steer =
        SendRequest { delivery: Some(Delivery::Steer), ..TestService::send_request("left") };
    run.test.service.send(&run.session, steer).await.unwrap().answer().await.unwrap();
    let calls = run.test.agent.wait_for_calls(3).await;
    let Call::Send(_, turn, content, delivery) = &calls[2] else { panic!("{calls:?}") };
    assert_eq!((turn.as_str(), content.as_str(), *delivery), ("turn-3", "left", Delivery::Steer));
    for turn in ["turn-1", "turn-3"] {
        run.test.agent.emit_turn(run.sample(turn).completed()).await;
    }
    let calls = run.test.agent.wait_for_calls(4).await;
    assert!(matches!(&calls[3], Call::Send(_, turn, ..) if *turn == "turn-2"));
}

#[tokio::test]
async fn a_plan_is_told_whole_to_those_who_opened_the_session() {
    let run = Watched::start().await;
    let step = |content: &str, status: &str| PlanEntry {
        content: content.to_owned(),
        status: status.to_owned(),
        priority: None,
    };
    let early = vec![step("look", "pending")];
    run.test.agent.notify(&run.session, ProviderNotice::Plan(early)).await;
    let late = vec![step("look", "completed"), step("do", "pending")];
    run.test.agent.notify(&run.session, ProviderNotice::Plan(late)).await;
    let told = ["plan: completed look pending do"];
    assert_eq!(run.story().await, told, "a newer one takes the place of an unsent one");
    let second = run.test.watch(&run.session).await;
    let run = Watched { connection: second, ..run };
    assert_eq!(run.story().await, told, "also to those who come later");
    run.test.agent.notify(&run.session, ProviderNotice::Plan(Vec::new())).await;
    assert_eq!(run.story().await, ["plan:"], "also that there is none any more");
}
