//! What the stand-in for OpenAI's Responses API says, as agents read it.
#![cfg(test)]

use serde_json::{Value, json};
use testkit::responses_api::{Gate, ResponsesApi, ResponsesReply, ResponsesRequestKind};
use testkit::{HttpClient, HttpResponse};

/// A request of a turn: it has tools.
fn question(stream: bool) -> Value {
    json!({
        "model": "gpt-test",
        "stream": stream,
        "tools": [{"type": "function", "name": "exec_command"}],
        "input": [{"type": "message", "role": "user", "content": "hello"}],
    })
}

async fn ask(api: &ResponsesApi, body: &Value) -> HttpResponse {
    HttpClient::new(api.port()).post_json("/v1/responses", body).await
}

/// The events of the answer to a streaming question.
async fn events(reply: ResponsesReply) -> Vec<Value> {
    let api = ResponsesApi::with_replies([reply]).await;
    let response = ask(&api, &question(true)).await;
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("content-type"), Some("text/event-stream; charset=utf-8"));
    response.text().split_terminator("\n\n").map(parse_event).collect()
}

fn parse_event(event: &str) -> Value {
    let (name, data) = event.split_once('\n').unwrap();
    let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
    assert_eq!(name.strip_prefix("event: "), data["type"].as_str());
    data
}

fn types(events: &[Value]) -> Vec<&str> {
    events.iter().map(|event| event["type"].as_str().unwrap()).collect()
}

fn deltas(events: &[Value]) -> Vec<&str> {
    events.iter().filter_map(|event| event["delta"].as_str()).collect()
}

/// The items of an answer as they are when they are done.
fn items(events: &[Value]) -> Vec<&Value> {
    let done = events.iter().filter(|event| event["type"] == "response.output_item.done");
    done.map(|event| &event["item"]).collect()
}

