//! Titles and archived sessions, over HTTP and WebSocket.

use serde_json::{Value, json};
use testkit::TestServer;

async fn listed(server: &TestServer, query: &str) -> Vec<Value> {
    let client = server.client();
    let project = client.get("/api/projects").await.json()[0]["id"].as_str().unwrap().to_owned();
    let path = format!("/api/session/list?projectId={project}{query}");
    client.get(&path).await.json()["sessions"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_title_comes_from_the_first_prompt_or_from_somebody() {
    let server = TestServer::start().await;
    let client = server.client();
    let session = server.create_session("scripted").await;
    let mut socket = server.greeted_socket().await;
    let at = |route: &str| format!("/api/session/{session}/{route}");
    client.post_json(&at("send"), &json!({"content": "fix it"})).await;
    let titled = json!({"type": "session:title-updated", "sessionId": session, "title": "fix it"});
    assert_eq!(socket.receive_type("session:title-updated").await, titled);
    assert_eq!(listed(&server, "").await[0]["title"], "fix it");
    let renamed = client.post_json(&at("title"), &json!({"title": "The fix"})).await;
    assert_eq!((renamed.status, &renamed.json()["title"]), (200, &json!("The fix")));
    assert_eq!(socket.receive_type("session:title-updated").await["title"], "The fix");
    for body in [json!({"title": " "}), json!({"title": 1}), json!({"title": "x", "colour": 1})] {
        let refused = client.post_json(&at("title"), &body).await;
        assert_eq!(refused.error(), (400, "INVALID_REQUEST".into()), "{body}");
    }
    let unknown = client.post_json("/api/session/nobody/title", &json!({"title": "x"})).await;
    assert_eq!(unknown.error(), (404, "SESSION_NOT_FOUND".into()));
}

#[tokio::test]
async fn an_archived_session_is_hidden_from_the_default_list() {
    let server = TestServer::start().await;
    let client = server.client();
    let session = server.create_session("scripted").await;
    let at = |route: &str| format!("/api/session/{session}/{route}");
    let mut socket = server.greeted_socket().await;
    let archived = client.post(&at("archive")).await;
    assert_eq!((archived.status, &archived.json()["archived"]), (200, &json!(true)));
    let told = json!({"type": "session:archived", "sessionId": session});
    assert_eq!(socket.receive_type("session:archived").await, told);
    assert_eq!(listed(&server, "").await.len(), 0);
    assert_eq!(listed(&server, "&state=all").await[0]["archived"], true);
    let back = client.post(&at("unarchive")).await;
    assert_eq!((back.status, &back.json()["archived"]), (200, &json!(false)));
    let told = socket.receive_type("session:created").await;
    assert_eq!(told["session"]["sessionId"], json!(session));
    assert_eq!(listed(&server, "").await.len(), 1);

    let mut other = server.greeted_socket().await;
    socket.send(&json!({"type": "session:archive", "sessionId": session, "requestId": "a"})).await;
    assert_eq!(socket.receive_type("session:archived").await["requestId"], "a");
    assert_eq!(other.receive_type("session:archived").await.get("requestId"), None);
    socket.send(&json!({"type": "session:archive", "sessionId": "nobody", "requestId": "b"})).await;
    let refused = socket.receive_type("error").await;
    assert_eq!(
        (&refused["code"], &refused["requestId"]),
        (&json!("SESSION_NOT_FOUND"), &json!("b"))
    );
    for route in ["archive", "unarchive"] {
        let unknown = client.post(&format!("/api/session/nobody/{route}")).await;
        assert_eq!(unknown.error(), (404, "SESSION_NOT_FOUND".into()), "{route}");
    }
}
