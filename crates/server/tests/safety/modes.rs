//! Modes in which an agent never asks, where the settings forbid them.

use contract::{ModeInfo, SessionOptions};
use serde_json::{Value, json};
use testkit::{TestServer, TestService};

pub(crate) fn modes() -> SessionOptions {
    let mode = |id: &str, name: &str, description: &str| ModeInfo {
        mode_id: id.into(),
        name: name.to_owned(),
        description: Some(description.to_owned()),
        never_asks: false,
    };
    SessionOptions {
        modes: vec![
            mode("read-only", "Read only", "Asks before it acts"),
            mode("full-access", "Full access", "Edits everything"),
            mode("c", "Free", "Never asks"),
            mode("acceptEdits", "Accept edits", "Changes files without asking"),
        ],
        current_mode_id: Some("read-only".into()),
        ..SessionOptions::default()
    }
}

async fn strict() -> TestServer {
    let parts = TestService::without_bypass().await;
    parts.agent.offer(modes());
    TestServer::of(parts).await
}

fn ids(modes: &Value) -> Vec<&str> {
    modes.as_array().unwrap().iter().map(|mode| mode["modeId"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn s_31_a_mode_that_never_asks_is_neither_offered_nor_taken_where_it_is_forbidden() {
    let server = strict().await;
    let client = server.client();
    let agents = client.get("/api/agents").await.json();
    assert_eq!(ids(&agents[0]["modes"]), ["read-only", "acceptEdits"]);
    for mode in ["bypassPermissions", "full-access", "yolo"] {
        let mut request = serde_json::to_value(server.parts.create_request("scripted")).unwrap();
        request["modeId"] = json!(mode);
        let refused = client.post_json("/api/session/create", &request).await;
        assert_eq!(refused.status, 403, "{mode}: {}", refused.text());
        assert_eq!(refused.json()["code"], "MODE_FORBIDDEN");
    }
    assert_eq!(server.parts.agent.calls().len(), 1, "no agent was started: one look at it");

    let session = server.create_session("scripted").await;
    let options = client.get(&format!("/api/session/{session}/options")).await.json();
    assert_eq!(ids(&options["modes"]), ["read-only", "acceptEdits"]);
    for mode in ["full-access", "c"] {
        let path = format!("/api/session/{session}/mode");
        let refused = client.post_json(&path, &json!({"modeId": mode})).await;
        assert_eq!((refused.status, &refused.json()["code"]), (403, &json!("MODE_FORBIDDEN")));
    }
    let status = client.get(&format!("/api/session/{session}/status")).await.json();
    assert_eq!(status["modeId"], "read-only");
}

#[tokio::test]
async fn s_31_an_agent_that_is_in_such_a_mode_by_itself_is_ended_where_it_is_forbidden() {
    let server = strict().await;
    let client = server.client();
    let session = server.create_session("scripted").await;
    let (mut socket, _) = server.opened("upsert-v2", &session).await;
    server.parts.agent.enter(&session, "c").await;
    let told = socket.receive_type("session:error").await;
    assert!(told["message"].as_str().unwrap().contains("never asks"), "{told}");
    while socket.receive_type("session:status").await["isAlive"] == true {}

    // Its own settings say so at its next start: then it is not taken.
    let refused = client.post(&format!("/api/session/{session}/load")).await;
    assert_eq!(refused.status, 403, "{}", refused.text());
    assert_eq!(refused.json()["code"], "MODE_FORBIDDEN");
    let request = serde_json::to_value(server.parts.create_request("scripted")).unwrap();
    let refused = client.post_json("/api/session/create", &request).await;
    assert_eq!((refused.status, &refused.json()["code"]), (403, &json!("MODE_FORBIDDEN")));
    let status = client.get(&format!("/api/session/{session}/status")).await.json();
    assert_eq!(status["isAlive"], false);
}

#[tokio::test]
async fn s_31_the_mode_of_a_session_is_part_of_its_status() {
    let server = TestServer::start().await;
    server.parts.agent.offer(modes());
    let session = server.create_session("scripted").await;
    let (mut socket, _) = server.opened("upsert-v2", &session).await;
    let path = format!("/api/session/{session}/mode");
    let chosen = server.client().post_json(&path, &json!({"modeId": "full-access"})).await;
    assert_eq!(chosen.status, 200, "allowed unless it is forbidden: {}", chosen.text());
    while socket.receive_type("session:status").await["modeId"] != "full-access" {}
}

#[tokio::test]
async fn s_31_each_mode_is_told_with_whether_its_agent_never_asks_in_it() {
    let server = TestServer::start().await;
    server.parts.agent.offer(modes());
    let session = server.create_session("scripted").await;
    let agents = server.client().get("/api/agents").await.json();
    let options = server.client().get(&format!("/api/session/{session}/options")).await.json();
    for modes in [&agents[0]["modes"], &options["modes"]] {
        let told =
            modes.as_array().unwrap().iter().map(|mode| mode["neverAsks"].as_bool().unwrap());
        assert_eq!(told.collect::<Vec<_>>(), [false, true, true, false], "{modes}");
    }
}
