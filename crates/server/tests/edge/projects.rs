//! Projects that come and go, and what becomes of their sessions.

use serde_json::{Value, json};
use session::provider::CliProvider;
use testkit::{Sample, TestServer};

async fn listed(server: &TestServer, project: &str) -> Vec<Value> {
    let path = format!("/api/session/list?projectId={project}&state=all");
    server.client().get(&path).await.json()["sessions"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_project_that_a_create_adds_is_told_to_every_connection_once() {
    let server = TestServer::start().await;
    let mut socket = server.greeted_socket().await;
    server.create_session("scripted").await;
    let added = socket.receive_type("project:added").await;
    assert_eq!(added["project"]["id"], "project-1");
    server.create_session("scripted").await;
    let next = loop {
        let message = socket.receive().await;
        if message["type"] == "project:added" || message["session"]["sessionId"] == "session-2" {
            break message;
        }
    };
    assert_eq!(next["type"], "session:created", "it is there already");
}

#[tokio::test]
async fn a_removed_project_hides_its_sessions_and_comes_back_with_them() {
    let server = TestServer::start().await;
    let (client, agent) = (server.client(), &server.parts.agent);
    let session = server.create_session("scripted").await;
    let send = format!("/api/session/{session}/send");
    client.post_json(&send, &json!({"content": "remember the Watzmann"})).await;
    agent.emit_turn(Sample::new(&session, "turn-1").started()).await;
    let mut socket = server.greeted_socket().await;
    let removed = client.request("DELETE", "/api/projects/project-1", b"").await;
    assert_eq!((removed.status, removed.json()), (200, json!({"removed": true})));
    let told = json!({"type": "project:removed", "projectId": "project-1"});
    assert_eq!(socket.receive_type("project:removed").await, told);
    assert!(!agent.is_alive(&session), "nobody would see what it does");
    assert_eq!(client.get("/api/projects").await.json(), json!([]));
    assert_eq!(listed(&server, "project-1").await.len(), 0);
    let status = client.get(&format!("/api/session/{session}/status")).await.json();
    assert_eq!((&status["state"], &status["activity"]), (&json!("open"), &json!("idle")));
    let history = client.get(&format!("/api/session/{session}/history")).await.json();
    assert_eq!(history["entries"].as_array().unwrap().len(), 1, "nothing is lost");
    assert_eq!(history["turns"][1]["errorCode"], "INTERRUPTED");

    let again = client.request("DELETE", "/api/projects/project-1", b"").await;
    assert_eq!(again.error(), (404, "PROJECT_NOT_FOUND".into()));
    let path = server.parts.project.path().to_str().unwrap().to_owned();
    let back = client.post_json("/api/projects", &json!({"path": path})).await;
    assert_eq!((back.status, &back.json()["id"]), (201, &json!("project-1")));
    assert_eq!(socket.receive_type("project:added").await["project"]["id"], "project-1");
    assert_eq!(listed(&server, "project-1").await[0]["sessionId"], json!(session));
    let twice = client.post_json("/api/projects", &json!({"path": path})).await;
    assert_eq!(twice.error(), (409, "DUPLICATE_PROJECT".into()));
    assert_eq!(twice.json()["projectId"], "project-1", "which one it is");
}

#[tokio::test]
async fn projects_are_added_and_removed_by_websocket() {
    let server = TestServer::start().await;
    let (mut one, mut two) = (server.greeted_socket().await, server.greeted_socket().await);
    let path = server.parts.project.path().to_str().unwrap().to_owned();
    one.send(&json!({"type": "project:add", "path": path, "requestId": "a"})).await;
    let added = one.receive_type("project:added").await;
    assert_eq!((&added["requestId"], &added["project"]["id"]), (&json!("a"), &json!("project-1")));
    assert_eq!(two.receive_type("project:added").await.get("requestId"), None);
    one.send(&json!({"type": "project:add", "path": path, "requestId": "b"})).await;
    let refused = one.receive_type("error").await;
    assert_eq!(
        (&refused["code"], &refused["requestId"], &refused["projectId"]),
        (&json!("DUPLICATE_PROJECT"), &json!("b"), &json!("project-1"))
    );
    let remove = json!({"type": "project:remove", "projectId": "project-1", "requestId": "c"});
    one.send(&remove).await;
    assert_eq!(one.receive_type("project:removed").await["requestId"], "c");
    assert_eq!(two.receive_type("project:removed").await["projectId"], "project-1");
}
