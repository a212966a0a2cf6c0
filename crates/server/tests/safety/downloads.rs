//! What leaves the server as a file, and when it stops leaving.

use std::time::Duration;

use contract::ItemStatus;
use serde_json::json;
use testkit::{Sample, TestServer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

const HOSTILE: &str =
    "x\"; filename=\"evil.html\"\r\nSet-Cookie: a=b\r\n\r\n<script>alert(1)</script>";

#[tokio::test]
async fn s_24_a_download_is_a_file_to_be_kept_whatever_its_session_is_called() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let sample = Sample::new(&session, "t");
    server.parts.agent.emit(sample.message("i", ItemStatus::Complete, HOSTILE)).await;
    let title = format!("/api/session/{session}/title");
    server.client().post_json(&title, &json!({"title": HOSTILE})).await;
    for (format, extension, kind) in [
        ("markdown", "md", "text/markdown; charset=utf-8"),
        ("jsonl", "jsonl", "application/x-ndjson"),
    ] {
        let path = format!("/api/session/{session}/export?format={format}");
        let file = server.client().get(&path).await;
        assert_eq!(file.status, 200);
        let name = format!("attachment; filename=\"session-{session}.{extension}\"");
        assert_eq!(file.header("content-disposition"), Some(name.as_str()));
        assert_eq!(file.header("content-type"), Some(kind));
        assert_eq!(file.header("x-content-type-options"), Some("nosniff"));
        let policy = file.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"));
        assert!(policy.contains("sandbox;") && !policy.contains("-src 'self'"), "{policy}");
        assert_eq!(file.header("set-cookie"), None);
        assert!(file.text().contains("<script>"), "nothing of it is lost");
    }
}

#[tokio::test]
async fn s_24_what_an_agent_said_is_never_told_as_a_page() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let sample = Sample::new(&session, "t");
    server.parts.agent.emit(sample.message("i", ItemStatus::Complete, HOSTILE)).await;
    for path in [
        format!("/api/session/{session}/item/i"),
        format!("/api/session/{session}/history"),
        "/api/search?q=script".to_owned(),
        // An id that is echoed.
        "/api/session/%3Cscript%3Ealert(1)%3C%2Fscript%3E/status".to_owned(),
    ] {
        let answer = server.client().get(&path).await;
        assert_eq!(answer.header("content-type"), Some("application/json"), "{path}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("sandbox;") && !policy.contains("-src 'self'"), "{path}: {policy}");
    }
}

/// A download that the client takes little by little, and its first bytes.
async fn slow_download(server: &TestServer, token: &str, path: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(16 << 10).unwrap();
    let address = format!("127.0.0.1:{}", server.port);
    let mut stream = socket.connect(address.parse().unwrap()).await.unwrap();
    let head = format!(
        "GET {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut first = [0; 1024];
    stream.read_exact(&mut first).await.unwrap();
    assert!(first.starts_with(b"HTTP/1.1 200"));
    stream
}

#[tokio::test]
async fn s_12_a_download_that_is_under_way_ends_with_its_credential() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let sample = Sample::new(&session, "t");
    // More than the system keeps between the two.
    for n in 0..60 {
        let (id, text) = (format!("i{n}"), "x".repeat(250_000));
        server.parts.agent.emit(sample.message(&id, ItemStatus::Complete, &text)).await;
    }
    let path = format!("/api/session/{session}/export?format=jsonl");
    let token = server.credentials.create_token("reader").unwrap();
    for is_ended in [false, true] {
        let mut stream = slow_download(&server, token.reveal(), &path).await;
        if is_ended {
            server.credentials.rotate().unwrap();
        }
        let mut rest = Vec::new();
        let read = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut rest));
        // A reset is an end too.
        drop(read.await.expect("it ends"));
        assert_eq!(rest.ends_with(b"\r\n0\r\n\r\n"), !is_ended, "{} bytes", rest.len());
        assert_eq!(rest.len() > 15_000_000, !is_ended, "{} bytes", rest.len());
    }
}
