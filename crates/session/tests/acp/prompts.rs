//! Prompts: one at a time, stopped, refused, hanging.

use std::time::Duration;

use serde_json::json;
use session::provider::{Adjustment, CliProvider, ProviderErrorCode};
use testkit::scripted_acp::AGENT_SESSION;

use crate::bench::Bench;

fn prompts(bench: &Bench) -> usize {
    bench.agent.told().iter().filter(|message| message["method"] == "session/prompt").count()
}

#[tokio::test(start_paused = true)]
async fn a_second_prompt_waits_for_the_first() {
    let bench = Bench::new();
    let (session, first) = bench.prompted().await;
    drop(bench.send(&session, "two"));
    bench.agent.message_chunk("one").await;
    bench.settle().await;
    assert_eq!(prompts(&bench), 0, "an agent may never answer a prompt on a busy session");
    bench.agent.end_turn(&first, "end_turn").await;
    let second = bench.agent.next("session/prompt").await;
    bench.agent.message_chunk("two").await;
    bench.agent.end_turn(&second, "max_tokens").await;
    bench.settle().await;
    let turns = ["turn-1 started", "turn-1 Completed", "turn-2 started", "turn-2 Completed"];
    assert_eq!(bench.turns(), turns);
}

#[tokio::test(start_paused = true)]
async fn a_stopped_turn_ends_as_cancelled_with_its_text() {
    let bench = Bench::new();
    let (session, prompt) = bench.prompted().await;
    bench.agent.message_chunk("half a").await;
    bench.settle().await;
    bench.provider.cancel_turn(&session, Some(&"turn-1".into())).await.unwrap();
    let cancel = bench.agent.next("session/cancel").await;
    assert!(cancel.get("id").is_none(), "a notification");
    bench.agent.end_turn(&prompt, "cancelled").await;
    bench.settle().await;
    assert_eq!(bench.turns(), ["turn-1 started", "turn-1 Cancelled"]);
    assert_eq!(bench.items().last().unwrap(), "turn-1:1:0 Error CANCELLED \"half a\"");
}

#[tokio::test(start_paused = true)]
async fn a_stop_of_a_message_that_waits_takes_it_back() {
    let bench = Bench::new();
    let (session, first) = bench.prompted().await;
    let second = bench.send(&session, "two");
    bench.settle().await;
    bench.provider.cancel_turn(&session, Some(&"turn-2".into())).await.unwrap();
    assert_eq!(second.await.unwrap().unwrap_err().code, ProviderErrorCode::ProtocolError);
    assert!(bench.notices().contains(&"NeverBegan(\"turn-2\")".to_owned()));
    bench.agent.end_turn(&first, "end_turn").await;
    bench.settle().await;
    assert_eq!(prompts(&bench), 0);
    assert!(bench.agent.told().iter().all(|message| message["method"] != "session/cancel"));
}

#[tokio::test(start_paused = true)]
async fn a_late_stop_does_not_hit_the_turn_that_came_after() {
    let bench = Bench::new();
    let (session, first) = bench.prompted().await;
    bench.agent.end_turn(&first, "end_turn").await;
    drop(bench.send(&session, "two"));
    bench.agent.next("session/prompt").await;
    bench.provider.cancel_turn(&session, Some(&"turn-1".into())).await.unwrap();
    bench.settle().await;
    assert!(bench.agent.told().iter().all(|message| message["method"] != "session/cancel"));
}

#[tokio::test(start_paused = true)]
async fn an_error_fails_the_turn_and_the_next_prompt_waits_a_little() {
    let bench = Bench::new();
    let (session, prompt) = bench.prompted().await;
    bench.agent.message_chunk("I was about").await;
    bench.agent.refuse(&prompt, -32603, "Internal error").await;
    drop(bench.send(&session, "again"));
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(bench.turns(), ["turn-1 started", "turn-1 RESPONSE_ERROR: Internal error"]);
    assert_eq!(bench.items().last().unwrap(), "turn-1:1:0 Error INTERRUPTED \"I was about\"");
    assert_eq!(prompts(&bench), 0, "the agent may still be closing the turn");
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(prompts(&bench), 1);
}