#[tokio::test]
async fn a_text_is_streamed_in_words_between_the_events_of_its_item() {
    let events = events(ResponsesReply::text("one two three").words_per_delta(2).usage(7, 3)).await;
    assert_eq!(
        types(&events),
        [
            "response.created",
            "response.in_progress",
            "response.output_item.added",
            "response.content_part.added",
            "response.output_text.delta",
            "response.output_text.delta",
            "response.output_text.done",
            "response.content_part.done",
            "response.output_item.done",
            "response.completed",
        ]
    );
    assert_eq!(deltas(&events), ["one two ", "three"]);
    assert_eq!(items(&events)[0]["content"][0]["text"], "one two three");
    assert_eq!(events[4]["item_id"], events[2]["item"]["id"]);
    let numbers: Vec<u64> =
        events.iter().map(|event| event["sequence_number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (0..10).collect::<Vec<_>>());
    let whole = &events[9]["response"];
    assert_eq!((&whole["status"], &whole["model"]), (&"completed".into(), &"gpt-test".into()));
    assert_eq!(whole["usage"]["total_tokens"], 10);
}

#[tokio::test]
async fn two_thousand_words_lose_none() {
    let events = events(ResponsesReply::words(2_000).words_per_delta(1)).await;
    let said = deltas(&events);
    assert_eq!(said.len(), 2_000);
    assert!(said.concat().starts_with("word1 word2 "));
    assert!(said.concat().ends_with(" word2000"));
}

#[tokio::test]
async fn reasoning_and_several_calls_stand_in_one_answer_in_order() {
    let patch = "*** Begin Patch\n*** End Patch\n";
    let reply = ResponsesReply::reasoning("so it is")
        .then_shell("date")
        .then_custom("apply_patch", patch)
        .then_function("update_plan", json!({"plan": []}));
    let events = events(reply).await;
    let items = items(&events);
    let kinds: Vec<&str> = items.iter().map(|item| item["type"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["reasoning", "function_call", "custom_tool_call", "function_call"]);
    assert_eq!(items[0]["summary"][0]["text"], "so it is");
    let arguments = items[1]["arguments"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(arguments).unwrap(), json!({"cmd": "date"}));
    assert_eq!(items[2]["input"], patch);
    assert_ne!(items[1]["call_id"], items[3]["call_id"]);
    let indices = events.iter().filter(|event| event["type"] == "response.output_item.added");
    let indices: Vec<u64> = indices.map(|event| event["output_index"].as_u64().unwrap()).collect();
    assert_eq!(indices, [0, 1, 2, 3]);
    let input = events.iter().filter(|event| event["item_id"] == items[2]["id"]);
    let pieces: String = input.filter_map(|event| event["delta"].as_str()).collect();
    assert_eq!(pieces, patch);
}

#[tokio::test]
async fn an_error_has_its_status_its_name_and_when_to_come_back() {
    for status in [400, 401, 429, 500] {
        let reply = ResponsesReply::status(status, "some_error").error_message("no").retry_after(9);
        let api = ResponsesApi::with_replies([reply]).await;
        let response = ask(&api, &question(true)).await;
        assert_eq!(response.status, status);
        assert_eq!(response.header("retry-after"), Some("9"));
        let error = json!({"message": "no", "type": "some_error", "code": "some_error"});
        assert_eq!(response.json()["error"], error);
    }
}

#[tokio::test]
async fn a_response_can_fail_on_its_way() {
    let reply = ResponsesReply::words(12).failed_after(2, "server_error", "no more");
    let events = events(reply).await;
    assert_eq!(deltas(&events).len(), 2);
    let last = events.last().unwrap();
    assert_eq!(last["type"], "response.failed");
    let error = json!({"code": "server_error", "message": "no more"});
    assert_eq!(last["response"]["error"], error);
}

#[tokio::test]
async fn a_stream_can_be_cut_and_then_never_completes() {
    let api = ResponsesApi::with_replies([ResponsesReply::words(12).cut_after(2)]).await;
    let response = ask(&api, &question(true)).await;
    assert_eq!(response.text().matches("event: response.output_text.delta").count(), 2);
    assert!(!response.text().contains("response.completed"));
}

#[tokio::test]
async fn an_answer_waits_at_its_gate() {
    let gate = Gate::new();
    let held = ResponsesReply::words(8).hold_after(1, &gate);
    let api = ResponsesApi::with_replies([held]).await;
    let body = question(true);
    let mut answer = Box::pin(ask(&api, &body));
    tokio::select! {
        _ = &mut answer => panic!("the answer passed a closed gate"),
        () = gate.reached() => {}
    }
    gate.open();
    assert!(answer.await.text().contains("response.completed"));
}

#[tokio::test]
async fn what_is_held_breaks_off_when_the_stand_in_is_dropped() {
    let gate = Gate::new();
    let api = ResponsesApi::with_replies([ResponsesReply::words(8).hold_after(1, &gate)]).await;
    let client = HttpClient::new(api.port());
    let body = question(true);
    let mut answer = Box::pin(client.post_json("/v1/responses", &body));
    tokio::select! {
        _ = &mut answer => panic!("the answer passed a closed gate"),
        () = gate.reached() => drop(api),
    }
    assert!(!answer.await.text().contains("response.completed"));
}

#[tokio::test]
async fn scripts_see_turns_and_the_rest_is_answered_and_recorded() {
    let api = ResponsesApi::start(|request| ResponsesReply::text(&request.last_user_text())).await;
    let client = HttpClient::new(api.port());
    let turn = ask(&api, &question(false)).await.json();
    assert_eq!(turn["output"][0]["content"][0]["text"], "hello");

    let side = ask(&api, &json!({"model": "m", "input": []})).await.json();
    assert_eq!(side["output"][0]["content"][0]["text"], "Fine");
    assert_eq!(client.get("/v1/models").await.json()["data"], json!([]));
    assert_eq!(client.get("/v1/files").await.status, 404);

    let kinds: Vec<_> = api.requests().iter().map(|request| request.kind).collect();
    let (side, models) = (ResponsesRequestKind::Side, ResponsesRequestKind::Models);
    let (turn, other) = (ResponsesRequestKind::Turn, ResponsesRequestKind::Other);
    assert_eq!(kinds, [turn, side, models, other]);
    assert_eq!(api.wait_for_turns(1).await[0].tools(), ["exec_command"]);
}

#[tokio::test]
async fn a_script_that_has_run_out_refuses() {
    let api = ResponsesApi::with_replies([]).await;
    assert_eq!(ask(&api, &question(true)).await.status, 400);
}
