//! From the real Claude Code to a WebSocket client: what the page gets.

use std::time::Duration;

use serde_json::json;
use testkit::ToldStream;
use testkit::agents::ClaudeVersion;
use testkit::model_api::Reply;

use crate::{house, house_with};

fn content(item: &serde_json::Value) -> &str {
    item["content"].as_str().unwrap()
}

/// Slow enough that a client which is late still sees it grow.
fn slow_words() -> Reply {
    Reply::words(400).words_per_delta(3).delay_each(Duration::from_millis(10))
}

#[tokio::test]
async fn tc_7_1a_claudes_text_arrives_as_message_upserts_with_growing_content() {
    for version in ClaudeVersion::ALL {
        let house = house_with(version, [slow_words()]).await;
        let session = house.create().await.unwrap();
        let edge = house.edge().await;
        let (mut socket, history) = edge.opened("upsert-v1", &session).await;
        let mut told = ToldStream::new(&session, history);
        socket.send(&json!({"type": "session:send", "sessionId": session, "content": "hi"})).await;
        told.until_turn_ends(&mut socket).await;
        let states = told.upserts("message");
        let states: Vec<_> = states.into_iter().filter(|item| item["origin"] == "agent").collect();
        assert!(states.len() > 1, "it grows: {states:?}");
        assert!(states.windows(2).all(|pair| content(pair[1]).starts_with(content(pair[0]))));
        assert!(states.iter().all(|item| item["itemId"] == states[0]["itemId"]));
        assert_eq!(states.last().unwrap()["status"], "complete");
        assert_eq!(content(states.last().unwrap()).split_whitespace().count(), 400);
        house.end().await;
    }
}

#[tokio::test]
async fn claudes_text_arrives_whole_by_growth_too() {
    let house = house_with(ClaudeVersion::V2_1_325, [Reply::words(2000)]).await;
    let session = house.create().await.unwrap();
    let edge = house.edge().await;
    let (mut socket, history) = edge.opened("upsert-v2", &session).await;
    let mut told = ToldStream::new(&session, history);
    socket.send(&json!({"type": "session:send", "sessionId": session, "content": "hi"})).await;
    told.until_turn_ends(&mut socket).await;
    assert!(!told.of_type("session:delta").is_empty());
    let (items, _) = told.view.shown();
    let page = edge.client().get(&format!("/api/session/{session}/history")).await.json();
    let kept: Vec<_> = page["entries"].as_array().unwrap().iter().map(content).collect();
    let shown: Vec<_> = items.iter().map(|item| item.content().unwrap().to_string()).collect();
    assert_eq!(shown, kept);
    house.end().await;
}

#[tokio::test]
async fn tc_7_1c_claudes_tool_calls_arrive_from_create_to_the_result() {
    for version in ClaudeVersion::ALL {
        let input = json!({"command": "echo hi", "description": "greet"});
        let house = house(version, move |request| match request.last_tool_results().as_slice() {
            // Slow enough that a client which is late still sees the call begin.
            [] => Reply::tool("Bash", input.clone()).delay_each(Duration::from_millis(100)),
            [(_, output), ..] => Reply::text(&format!("It said: {output}")),
        })
        .await;
        let session = house.create().await.unwrap();
        let (mut socket, history) = house.edge().await.opened("upsert-v1", &session).await;
        let mut told = ToldStream::new(&session, history);
        socket.send(&json!({"type": "session:send", "sessionId": session, "content": "go"})).await;
        told.until_turn_ends(&mut socket).await;
        let states = told.upserts("tool_call");
        assert!(states.len() >= 2, "{states:?}");
        assert_eq!(states[0]["status"], "create");
        let last = states.last().unwrap();
        assert_eq!((&last["status"], &last["toolOutput"]), (&json!("complete"), &json!("hi")));
        assert!(states.iter().all(|item| item["itemId"] == last["itemId"]));
        house.end().await;
    }
}

#[tokio::test]
async fn tc_7_3a_a_loaded_session_of_claude_sends_one_history_with_item_ids() {
    let house =
        house_with(ClaudeVersion::V2_1_325, [Reply::text("Hello."), Reply::text("Again.")]).await;
    let mut watched = house.session().await;
    watched.turn("hi").await;
    let session = watched.id.clone();
    house.service.kill(&session).await.unwrap();
    let edge = house.edge().await;
    let (mut socket, _) = edge.opened("upsert-v1", &session).await;
    let loaded = edge.client().post_json(&format!("/api/session/{session}/load"), &json!({})).await;
    assert_eq!(loaded.status, 200, "{}", loaded.text());
    let history = socket.receive_only("session:history").await;
    let entries = history["entries"].as_array().unwrap();
    assert_eq!(entries.len(), 2, "{entries:?}");
    assert!(entries.iter().all(|entry| entry["itemId"].is_string()));
    house.end().await;
}

#[tokio::test]
async fn tc_6_4a_tc_6_4c_tc_7_4a_claudes_answer_is_the_same_in_every_family() {
    for version in ClaudeVersion::ALL {
        let house = house_with(version, [Reply::words(300).words_per_delta(3)]).await;
        let session = house.create().await.unwrap();
        let said = testkit::answer_in_all_families(&house.edge().await, &session, "hi").await;
        assert_eq!(said.split_whitespace().count(), 300);
        house.end().await;
    }
}
