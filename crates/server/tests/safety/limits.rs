//! Bounds on what may be sent, each at its edge.

use std::time::Duration;

use serde_json::{Value, json};
use server::Limits;
use testkit::TestServer;

/// A body of exactly this length that would be understood.
fn padded(mut body: Value, field: &str, length: usize) -> Vec<u8> {
    body[field] = json!("");
    let bare = body.to_string().len();
    body[field] = json!("x".repeat(length - bare));
    let bytes = body.to_string().into_bytes();
    assert_eq!(bytes.len(), length);
    bytes
}

#[tokio::test]
async fn s_35_a_body_has_at_most_one_mebibyte() {
    let server = TestServer::start().await;
    let client = server.client().with_header("Content-Type", "application/json");
    for (length, error) in
        [(1 << 20, (400, "INVALID_PATH")), ((1 << 20) + 1, (413, "PAYLOAD_TOO_LARGE"))]
    {
        let body = padded(json!({"path": ""}), "path", length);
        let answer = client.request("POST", "/api/projects", &body).await;
        assert_eq!(answer.error(), (error.0, error.1.to_owned()), "{length}");
    }
}

#[tokio::test]
async fn s_35_a_login_has_at_most_one_kibibyte() {
    let server = TestServer::start().await;
    let client = server.stranger().with_header("Content-Type", "application/json");
    for (length, error) in [(1024, (401, "UNAUTHORIZED")), (1025, (413, "PAYLOAD_TOO_LARGE"))] {
        let body = padded(json!({"code": ""}), "code", length);
        let answer = client.request("POST", "/api/login", &body).await;
        assert_eq!(answer.error(), (error.0, error.1.to_owned()), "{length}");
    }
}

#[tokio::test]
async fn s_35_a_message_by_socket_has_at_most_one_mebibyte() {
    let server = TestServer::start().await;
    let mut socket = server.greeted_socket().await;
    let message = |length: usize| {
        let body = padded(json!({"type": "ping", "requestId": ""}), "requestId", length);
        String::from_utf8(body).unwrap()
    };
    socket.send_text(message(1 << 20)).await;
    assert_eq!(socket.receive_type("pong").await["type"], "pong");
    socket.send_text(message((1 << 20) + 1)).await;
    assert_eq!(socket.close_code().await, Some(1009));
}

#[tokio::test]
async fn s_35_a_body_of_envelopes_that_sends_nothing_is_ended() {
    let limits = Limits { events_idle: Duration::from_millis(300), ..Limits::default() };
    let server = TestServer::with_limits(limits).await;
    let session = server.create_session("external").await;
    let mut open = server.client().open("POST", &format!("/api/session/{session}/events")).await;
    let start = json!({"eventId": "e", "timestamp": "2026-01-01T00:00:00Z", "turnId": "t", "sessionId": session,
        "type": "response_start", "payload": {"type": "response_start", "modelId": "m", "providerId": "p"}});
    open.write(format!("{start}\n").as_bytes()).await;
    let answer = open.response().await;
    assert_eq!(answer.error(), (400, "INVALID_STREAM_EVENT".into()));
    assert_eq!(answer.json()["accepted"], 1, "what came before stays taken");
    assert!(answer.text().contains("nothing came"), "{}", answer.text());
}

#[tokio::test]
async fn s_35_a_message_has_at_most_one_mebibyte_and_its_files_twenty() {
    let server = TestServer::start().await;
    let session = server.create_session("external").await;
    let path = format!("/api/session/{session}/send");
    let client = server.client();
    let send = async |content: usize, file: usize| {
        // A file of so many bytes, as base64.
        let data = "A".repeat(file / 3 * 4 + [0, 2, 3][file % 3]);
        let files = json!([{"name": "f", "mimeType": "image/png", "data": data}]);
        let body = json!({"content": "x".repeat(content), "attachments": files});
        client.post_json(&path, &body).await.error()
    };
    // A session that takes no messages says so about those that are not too long.
    let refused = (400, "NOT_SUPPORTED".to_owned());
    assert_eq!(send(1 << 20, 20 << 20).await, refused);
    let too_large = (413, "PAYLOAD_TOO_LARGE".to_owned());
    assert_eq!(send((1 << 20) + 1, 1).await, too_large);
    assert_eq!(send(1, (20 << 20) + 1).await, too_large);
    assert_eq!(send(1, 40 << 20).await, too_large);
}
