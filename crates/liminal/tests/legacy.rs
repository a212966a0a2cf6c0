//! What real agents do, as clients are told it that were made before items were told whole.
#![cfg(test)]

use std::ffi::OsString;

use contract::SessionId;
use serde_json::{Value, json};
use testkit::acp_house::AcpHouse;
use testkit::agents::ClaudeVersion;
use testkit::claude_house::ClaudeHouse;
use testkit::model_api::{ModelApi, ModelRequest, Reply};
use testkit::responses_api::{ResponsesApi, ResponsesReply, ResponsesRequest};
use testkit::stand_in::Gate;
use testkit::{Edge, OldClient};

const COMMAND: &str = "echo hi > made.txt; cat made.txt";

fn guard() -> Vec<OsString> {
    vec![env!("CARGO_BIN_EXE_liminal").into(), "agent-guard".into()]
}

async fn claude(
    version: ClaudeVersion,
    script: impl Fn(&ModelRequest) -> Reply + Send + Sync + 'static,
) -> ClaudeHouse {
    ClaudeHouse::start(version, guard(), ModelApi::start(script).await).await
}

async fn codex(
    script: impl Fn(&ResponsesRequest) -> ResponsesReply + Send + Sync + 'static,
) -> AcpHouse<ResponsesApi> {
    AcpHouse::codex(guard(), ResponsesApi::start(script).await).await
}

fn is_error(message: &Value) -> bool {
    message["type"] == "session:error"
}

/// A turn with one call that asks first and then prints `hi`, and an answer.
async fn is_told_a_call(edge: &Edge, session: &SessionId) {
    let mut client = OldClient::open(edge, session).await;
    client.send("go").await;
    let asked = client.until(is_error).await;
    assert!(asked["message"].as_str().unwrap().contains("waits for an answer"), "{asked}");
    client.allow().await;
    client.until(|told| told["entry"]["status"] == "complete").await;
    let answer = client.until(|told| told["type"] == "session:complete").await;
    let text = client.text_of(&answer["entryId"]);
    assert!(text.starts_with("It said: ") && text.contains("hi"), "{text}");
    let calls = client.calls();
    let (last, before) = calls.split_last().unwrap();
    assert!(!before.is_empty() && before.iter().all(|call| call["status"] == "running"));
    assert!(before.iter().all(|call| call["result"].is_null() && call["error"].is_null()));
    assert!(calls.iter().all(|call| call["entryId"] == last["entryId"]), "{calls:?}");
    assert!(calls.iter().all(|call| call["toolCallId"] == last["toolCallId"]), "{calls:?}");
    assert_eq!(last["result"].as_str().unwrap().trim_end(), "hi");
    let ends = client.told.iter().filter(|told| told["type"] == "session:complete");
    let of_call = ends.filter(|end| end["entryId"] == last["entryId"]);
    assert_eq!(of_call.count(), 0, "only answers end so");
}

#[tokio::test]
async fn tc_7_1c_a_call_of_claude_is_told_to_old_clients_from_running_to_complete() {
    for version in ClaudeVersion::ALL {
        let input = json!({"command": COMMAND, "description": "greet"});
        let house = claude(version, move |request| match request.last_tool_results().as_slice() {
            [] => Reply::tool("Bash", input.clone()),
            [(_, output), ..] => Reply::text(&format!("It said: {output}")),
        })
        .await;
        let session = house.create().await.unwrap();
        is_told_a_call(&house.edge().await, &session).await;
        house.end().await;
    }
}

#[tokio::test]
async fn tc_7_1c_a_call_of_codex_is_told_to_old_clients_from_running_to_complete() {
    let house = codex(|request| match request.last_tool_outputs().as_slice() {
        [] => ResponsesReply::shell(COMMAND),
        [(_, output), ..] => ResponsesReply::text(&format!("It said: {output}")),
    })
    .await;
    let session = house.create().await.unwrap();
    is_told_a_call(&house.edge().await, &session).await;
    house.end().await;
}

/// A turn whose answer is held after some words, and cancelled there.
async fn is_told_a_cancel(edge: &Edge, session: &SessionId) {
    let mut client = OldClient::open(edge, session).await;
    client.send("go").await;
    // The model may be further than the agent: only what a client was told has begun for it.
    client.until(|told| told["type"] == "session:chunk").await;
    client.cancel().await;
    let end = client.until(|told| told["type"] == "session:cancelled").await;
    let text = client.text_of(&end["entryId"]);
    assert!(text.starts_with("word1 word2 word3"), "what was said is not lost: {:?}", client.told);
    assert!(text.split_whitespace().count() < 40, "{text}");
    let of_it = client.told.iter().filter(|told| told["entryId"] == end["entryId"]);
    assert!(of_it.clone().all(|told| told["type"] != "session:complete"), "never complete");
    assert_eq!(of_it.filter(|told| told["type"] == "session:cancelled").count(), 1);
    // Nothing that follows says otherwise.
    client.send("after").await;
    let next = client.until(|told| told["type"] == "session:complete").await;
    assert_ne!(next["entryId"], end["entryId"]);
    assert_eq!(client.text_of(&next["entryId"]), "Here.");
}

#[tokio::test]
async fn tc_6_2c_a_cancelled_answer_of_claude_is_told_to_old_clients_as_cancelled() {
    for version in ClaudeVersion::ALL {
        let gate = Gate::new();
        let house = claude(version, move |request| match request.last_user_text().as_str() {
            said if said.ends_with("after") => Reply::text("Here."),
            _ => Reply::words(40).words_per_delta(1).hold_after(5, &gate),
        })
        .await;
        let session = house.create().await.unwrap();
        is_told_a_cancel(&house.edge().await, &session).await;
        house.end().await;
    }
}

#[tokio::test]
async fn tc_6_2c_a_cancelled_answer_of_codex_is_told_to_old_clients_as_cancelled() {
    let gate = Gate::new();
    let house = codex(move |request| match request.last_user_text().as_str() {
        "after" => ResponsesReply::text("Here."),
        _ => ResponsesReply::words(40).words_per_delta(1).hold_after(5, &gate),
    })
    .await;
    let session = house.create().await.unwrap();
    is_told_a_cancel(&house.edge().await, &session).await;
    house.end().await;
}

#[tokio::test]
async fn a_failed_turn_of_a_real_agent_is_told_to_old_clients_as_an_error() {
    let refusal = "invalid_request_error";
    let claude = claude(ClaudeVersion::V2_1_325, |_| Reply::status(400, refusal)).await;
    let session = claude.create().await.unwrap();
    fails(&claude.edge().await, &session).await;
    claude.end().await;
    let codex = codex(|_| ResponsesReply::status(400, refusal)).await;
    let session = codex.create().await.unwrap();
    fails(&codex.edge().await, &session).await;
    codex.end().await;
}

async fn fails(edge: &Edge, session: &SessionId) {
    let mut client = OldClient::open(edge, session).await;
    client.send("go").await;
    let error = client.until(is_error).await;
    assert_eq!(error["sessionId"], session.as_str());
    assert!(error["message"].as_str().unwrap().contains("of the script"), "{error}");
}
