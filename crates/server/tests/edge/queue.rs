//! Turns that wait, over HTTP.

use contract::SessionId;
use serde_json::{Value, json};
use testkit::{HttpResponse, Sample, TestServer};

/// A session in which `turn-1` runs and three more wait.
async fn busy() -> (TestServer, SessionId) {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    for content in ["one", "two", "three", "four"] {
        let path = format!("/api/session/{session}/send");
        server.client().post_json(&path, &json!({"content": content})).await;
    }
    server.parts.agent.emit_turn(Sample::new(&session, "turn-1").started()).await;
    (server, session)
}

async fn ask(
    server: &TestServer,
    session: &SessionId,
    (method, route): (&str, &str),
    body: &Value,
) -> HttpResponse {
    let client = server.client().with_header("Content-Type", "application/json");
    let body = if body.is_null() { String::new() } else { body.to_string() };
    client.request(method, &format!("/api/session/{session}/{route}"), body.as_bytes()).await
}

fn turn(id: &str, content: &str, paused: bool) -> Value {
    json!({"turnId": id, "content": content, "delivery": "queue",
        "queuedAt": "2026-02-15T12:00:00.000Z", "paused": paused})
}

#[tokio::test]
async fn turns_that_wait_are_listed_changed_removed_and_woken() {
    let (server, session) = busy().await;
    let ask = async |request, body| ask(&server, &session, request, &body).await;
    let listed = ask(("GET", "queue"), Value::Null).await;
    let all = [
        turn("turn-2", "two", false),
        turn("turn-3", "three", false),
        turn("turn-4", "four", false),
    ];
    assert_eq!((listed.status, listed.json()), (200, json!(all)));

    let mut socket = server.greeted_socket().await;
    let patch = json!({"content": "vier", "before": "turn-2"});
    let changed = ask(("PATCH", "queue/turn-4"), patch).await;
    let all = [
        turn("turn-4", "vier", false),
        turn("turn-2", "two", false),
        turn("turn-3", "three", false),
    ];
    assert_eq!((changed.status, changed.json()), (200, json!(all)));
    while socket.receive_type("session:status").await["queued"] != json!(all) {}
    let item = ask(("GET", "item/turn-4:0:0"), Value::Null).await;
    assert_eq!(item.json()["content"], "vier");
    let removed = ask(("DELETE", "queue/turn-2"), Value::Null).await;
    assert_eq!((removed.status, removed.json()), (200, json!({"removed": true})));

    ask(("POST", "kill"), Value::Null).await;
    let paused = ask(("GET", "queue"), Value::Null).await.json();
    assert_eq!(paused, json!([turn("turn-4", "vier", true), turn("turn-3", "three", true)]));
    let woken = ask(("POST", "queue/resume"), Value::Null).await;
    assert_eq!((woken.status, woken.json()), (200, json!([turn("turn-3", "three", false)])));
}

#[tokio::test]
async fn what_cannot_be_done_to_a_turn_has_a_stable_code() {
    let (server, session) = busy().await;
    for (request, body, status, code) in [
        (("PATCH", "queue/turn-1"), json!({"sendNow": true}), 409, "TURN_ALREADY_STARTED"),
        (("DELETE", "queue/turn-1"), Value::Null, 409, "TURN_ALREADY_STARTED"),
        (("PATCH", "queue/turn-9"), json!({"sendNow": true}), 404, "TURN_NOT_FOUND"),
        (("DELETE", "queue/turn-9"), Value::Null, 404, "TURN_NOT_FOUND"),
        (("PATCH", "queue/turn-3"), json!({}), 400, "INVALID_REQUEST"),
        (("PATCH", "queue/turn-3"), json!({"content": " "}), 400, "INVALID_REQUEST"),
        (("PATCH", "queue/turn-3"), json!({"before": "turn-1"}), 400, "INVALID_REQUEST"),
        (("PATCH", "queue/turn-3"), json!({"after": "turn-4"}), 400, "INVALID_REQUEST"),
    ] {
        let refused = ask(&server, &session, request, &body).await;
        assert_eq!(refused.error(), (status, code.to_owned()), "{request:?} {body}");
    }
    for request in [("GET", "queue"), ("POST", "queue/resume"), ("DELETE", "queue/t")] {
        let unknown = ask(&server, &"nobody".into(), request, &Value::Null).await;
        assert_eq!(unknown.error(), (404, "SESSION_NOT_FOUND".into()), "{request:?}");
    }
}
