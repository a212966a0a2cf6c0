//! Frames that no honest client sends, byte by byte.

use std::time::Duration;

use testkit::TestServer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const PATIENCE: Duration = Duration::from_secs(20);

const CONTINUATION: u8 = 0x0;
const TEXT: u8 = 0x1;
const PING: u8 = 0x9;
const FINAL: u8 = 0x80;
const MASKED: u8 = 0x80;

/// A connection that has been upgraded.
async fn upgraded(server: &TestServer) -> TcpStream {
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap();
    let head = format!(
        "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nAuthorization: Bearer {}\r\nConnection: Upgrade\r\n\
         Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
        server.port, server.token
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while !answer.ends_with(b"\r\n\r\n") {
        answer.push(stream.read_u8().await.unwrap());
    }
    assert!(answer.starts_with(b"HTTP/1.1 101"));
    stream
}

/// A masked frame whose mask is zero, so that its payload reads as it is.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let length = u8::try_from(payload.len()).unwrap();
    let mut bytes = vec![first, MASKED | length, 0, 0, 0, 0];
    bytes.extend_from_slice(payload);
    bytes
}

/// The code with which the server closes, if it says one before it ends the connection.
async fn close_code(mut stream: TcpStream) -> Option<u16> {
    let mut told = Vec::new();
    let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut told)).await;
    // A reset is an end too.
    drop(read.expect("the connection ends"));
    let close = told.windows(4).find(|bytes| bytes[0] == 0x88 && bytes[1] >= 2)?;
    Some(u16::from_be_bytes([close[2], close[3]]))
}

async fn is_well(server: &TestServer) {
    assert_eq!(server.client().get("/api/projects").await.status, 200);
}

/// What this process holds in memory.
fn resident_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn s_34_a_declared_gibibyte_is_refused_before_it_is_held() {
    let server = TestServer::start().await;
    let before = resident_kib();
    let mut stream = upgraded(&server).await;
    let mut head = vec![FINAL | TEXT, MASKED | 127];
    head.extend_from_slice(&(1_u64 << 30).to_be_bytes());
    head.extend_from_slice(&[0; 4]);
    stream.write_all(&head).await.unwrap();
    stream.write_all(&[b'x'; 4096]).await.ok();
    assert_eq!(close_code(stream).await, Some(1009));
    assert!(resident_kib().saturating_sub(before) < 8 << 10, "it holds no buffer of that size");
    is_well(&server).await;
}

#[tokio::test]
async fn s_34_a_message_of_endless_tiny_pieces_ends_at_the_limit() {
    let server = TestServer::start().await;
    let before = resident_kib();
    let mut stream = upgraded(&server).await;
    stream.write_all(&frame(TEXT, b"x")).await.unwrap();
    let pieces = frame(CONTINUATION, b"x").repeat(1 << 12);
    // More than the limit in all, and it may well be cut off while we write.
    for _ in 0..(1 << 8) + 1 {
        if stream.write_all(&pieces).await.is_err() {
            break;
        }
    }
    let code = close_code(stream).await;
    assert!(matches!(code, Some(1009) | None), "{code:?}");
    assert!(resident_kib().saturating_sub(before) < 8 << 10);
    is_well(&server).await;
}

#[tokio::test]
async fn s_34_frames_that_break_the_rules_end_the_connection() {
    let unmasked = vec![FINAL | TEXT, 2, b'{', b'}'];
    let reserved = frame(FINAL | 0x70 | TEXT, b"{}");
    let unknown = frame(FINAL | 0xb, b"x");
    let stray_continuation = frame(FINAL | CONTINUATION, b"x");
    let long_ping = {
        let mut bytes = vec![FINAL | PING, MASKED | 126, 1, 0, 0, 0, 0, 0];
        bytes.extend_from_slice(&[0; 256]);
        bytes
    };
    let not_utf8 = frame(FINAL | TEXT, &[0xff, 0xfe]);
    let server = TestServer::start().await;
    for bytes in [unmasked, reserved, unknown, stray_continuation, long_ping, not_utf8] {
        let mut stream = upgraded(&server).await;
        stream.write_all(&bytes).await.unwrap();
        let code = close_code(stream).await;
        assert!(code.is_none_or(|code| (1002..=1009).contains(&code)), "{bytes:?}: {code:?}");
    }
    is_well(&server).await;
}

#[tokio::test]
async fn s_34_a_flood_of_pings_ends_the_connection() {
    let server = TestServer::start().await;
    let mut stream = upgraded(&server).await;
    let pings = frame(FINAL | PING, b"").repeat(3000);
    stream.write_all(&pings).await.ok();
    assert_eq!(close_code(stream).await, None, "it ends without a word");
    is_well(&server).await;
}
