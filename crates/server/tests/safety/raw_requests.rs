//! Requests that no honest client sends, byte by byte.

use std::time::Duration;

use server::Limits;
use testkit::TestServer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const PATIENCE: Duration = Duration::from_secs(20);

/// What the server says to these bytes until it ends the connection.
async fn said_to(server: &TestServer, bytes: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
    stream.write_all(bytes.as_bytes()).await.unwrap();
    let mut said = Vec::new();
    let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut said)).await;
    // A reset is an end too.
    drop(read.expect("the connection ends"));
    String::from_utf8_lossy(&said).into_owned()
}

fn statuses(said: &str) -> Vec<&str> {
    let starts = said.match_indices("HTTP/1.").filter_map(|(at, _)| said.get(at + 9..at + 12));
    starts.collect()
}

#[tokio::test]
async fn s_07_no_form_of_a_request_gets_around_the_name() {
    let server = TestServer::start().await;
    let (ours, token) = (format!("127.0.0.1:{}", server.port), &server.token);
    let rest = format!("Authorization: Bearer {token}\r\nConnection: close\r\n\r\n");
    for (request, status) in [
        (format!("GET http://{ours}/readyz HTTP/1.1\r\nHost: {ours}\r\n{rest}"), "200"),
        (format!("GET http://user@{ours}/readyz HTTP/1.1\r\nHost: {ours}\r\n{rest}"), "403"),
        (format!("GET http://{ours}/readyz HTTP/1.1\r\nHost: evil.example\r\n{rest}"), "403"),
        (
            format!("GET http://{ours}@evil.example/readyz HTTP/1.1\r\nHost: {ours}\r\n{rest}"),
            "403",
        ),
        (format!("GET /readyz HTTP/1.0\r\n{rest}"), "403"),
        (format!("GET /readyz HTTP/1.0\r\nHost: {ours}\r\n{rest}"), "200"),
        (format!("GET /readyz HTTP/1.1\r\nHost: {ours}, evil.example\r\n{rest}"), "403"),
        (format!("GET /readyz HTTP/1.1\r\nHost: {ours}\r\nHost: {ours}\r\n{rest}"), "403"),
        (format!("GET /readyz HTTP/1.1\r\nHost: {ours}.\r\n{rest}"), "403"),
        (format!("CONNECT {ours} HTTP/1.1\r\nHost: {ours}\r\n{rest}"), "404"),
        (format!("OPTIONS * HTTP/1.1\r\nHost: {ours}\r\n{rest}"), "404"),
    ] {
        let said = said_to(&server, &request).await;
        assert_eq!(statuses(&said), [status], "{request}{said}");
    }
}

/// HTTP/2 has another place for the name. It is not spoken, so there is no such place.
#[tokio::test]
async fn s_07_no_other_version_of_the_protocol_is_spoken() {
    let server = TestServer::start().await;
    let ours = format!("127.0.0.1:{}", server.port);
    let settings = "\0\0\0\u{4}\0\0\0\0\0";
    for host in ["", "Host: evil.example\r\n", &format!("Host: {ours}\r\n")] {
        let preface = format!("PRI * HTTP/2.0\r\n{host}\r\nSM\r\n\r\n{settings}");
        let said = said_to(&server, &preface).await;
        let is_refused = statuses(&said).iter().all(|status| status.starts_with('4'));
        assert!(is_refused && (said.is_empty() || said.starts_with("HTTP/1.1 4")), "{said:?}");
        let said = said_to(&server, &format!("GET /readyz HTTP/2.0\r\n{host}\r\n")).await;
        assert!(statuses(&said).iter().all(|status| status.starts_with('4')), "{said:?}");
    }
    let upgrade = "Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n";
    let token = format!("Authorization: Bearer {}\r\n", server.token);
    for (host, token, status) in [
        (ours.as_str(), token.as_str(), "200"),
        (ours.as_str(), "", "401"),
        ("evil.example", token.as_str(), "403"),
    ] {
        let head = format!("GET /readyz HTTP/1.1\r\nHost: {host}\r\n{token}{upgrade}\r\n");
        let said = said_to(&server, &format!("{head}PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")).await;
        assert_eq!(statuses(&said).first(), Some(&status), "{head}{said}");
        assert!(!said.contains(" 101 "), "{head}{said}");
    }
}