#[tokio::test(start_paused = true)]
async fn a_prompt_after_an_error_that_hangs_is_sent_once_more() {
    let bench = Bench::new();
    let (session, prompt) = bench.prompted().await;
    bench.agent.refuse(&prompt, -32603, "Internal error").await;
    drop(bench.send(&session, "again"));
    let hung = bench.agent.next("session/prompt").await;
    tokio::time::sleep(Duration::from_secs(31)).await;
    bench.agent.next("session/cancel").await;
    bench.agent.end_turn(&hung, "cancelled").await;
    let again = bench.agent.next("session/prompt").await;
    assert_eq!(again["params"], hung["params"]);
    bench.agent.message_chunk("Here.").await;
    bench.agent.end_turn(&again, "end_turn").await;
    bench.settle().await;
    assert_eq!(bench.turns()[2..], ["turn-2 started", "turn-2 Completed"], "one turn");
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(prompts(&bench), 0, "once");
}

/// Slow, and not hanging: it begins when it is being cancelled.
#[tokio::test(start_paused = true)]
async fn a_prompt_that_begins_late_is_not_joined_by_another() {
    let bench = Bench::new();
    let (session, prompt) = bench.prompted().await;
    bench.agent.refuse(&prompt, -32603, "Internal error").await;
    drop(bench.send(&session, "again"));
    let slow = bench.agent.next("session/prompt").await;
    tokio::time::sleep(Duration::from_secs(31)).await;
    bench.agent.next("session/cancel").await;
    bench.agent.message_chunk("I was only sl").await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(prompts(&bench), 0, "an agent may never answer a prompt on a busy session");
    bench.agent.end_turn(&slow, "cancelled").await;
    let again = bench.agent.next("session/prompt").await;
    bench.agent.message_chunk("I was only slow.").await;
    bench.agent.end_turn(&again, "end_turn").await;
    bench.settle().await;
    assert_eq!(bench.turns()[2..], ["turn-2 started", "turn-2 Completed"], "one turn");
    let items = bench.items().into_iter();
    let ends: Vec<_> = items.filter(|item| !item.contains("Create")).collect();
    let expected = [
        "turn-2:1:0 Error SUPERSEDED \"I was only sl\"",
        "turn-2:2:0 Complete \"I was only slow.\"",
    ];
    assert_eq!(ends, expected);
}

#[tokio::test(start_paused = true)]
async fn an_error_is_waited_out_also_when_the_turn_was_stopped() {
    let bench = Bench::new();
    let (session, prompt) = bench.prompted().await;
    bench.agent.message_chunk("half a").await;
    bench.settle().await;
    bench.provider.cancel_turn(&session, None).await.unwrap();
    bench.agent.refuse(&prompt, -32603, "Internal error").await;
    drop(bench.send(&session, "again"));
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(bench.turns(), ["turn-1 started", "turn-1 Cancelled"]);
    assert_eq!(prompts(&bench), 0, "the agent may still be closing the turn");
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(prompts(&bench), 1);
}

