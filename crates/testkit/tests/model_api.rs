//! What the stand-in for the model's API says, byte for byte where agents look.
#![cfg(test)]

use std::time::Duration;

use serde_json::{Value, json};
use testkit::model_api::RequestKind::{CountTokens, Main, Other, Side, Subagent};
use testkit::model_api::{Gate, ModelApi, Reply, RequestKind};
use testkit::{HttpClient, HttpResponse};

/// A request of a main loop: it has tools of its own.
fn question(stream: bool) -> Value {
    json!({
        "model": "claude-test",
        "stream": stream,
        "tools": [{"name": "Bash", "input_schema": {"type": "object"}}],
        "messages": [{"role": "user", "content": "hello"}],
    })
}

async fn ask(api: &ModelApi, body: &Value) -> HttpResponse {
    HttpClient::new(api.port()).post_json("/v1/messages?beta=true", body).await
}

/// The events of the answer to a streaming question.
async fn events(reply: Reply) -> Vec<Value> {
    let api = ModelApi::with_replies([reply]).await;
    let response = ask(&api, &question(true)).await;
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("content-type"), Some("text/event-stream; charset=utf-8"));
    parse(&response.text())
}

fn parse(stream: &str) -> Vec<Value> {
    stream.split_terminator("\n\n").map(parse_event).collect()
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

fn deltas(events: &[Value]) -> Vec<&Value> {
    let deltas = events.iter().filter(|event| event["type"] == "content_block_delta");
    deltas.map(|event| &event["delta"]).collect()
}

#[tokio::test]
async fn a_text_is_streamed_in_words_between_the_events_of_its_message() {
    let events = events(Reply::text("one two three").words_per_delta(2).usage(7, 3)).await;
    let head = json!({
        "id": "msg_000000000000000000000002", "type": "message", "role": "assistant",
        "model": "claude-test", "content": [], "stop_reason": null, "stop_sequence": null,
        "usage": {
            "input_tokens": 7, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0,
            "output_tokens": 1,
        },
    });
    let text = |text| json!({"type": "text_delta", "text": text});
    let delta = |said| json!({"type": "content_block_delta", "index": 0, "delta": text(said)});
    let opening = json!({"type": "text", "text": ""});
    let end = json!({"stop_reason": "end_turn", "stop_sequence": null});
    assert_eq!(
        events,
        [
            json!({"type": "message_start", "message": head}),
            json!({"type": "ping"}),
            json!({"type": "content_block_start", "index": 0, "content_block": opening}),
            delta("one two "),
            delta("three"),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "message_delta", "delta": end, "usage": {"output_tokens": 3}}),
            json!({"type": "message_stop"}),
        ]
    );
}

#[tokio::test]
async fn a_thought_is_signed() {
    let events = events(Reply::thinking("so it is").then_text("yes")).await;
    let opening = json!({"type": "thinking", "thinking": "", "signature": ""});
    assert_eq!(events[2]["content_block"], opening);
    assert_eq!(
        deltas(&events),
        [
            &json!({"type": "thinking_delta", "thinking": "so it is"}),
            &json!({"type": "signature_delta", "signature": "c2lnbmF0dXJl"}),
            &json!({"type": "text_delta", "text": "yes"}),
        ]
    );
    assert_eq!(events[6]["index"], 1);
}

#[tokio::test]
async fn the_input_of_a_tool_comes_in_pieces_that_make_it_up() {
    let input = json!({"command": "echo größer"});
    let events = events(Reply::tool("Bash", input.clone()).then_tool("Bash", json!({}))).await;
    let opened = |block: &Value| (block["name"].clone(), block["input"].clone());
    assert_eq!(opened(&events[2]["content_block"]), ("Bash".into(), json!({})));
    let first = deltas(&events).into_iter().take(4);
    let pieces: Vec<&str> = first.map(|delta| delta["partial_json"].as_str().unwrap()).collect();
    assert_eq!(pieces[0], "");
    assert_eq!(serde_json::from_str::<Value>(&pieces.concat()).unwrap(), input);

    let starts = events.iter().filter(|event| event["type"] == "content_block_start");
    let ids: Vec<&str> =
        starts.map(|event| event["content_block"]["id"].as_str().unwrap()).collect();
    assert!(ids.iter().all(|id| id.starts_with("toolu_")));
    assert_ne!(ids[0], ids[1]);
    assert_eq!(events[events.len() - 2]["delta"]["stop_reason"], "tool_use");
}

#[tokio::test]
async fn an_empty_answer_and_a_stop_reason_of_its_own_are_possible() {
    let events = events(Reply::empty().stop_reason("refusal")).await;
    assert_eq!(types(&events), ["message_start", "ping", "message_delta", "message_stop"]);
    assert_eq!(events[2]["delta"]["stop_reason"], "refusal");
}