#[tokio::test]
async fn s_09_no_request_is_hidden_in_the_body_of_another() {
    let server = TestServer::start().await;
    let (ours, token) = (format!("127.0.0.1:{}", server.port), &server.token);
    let hidden = format!(
        "POST /api/projects HTTP/1.1\r\nHost: {ours}\r\nAuthorization: Bearer {token}\r\n\r\n"
    );
    let head =
        format!("POST /api/login HTTP/1.1\r\nHost: {ours}\r\nContent-Type: application/json\r\n");
    for (framing, body) in [
        // Two lengths, a length and chunks, chunks that are not the last coding, spaces, signs.
        (format!("Content-Length: 4\r\nContent-Length: {}\r\n", hidden.len()), hidden.clone()),
        (
            format!("Content-Length: {}\r\nTransfer-Encoding: chunked\r\n", hidden.len()),
            format!("0\r\n\r\n{hidden}"),
        ),
        ("Transfer-Encoding: chunked, identity\r\n".to_owned(), format!("0\r\n\r\n{hidden}")),
        ("Transfer-Encoding : chunked\r\n".to_owned(), format!("0\r\n\r\n{hidden}")),
        ("Transfer-Encoding: xchunked\r\n".to_owned(), format!("0\r\n\r\n{hidden}")),
        (format!("Content-Length: +{}\r\n", hidden.len()), hidden.clone()),
        (format!("Content-Length: {}, 4\r\n", hidden.len()), hidden.clone()),
    ] {
        let said = said_to(&server, &format!("{head}{framing}\r\n{body}")).await;
        let first = statuses(&said).first().copied();
        assert!(first.is_none_or(|status| status.starts_with('4')), "{framing}{said}");
        // The second is answered as a request of its own at most, never as a part of the first that succeeded.
        assert!(statuses(&said).iter().all(|status| status.starts_with('4')), "{framing}{said}");
    }
}

#[tokio::test]
async fn s_33_a_stranger_has_the_same_time_whatever_it_does_with_it() {
    let limits = Limits { credential: Duration::from_millis(500), ..Limits::default() };
    let server = TestServer::with_limits(limits).await;
    let host = format!("Host: 127.0.0.1:{}\r\n", server.port);
    let upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n";
    for bytes in [
        // Many requests on one connection, one after the other and all at once.
        format!("GET /healthz HTTP/1.1\r\n{host}\r\n").repeat(50),
        // An old client that wants to stay, a body that does not come, an upgrade that is refused.
        format!("GET /healthz HTTP/1.0\r\n{host}Connection: keep-alive\r\n\r\n"),
        format!(
            "POST /api/login HTTP/1.1\r\n{host}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{"
        ),
        format!(
            "POST /api/login HTTP/1.1\r\n{host}Expect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n"
        ),
        format!(
            "POST /api/session/x/events HTTP/1.1\r\n{host}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n"
        ),
        format!("GET /ws HTTP/1.1\r\n{host}{upgrade}\r\n"),
    ] {
        let said = said_to(&server, &bytes).await;
        assert!(!said.contains(" 101 "), "{bytes}{said}");
    }
}

#[tokio::test]
async fn s_12_a_credential_that_ends_while_it_is_shown_opens_nothing() {
    let server = TestServer::start().await;
    let host = format!("127.0.0.1:{}", server.port);
    for n in 0..100 {
        let token = server.credentials.create_token(&format!("t{n}")).unwrap();
        let head = format!(
            "GET /ws HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
            token.reveal()
        );
        let mut stream = TcpStream::connect(&host).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        // At another moment each time.
        for _ in 0..n % 20 {
            tokio::task::yield_now().await;
        }
        server.credentials.rotate().unwrap();
        let mut said = Vec::new();
        let is_refused = |said: &[u8]| said.starts_with(b"HTTP/1.1 401");
        let is_closed = |said: &[u8]| said.windows(4).any(|at| at == [0x88, at[1], 0x11, 0x31]);
        while !is_refused(&said) && !is_closed(&said) {
            let read = tokio::time::timeout(PATIENCE, stream.read_buf(&mut said)).await;
            assert!(read.expect("a word").unwrap() > 0, "{}", String::from_utf8_lossy(&said));
        }
    }
}
