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

/// One is with the agent, sixteen wait, and one more comes too early.
#[tokio::test]
async fn s_35_sixteen_messages_wait_and_one_more_is_told_to_come_later() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let (client, at) = (server.client(), |rest: &str| format!("/api/session/{session}/{rest}"));
    client.post_json(&at("send"), &json!({"content": "now"})).await;
    server.parts.agent.wait_for_calls(2).await;
    let waiting = async || client.get(&at("queue")).await.json();
    let mut turns = Vec::new();
    for n in 1..=16 {
        let sent = client.post_json(&at("send"), &json!({"content": format!("later {n}")})).await;
        assert_eq!(sent.status, 202, "{n}: {}", sent.text());
        turns.push(sent.json()["turnId"].as_str().unwrap().to_owned());
    }
    for _ in 0..2 {
        let refused = client.post_json(&at("send"), &json!({"content": "too many"})).await;
        assert_eq!(refused.error(), (429, "TOO_MANY_REQUESTS".into()));
        let seconds: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=60).contains(&seconds), "{seconds}");
    }
    assert_eq!(waiting().await.as_array().unwrap().len(), 16, "the refused ones left nothing");
    assert_eq!(server.parts.agent.calls().len(), 2, "a creation and what is with the agent");
    client.request("DELETE", &at(&format!("queue/{}", turns[7])), b"").await;
    let sent = client.post_json(&at("send"), &json!({"content": "there is room"})).await;
    assert_eq!(sent.status, 202, "{}", sent.text());
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

#[tokio::test]
async fn s_35_a_message_has_at_most_thirty_two_files() {
    let server = TestServer::start().await;
    let session = server.create_session("external").await;
    let path = format!("/api/session/{session}/send");
    let send = async |count: usize| {
        let file = json!({"name": "f", "mimeType": "image/png", "data": "AAAA"});
        let body = json!({"content": "x", "attachments": vec![file; count]});
        server.client().post_json(&path, &body).await
    };
    // A session that takes no messages says so about those that are not too many.
    assert_eq!(send(32).await.error(), (400, "NOT_SUPPORTED".to_owned()));
    let refused = send(33).await;
    assert_eq!(refused.error(), (413, "PAYLOAD_TOO_LARGE".to_owned()));
    assert!(refused.text().contains("more than 32"), "{}", refused.text());
}

#[tokio::test]
async fn s_35_two_hundred_and_fifty_six_tokens_and_no_more() {
    let server = TestServer::start().await;
    let client = server.local_client();
    let create =
        async |n: usize| client.post_json("/api/tokens", &json!({"name": format!("t{n}")})).await;
    for n in 1..=256 {
        let created = create(n).await;
        assert_eq!(created.status, 201, "{n}: {}", created.text());
    }
    let refused = create(257).await;
    assert_eq!(refused.error(), (429, "TOO_MANY_REQUESTS".to_owned()));
    assert!(refused.header("retry-after").is_some(), "{}", refused.text());
    assert!(refused.text().contains("256"), "{}", refused.text());
}

#[tokio::test]
async fn s_35_sixteen_login_codes_wait_and_the_oldest_is_forgotten() {
    let server = TestServer::start().await;
    let codes: Vec<_> = (0..17).map(|_| server.credentials.login_code().unwrap()).collect();
    for (n, status) in [(0, 401), (1, 200), (16, 200)] {
        let body = json!({"code": codes[n].reveal()});
        let login = server.stranger().post_json("/api/login", &body).await;
        assert_eq!(login.status, status, "{n}: {}", login.text());
    }
}

#[tokio::test]
async fn s_35_two_hundred_and_fifty_six_browsers_are_logged_in_and_the_oldest_goes() {
    let server = TestServer::start().await;
    let mut browsers = Vec::new();
    for _ in 0..257 {
        browsers.push(server.browser().await);
    }
    for (n, status) in [(0, 401), (1, 200), (256, 200)] {
        assert_eq!(browsers[n].get("/api/projects").await.status, status, "{n}");
    }
}