#[tokio::test]
async fn a_question_that_does_not_stream_gets_the_whole_message() {
    let reply = Reply::text("all of it").then_tool("Bash", json!({"command": "ls"})).cut_after(0);
    let api = ModelApi::with_replies([reply]).await;
    let message = ask(&api, &question(false)).await.json();
    assert_eq!(message["content"][0], json!({"type": "text", "text": "all of it"}));
    assert_eq!(message["content"][1]["input"], json!({"command": "ls"}));
    assert_eq!(message["stop_reason"], "tool_use");
    assert_eq!(message["usage"]["output_tokens"], 10);
}

#[tokio::test]
async fn a_cut_breaks_the_connection_and_an_error_event_ends_the_stream() {
    let words = || Reply::words(9).words_per_delta(1);
    let cut = events(words().cut_after(3)).await;
    assert_eq!(deltas(&cut).len(), 3);
    assert_eq!(types(&cut).last(), Some(&"content_block_delta"));

    let failed = events(words().sse_error_after(2)).await;
    assert_eq!(deltas(&failed).len(), 2);
    let error = json!({"type": "overloaded_error", "message": "Overloaded"});
    assert_eq!(failed.last(), Some(&json!({"type": "error", "error": error})));
}

#[tokio::test]
async fn an_error_has_its_status_its_name_and_when_to_come_back() {
    let reply = Reply::status(529, "overloaded_error").error_message("busy").retry_after(3);
    let api = ModelApi::with_replies([reply]).await;
    let response = ask(&api, &question(true)).await;
    assert_eq!((response.status, response.header("retry-after")), (529, Some("3")));
    let error = json!({"type": "overloaded_error", "message": "busy"});
    assert_eq!(response.json()["error"], error);
}

#[tokio::test]
async fn a_malformed_answer_is_no_json() {
    let api = ModelApi::with_replies([Reply::malformed()]).await;
    let text = ask(&api, &question(true)).await.text();
    let (_, data) = text.split_once("data: ").unwrap();
    assert!(serde_json::from_str::<Value>(data).is_err());
}

#[tokio::test]
async fn a_gate_holds_an_answer_until_it_is_opened() {
    let gate = Gate::new();
    let api =
        ModelApi::with_replies([Reply::words(4).words_per_delta(1).hold_after(2, &gate)]).await;
    let body = question(true);
    let mut answer = Box::pin(ask(&api, &body));
    tokio::select! {
        _ = &mut answer => panic!("the answer passed a closed gate"),
        () = gate.reached() => {}
    }
    gate.open();
    let events = parse(&answer.await.text());
    assert_eq!(types(&events).last(), Some(&"message_stop"));
    assert_eq!(deltas(&events).len(), 4);
}

#[tokio::test]
async fn what_is_held_breaks_off_when_the_stand_in_is_dropped() {
    let gate = Gate::new();
    let reply = Reply::words(4).words_per_delta(1).delay_each(Duration::from_millis(1));
    let api = ModelApi::with_replies([reply.hold_after(2, &gate)]).await;
    let client = HttpClient::new(api.port());
    let body = question(true);
    let mut answer = Box::pin(client.post_json("/v1/messages", &body));
    tokio::select! {
        _ = &mut answer => panic!("the answer passed a closed gate"),
        () = gate.reached() => drop(api),
    }
    assert_eq!(deltas(&parse(&answer.await.text())).len(), 2);
}

#[tokio::test]
async fn scripts_see_conversations_and_the_rest_is_answered_and_recorded() {
    let api = ModelApi::start(|request| Reply::text(&request.last_user_text())).await;
    let client = HttpClient::new(api.port());
    assert_eq!(client.request("HEAD", "/", b"").await.status, 404);
    let counted = client.post_json("/v1/messages/count_tokens", &question(true)).await.json();
    assert!(counted["input_tokens"].as_u64().unwrap() > 0);

    let format = json!({"type": "json_schema", "schema": {"required": ["title"]}});
    let title = json!({"model": "m", "tools": [], "output_config": {"format": format}});
    let title = ask(&api, &title).await.json();
    assert_eq!(title["content"][0]["text"], "{\"title\":\"Fine\"}");

    let agent = client.with_header("x-claude-code-agent-id", "a1");
    agent.post_json("/v1/messages", &question(false)).await;
    let said = ask(&api, &question(false)).await.json();
    assert_eq!(said["content"][0]["text"], "hello");

    let kinds: Vec<RequestKind> = api.requests().iter().map(|request| request.kind).collect();
    assert_eq!(kinds, [Other, CountTokens, Side, Subagent, Main]);
    assert_eq!(api.wait_for_conversation(2).await.len(), 2);
}

#[tokio::test]
async fn a_script_that_has_run_out_says_so_in_a_way_that_is_not_retried() {
    let api = ModelApi::with_replies([]).await;
    let response = ask(&api, &question(true)).await;
    assert_eq!(response.status, 403);
    assert_eq!(response.json()["error"]["message"], "the script has no reply left");
}
