//! Permission requests: answered with what was offered, or as cancelled, and never with an error.

use contract::PermissionAnswer;
use serde_json::{Value, json};
use session::provider::{CliProvider, PermissionDecision};
use testkit::scripted_acp::AGENT_SESSION;

use crate::bench::{Bench, tool};

fn options() -> Value {
    json!([
        { "optionId": "yes", "name": "Yes", "kind": "allow_once" },
        { "optionId": "no", "name": "No", "kind": "reject_once" },
    ])
}

async fn ask(bench: &Bench, id: &str, options: Value) {
    let call = json!({
        "toolCallId": "call-1", "title": "touch made", "kind": "execute", "status": "pending",
        "rawInput": { "command": ["touch", "made"] },
        "content": [{ "type": "content", "content": { "type": "text", "text": "Why: because" } }],
    });
    let params = json!({ "sessionId": AGENT_SESSION, "toolCall": call, "options": options });
    let method = "session/request_permission";
    bench
        .agent
        .say(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
        .await;
    bench.settle().await;
}

fn chosen(option: &str) -> PermissionDecision {
    PermissionDecision::Selected(Box::new(PermissionAnswer {
        option_id: Some(option.into()),
        ..PermissionAnswer::default()
    }))
}

#[tokio::test(start_paused = true)]
async fn a_request_shows_its_call_and_is_answered_with_what_was_chosen() {
    let bench = Bench::new();
    let (_, _prompt) = bench.prompted().await;
    ask(&bench, "ask-1", options()).await;
    assert_eq!(bench.turns(), ["turn-1 started"], "asking is working");
    let (request, answer) = bench.take_asked();
    assert_eq!(request.title, "touch made");
    assert_eq!(request.item_id.as_ref().unwrap(), "turn-1:1:0");
    assert_eq!(request.turn_id.as_ref().unwrap(), "turn-1");
    let upserts = bench.upserts();
    let shown = tool(&upserts[0]);
    assert_eq!((shown.call_id.as_str(), shown.tool_output.as_ref()), ("call-1", None));
    answer.send(chosen("yes")).unwrap();
    let answered = bench.agent.answer_to("ask-1").await;
    assert_eq!(
        answered["result"],
        json!({ "outcome": { "outcome": "selected", "optionId": "yes" } })
    );
    let call = json!({
        "sessionUpdate": "tool_call", "toolCallId": "call-1", "title": "touch made",
        "status": "in_progress",
    });
    bench.agent.update(call).await;
    bench.settle().await;
    assert_eq!(
        bench.items(),
        ["turn-1:1:0 Create", "turn-1:1:0 Complete"],
        "one and the same item"
    );
}

#[tokio::test(start_paused = true)]
async fn what_was_not_offered_is_not_chosen() {
    let bench = Bench::new();
    let (_, _prompt) = bench.prompted().await;
    ask(&bench, "ask-1", options()).await;
    bench.take_asked().1.send(chosen("maybe")).unwrap();
    let answered = bench.agent.answer_to("ask-1").await;
    assert_eq!(answered["result"], json!({ "outcome": { "outcome": "cancelled" } }));
}

#[tokio::test(start_paused = true)]
async fn cancelling_denies_and_stops_the_turn() {
    let bench = Bench::new();
    let (_, _prompt) = bench.prompted().await;
    ask(&bench, "ask-1", options()).await;
    bench.take_asked().1.send(PermissionDecision::Cancelled).unwrap();
    let answered = bench.agent.answer_to("ask-1").await;
    assert_eq!(answered["result"], json!({ "outcome": { "outcome": "cancelled" } }));
    bench.agent.next("session/cancel").await;
}

#[tokio::test(start_paused = true)]
async fn a_stopped_turn_answers_its_requests_as_cancelled() {
    let bench = Bench::new();
    let (session, prompt) = bench.prompted().await;
    ask(&bench, "ask-1", options()).await;
    bench.provider.cancel_turn(&session, None).await.unwrap();
    let answered = bench.agent.answer_to("ask-1").await;
    assert_eq!(answered["result"], json!({ "outcome": { "outcome": "cancelled" } }));
    bench.agent.end_turn(&prompt, "cancelled").await;
    bench.settle().await;
    assert_eq!(bench.items().last().unwrap(), "turn-1:1:0 Error CANCELLED");
    drop(bench.take_asked().1.send(chosen("yes")));
    bench.settle().await;
    assert!(bench.agent.told().iter().all(|message| message["id"] != "ask-1"), "answered once");
}

#[tokio::test(start_paused = true)]
async fn a_request_can_be_taken_back() {
    let bench = Bench::new();
    let (_, _prompt) = bench.prompted().await;
    ask(&bench, "ask-1", options()).await;
    let (request, answer) = bench.take_asked();
    let params = json!({ "requestId": "ask-1" });
    bench.agent.say(json!({ "method": "$/cancel_request", "params": params })).await;
    bench.agent.answer_to("ask-1").await;
    let withdrawn = format!("PermissionWithdrawn({:?})", request.permission_id);
    bench.settle().await;
    assert!(bench.notices().contains(&withdrawn), "{:?}", bench.notices());
    drop(answer.send(chosen("yes")));
    bench.settle().await;
    assert!(bench.agent.told().iter().all(|message| message["id"] != "ask-1"), "answered once");
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_put_to_anybody_is_denied_at_once() {
    let bench = Bench::new();
    let (_, _prompt) = bench.prompted().await;
    let odd = json!([{ "optionId": "x", "name": "?", "kind": "allow_forever_and_ever" }]);
    for (id, options) in [("ask-1", json!([])), ("ask-2", odd), ("ask-3", json!("none"))] {
        ask(&bench, id, options).await;
        let answered = bench.agent.answer_to(id).await;
        assert_eq!(answered["result"], json!({ "outcome": { "outcome": "cancelled" } }), "{id}");
    }
    assert!(bench.asked.lock().unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn two_requests_with_one_number_are_two_requests() {
    let bench = Bench::new();
    let (_, _prompt) = bench.prompted().await;
    ask(&bench, "ask-1", options()).await;
    ask(&bench, "ask-1", options()).await;
    let (first, second) = (bench.take_asked(), bench.take_asked());
    assert_ne!(first.0.permission_id, second.0.permission_id);
    second.1.send(chosen("no")).unwrap();
    let answered = bench.agent.answer_to("ask-1").await;
    assert_eq!(answered["result"]["outcome"]["optionId"], "no");
    first.1.send(chosen("yes")).unwrap();
    let answered = bench.agent.answer_to("ask-1").await;
    assert_eq!(answered["result"]["outcome"]["optionId"], "yes");
}

#[tokio::test(start_paused = true)]
async fn other_requests_are_refused_as_unknown() {
    let bench = Bench::new();
    bench.create().await;
    let params = json!({ "sessionId": AGENT_SESSION, "path": "/etc/passwd" });
    let method = "fs/read_text_file";
    bench.agent.say(json!({ "id": "r", "method": method, "params": params })).await;
    assert_eq!(bench.agent.answer_to("r").await["error"]["code"], -32601);
}

#[tokio::test(start_paused = true)]
async fn a_request_outside_any_turn_waits_for_its_answer_too() {
    let bench = Bench::new();
    bench.create().await;
    ask(&bench, "ask-1", options()).await;
    tokio::time::sleep(std::time::Duration::from_secs(3600)).await;
    assert_eq!(bench.turns(), ["turn-1 started"], "for as long as it takes");
    bench.take_asked().1.send(chosen("yes")).unwrap();
    let answered = bench.agent.answer_to("ask-1").await;
    assert_eq!(answered["result"]["outcome"]["optionId"], "yes");
    tokio::time::sleep(std::time::Duration::from_secs(90)).await;
    assert_eq!(bench.turns(), ["turn-1 started", "turn-1 Completed"]);
}

#[tokio::test(start_paused = true)]
async fn a_request_that_nobody_can_answer_is_denied() {
    let bench = Bench::new();
    let (_, _prompt) = bench.prompted().await;
    ask(&bench, "ask-1", options()).await;
    drop(bench.take_asked());
    let answered = bench.agent.answer_to("ask-1").await;
    assert_eq!(answered["result"], json!({ "outcome": { "outcome": "cancelled" } }));
}

#[tokio::test(start_paused = true)]
async fn a_request_in_a_turn_that_was_stopped_is_denied_at_once() {
    let bench = Bench::new();
    let (session, prompt) = bench.prompted().await;
    bench.agent.message_chunk("half a").await;
    bench.settle().await;
    bench.provider.cancel_turn(&session, None).await.unwrap();
    bench.agent.next("session/cancel").await;
    ask(&bench, "ask-1", options()).await;
    let answered = bench.agent.answer_to("ask-1").await;
    assert_eq!(answered["result"], json!({ "outcome": { "outcome": "cancelled" } }));
    assert!(bench.asked.lock().unwrap().is_empty(), "nobody is asked");
    bench.agent.end_turn(&prompt, "cancelled").await;
    bench.settle().await;
    assert_eq!(bench.turns(), ["turn-1 started", "turn-1 Cancelled"]);
}

#[tokio::test(start_paused = true)]
async fn a_request_about_a_call_with_an_id_of_an_earlier_turn_is_of_this_turn() {
    let bench = Bench::new();
    let (session, first) = bench.prompted().await;
    ask(&bench, "ask-1", options()).await;
    bench.provider.cancel_turn(&session, None).await.unwrap();
    bench.agent.end_turn(&first, "cancelled").await;
    drop(bench.take_asked());
    drop(bench.send(&session, "again"));
    bench.agent.next("session/prompt").await;
    ask(&bench, "ask-2", options()).await;
    let (request, _answer) = bench.take_asked();
    assert_eq!(request.turn_id.as_ref().unwrap(), "turn-2");
    assert_eq!(request.item_id.as_ref().unwrap(), "turn-2:1:0");
}

#[tokio::test(start_paused = true)]
async fn a_cancel_that_comes_after_its_turn_does_not_stop_the_next() {
    // Which of two things that are there is taken first is a matter of chance.
    for _ in 0..32 {
        let bench = Bench::new();
        let (session, prompt) = bench.prompted().await;
        drop(bench.send(&session, "two"));
        ask(&bench, "ask-1", options()).await;
        let (_, answer) = bench.take_asked();
        bench.agent.end_turn(&prompt, "end_turn").await;
        answer.send(PermissionDecision::Cancelled).unwrap();
        bench.settle().await;
        let told = bench.agent.told();
        let place = |method: &str| told.iter().position(|message| message["method"] == method);
        let (next, stop) = (place("session/prompt").unwrap(), place("session/cancel"));
        assert!(stop.is_none_or(|stop| stop < next), "the next turn was stopped");
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_belongs_to_the_turn_that_waits_for_it() {
    let bench = Bench::new();
    let (session, prompt) = bench.prompted().await;
    let call = json!({
        "sessionUpdate": "tool_call", "toolCallId": "call-1", "title": "touch made",
        "status": "in_progress",
    });
    bench.agent.update(call).await;
    bench.agent.end_turn(&prompt, "end_turn").await;
    drop(bench.send(&session, "two"));
    bench.agent.next("session/prompt").await;
    ask(&bench, "ask-1", options()).await;
    let (request, _answer) = bench.take_asked();
    assert_eq!(request.turn_id.unwrap(), "turn-2", "else nothing would ever end it");
    assert_eq!(request.item_id.unwrap(), "turn-2:1:0", "and is shown there");
}

/// The protocol has a place for the option, and for nothing else: the service refuses the rest.
#[tokio::test]
async fn an_agent_of_the_protocol_is_told_the_option_only() {
    assert!(!Bench::new().provider.takes_full_answers());
}
