//! Who makes ids: the server, and nobody else.

use serde_json::json;
use testkit::TestServer;

#[tokio::test]
async fn s_14_no_request_chooses_the_id_of_what_it_makes() {
    let server = TestServer::start().await;
    let client = server.client();
    let project = server.parts.project.path();
    for field in ["sessionId", "id", "turnId", "epoch", "agentSession"] {
        let mut body = json!({"cliType": "external", "projectDir": project});
        body[field] = json!("chosen");
        let refused = client.post_json("/api/session/create", &body).await;
        assert_eq!(refused.error(), (400, "INVALID_REQUEST".into()), "{field}");
        assert!(refused.text().contains(field), "{}", refused.text());
        let mut body = json!({"path": project});
        body[field] = json!("chosen");
        let refused = client.post_json("/api/projects", &body).await;
        assert_eq!(refused.error(), (400, "INVALID_REQUEST".into()), "{field}");
    }
    assert_eq!(client.get("/api/projects").await.json(), json!([]), "nothing was made");
    let session = server.create_session("scripted").await;
    let send = format!("/api/session/{session}/send");
    let body = json!({"content": "x", "turnId": "chosen"});
    assert_eq!(client.post_json(&send, &body).await.error(), (400, "INVALID_REQUEST".into()));
    let mut socket = server.greeted_socket().await;
    for (kind, mut message) in [
        (
            "session:create",
            json!({"projectId": "project-1", "cliType": "external", "sessionId": "chosen"}),
        ),
        ("session:send", json!({"sessionId": session, "content": "x", "turnId": "chosen"})),
    ] {
        message["type"] = json!(kind);
        socket.send(&message).await;
        assert_eq!(socket.receive_type("error").await["code"], "INVALID_REQUEST", "{kind}");
    }
}

#[tokio::test]
async fn s_14_what_is_not_there_is_told_alike_whatever_its_id_looks_like() {
    let server = TestServer::start().await;
    let client = server.client();
    let session = server.create_session("scripted").await;
    // One that could be ours, one that never was, one of other letters, and ways out of the path.
    let ids = [
        "5f0c8c1e-9f6e-4a53-9d2e-0c9f6f0d1a2b",
        "session-999",
        "x",
        "..%2F..%2Fprojects",
        "%2e%2e",
        "a%2Fstatus",
        "%00",
    ];
    for route in ["status", "history", "options", "queue", "export", "files", "wait?timeoutMs=1"] {
        let mut told = None;
        for id in ids {
            let answer = client.get(&format!("/api/session/{id}/{route}")).await;
            assert_eq!(answer.error(), (404, "SESSION_NOT_FOUND".into()), "{id} {route}");
            let plain = answer.json()["message"].as_str().unwrap().replace(&decoded(id), "ID");
            assert_eq!(*told.get_or_insert(plain.clone()), plain, "{id} {route}");
        }
        let there = client.get(&format!("/api/session/{session}/{route}")).await;
        assert_eq!(there.status, 200, "{route}: {}", there.text());
    }
    for path in [
        format!("//api/session/{session}/status"),
        format!("/api//session/{session}/status"),
        format!("/api/session/{session}/../{session}/status"),
        format!("/api/session/{session}/%2e%2e/{session}/status"),
        format!("/api/session/{session}/status/"),
        format!("/api%2Fsession%2F{session}%2Fstatus"),
        format!("/%61pi/session/{session}/status"),
        format!("/x/../api/session/{session}/status"),
    ] {
        assert_eq!(client.get(&path).await.status, 404, "{path}");
    }
}

fn decoded(id: &str) -> String {
    id.replace("%2F", "/").replace("%2e", ".").replace("%00", "\0")
}