#[tokio::test(start_paused = true)]
async fn a_prompt_after_an_error_that_lives_is_left_alone() {
    let bench = Bench::new();
    let (session, prompt) = bench.prompted().await;
    bench.agent.refuse(&prompt, -32603, "Internal error").await;
    drop(bench.send(&session, "again"));
    bench.agent.next("session/prompt").await;
    let usage = json!({ "sessionUpdate": "usage_update", "used": 1, "size": 2 });
    bench.agent.update(usage).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(bench.agent.told().iter().all(|message| message["method"] != "session/cancel"));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_of_the_model_is_a_failure_with_a_name() {
    let bench = Bench::new();
    let (_, prompt) = bench.prompted().await;
    bench.agent.end_turn(&prompt, "refusal").await;
    bench.settle().await;
    let turns = bench.turns.lock().unwrap().clone();
    let end = serde_json::to_value(turns.last().unwrap()).unwrap();
    assert_eq!(
        (&end["errorCode"], &end["errorClass"]),
        (&json!("RESPONSE_ERROR"), &json!("refusal"))
    );
}

#[tokio::test(start_paused = true)]
async fn too_many_messages_are_refused() {
    let bench = Bench::new();
    let (session, _first) = bench.prompted().await;
    let sends: Vec<_> = (0..20).map(|number| bench.send(&session, &number.to_string())).collect();
    bench.settle().await;
    let refused = sends.iter().filter(|send| send.is_finished()).count();
    assert_eq!(refused, 20 - 15, "sixteen wait, the first prompt among them");
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_hangs_and_is_stopped_while_it_is_asked_again_is_waited_for_quietly() {
    let bench = Bench::new();
    let (session, prompt) = bench.prompted().await;
    bench.agent.refuse(&prompt, -32603, "Internal error").await;
    drop(bench.send(&session, "again"));
    let hung = bench.agent.next("session/prompt").await;
    tokio::time::sleep(Duration::from_secs(31)).await;
    bench.agent.next("session/cancel").await;
    bench.provider.cancel_turn(&session, None).await.unwrap();
    // A paused clock does not move past a deadline that is kept though it has passed.
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(prompts(&bench), 0, "nobody wants it again");
    bench.agent.end_turn(&hung, "cancelled").await;
    bench.settle().await;
    assert_eq!(bench.turns()[2..], ["turn-2 started", "turn-2 Cancelled"]);
}

#[tokio::test(start_paused = true)]
async fn an_answer_with_an_odd_error_or_usage_ends_its_turn_all_the_same() {
    let bench = Bench::new();
    let (session, first) = bench.prompted().await;
    let error = json!({ "code": "ECONNREFUSED", "message": "no model", "data": null });
    bench.agent.say(json!({ "jsonrpc": "2.0", "id": first["id"], "error": error })).await;
    drop(bench.send(&session, "two"));
    let second = bench.agent.next("session/prompt").await;
    let usage = json!({ "inputTokens": 1.5, "outputTokens": null });
    bench.agent.answer(&second, json!({ "stopReason": "cancelled", "usage": usage })).await;
    bench.settle().await;
    let expected =
        ["turn-1 started", "turn-1 RESPONSE_ERROR: no model", "turn-2 started", "turn-2 Cancelled"];
    assert_eq!(bench.turns(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_prompt_that_cannot_be_asked_fails() {
    let bench = Bench::new();
    let modes = json!({ "currentModeId": "a", "availableModes": [{ "id": "a", "name": "A" }] });
    bench.agent.be_silent();
    let opening = async {
        let hello = bench.agent.next("initialize").await;
        bench.agent.answer(&hello, json!({ "protocolVersion": 1 })).await;
        let open = bench.agent.next("session/new").await;
        bench.agent.answer(&open, json!({ "sessionId": AGENT_SESSION, "modes": modes })).await;
    };
    // The double's agent is there once it is started.
    let opening = async {
        tokio::time::sleep(Duration::from_millis(1)).await;
        opening.await;
    };
    let (session, ()) = tokio::join!(bench.create(), opening);
    for _ in 0..64 {
        let mode = Adjustment::Mode("a".into());
        let adjusted = bench.provider.adjust(&session, mode).await;
        assert_eq!(adjusted.unwrap_err().code, ProviderErrorCode::ProcessCrash, "no answer");
        bench.agent.told();
    }
    let sent = bench.send(&session, "go");
    sent.await.unwrap().unwrap();
    bench.settle().await;
    let expected =
        ["turn-1 started", "turn-1 RESPONSE_ERROR: the agent answers nothing that it is asked"];
    assert_eq!(bench.turns(), expected);
}
