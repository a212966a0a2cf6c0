//! Frames that no honest client sends, byte by byte.

use std::time::Duration;

use proptest::prelude::*;
use testkit::TestServer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;

const PATIENCE: Duration = Duration::from_secs(20);

const CONTINUATION: u8 = 0x0;
const TEXT: u8 = 0x1;
const CLOSE: u8 = 0x8;
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

/// Everything that the server says until it ends the connection, which it does without a reset.
async fn last_words(mut stream: TcpStream) -> Vec<u8> {
    let mut told = Vec::new();
    let read = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut told)).await;
    read.expect("the connection ends").expect("it ends in the way of the protocol");
    told
}

#[tokio::test]
async fn a_client_that_says_goodbye_is_answered_and_let_go() {
    let server = TestServer::start().await;
    for (payload, answer) in [
        (&[0x03, 0xe8][..], &[0x88, 2, 0x03, 0xe8][..]),
        // Without a reason.
        (&[], &[0x88, 0]),
    ] {
        let mut stream = upgraded(&server).await;
        stream.write_all(&frame(FINAL | CLOSE, payload)).await.unwrap();
        assert_eq!(last_words(stream).await, answer);
    }
}

#[tokio::test]
async fn a_goodbye_is_answered_after_what_was_asked_before_it() {
    let server = TestServer::start().await;
    let mut stream = upgraded(&server).await;
    let mut bytes = frame(FINAL | TEXT, br#"{"type":"ping"}"#);
    bytes.extend(frame(FINAL | CLOSE, &[0x03, 0xe9]));
    stream.write_all(&bytes).await.unwrap();
    let told = last_words(stream).await;
    assert!(String::from_utf8_lossy(&told).contains("pong"), "{told:?}");
    assert!(told.ends_with(&[0x88, 2, 0x03, 0xe9]), "{told:?}");
}

#[tokio::test]
async fn a_server_that_closes_waits_for_the_answer_but_not_for_ever() {
    let server = TestServer::start().await;
    let mut stream = upgraded(&server).await;
    server.parts.stop.cancel();
    let mut head = [0; 4];
    stream.read_exact(&mut head).await.unwrap();
    assert_eq!((head[0], &head[2..]), (0x88, &[0x03, 0xe9][..]));
    // On its way before the goodbye was read: it is taken, or its arrival would be a reset.
    stream.write_all(&frame(FINAL | TEXT, br#"{"type":"ping"}"#)).await.unwrap();
    stream.write_all(&frame(FINAL | CLOSE, &[0x03, 0xe9])).await.unwrap();
    last_words(stream).await;
    let silent = TestServer::start().await;
    let stream = upgraded(&silent).await;
    silent.parts.stop.cancel();
    assert_eq!(close_code(stream).await, Some(1001), "one that does not answer is let go too");
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

/// A ping to the server in so many pieces.
fn in_pieces(count: usize) -> Vec<u8> {
    let middle = frame(CONTINUATION, b"").repeat(count - 2);
    let (first, last) = (frame(TEXT, br#"{"type":"#), frame(FINAL | CONTINUATION, br#""ping"}"#));
    [first, middle, last].concat()
}

#[tokio::test]
async fn s_34_a_message_may_come_in_64_pieces_and_not_in_65() {
    let server = TestServer::start().await;
    let mut stream = upgraded(&server).await;
    // Each is counted by itself.
    stream.write_all(&in_pieces(64).repeat(3)).await.unwrap();
    let mut told = Vec::new();
    while String::from_utf8_lossy(&told).matches("pong").count() < 3 {
        let read = tokio::time::timeout(PATIENCE, stream.read_buf(&mut told)).await;
        assert!(read.expect("an answer").unwrap() > 0, "it is one message: {told:?}");
    }
    stream.write_all(&in_pieces(65)).await.unwrap();
    assert_eq!(close_code(stream).await, Some(1008));
    is_well(&server).await;
}

/// Says it for as long as it is taken, and is there until what it is told has been read.
async fn flood(says: &mut OwnedWriteHalf, bytes: &[u8]) {
    while says.write_all(bytes).await.is_ok() {}
    std::future::pending::<()>().await;
}

#[tokio::test]
async fn s_34_a_message_of_endless_tiny_pieces_is_told_why_it_ends() {
    let server = TestServer::start().await;
    let before = resident_kib();
    for piece in [&b"x"[..], b""] {
        let (mut hears, mut says) = upgraded(&server).await.into_split();
        let flood = async {
            says.write_all(&frame(TEXT, b"x")).await.unwrap();
            flood(&mut says, &frame(CONTINUATION, piece).repeat(1 << 12)).await;
        };
        // What it sends is taken for as long as it is waited for, so it can read why.
        let goodbye = async {
            let mut head = [0; 4];
            hears.read_exact(&mut head).await.unwrap();
            head
        };
        let told = tokio::select! {
            told = tokio::time::timeout(PATIENCE, goodbye) => told.expect("it is closed"),
            () = flood => unreachable!("it never ends"),
        };
        assert_eq!((told[0], &told[2..]), (0x88, &1008_u16.to_be_bytes()[..]));
    }
    assert!(resident_kib().saturating_sub(before) < 8 << 10);
    is_well(&server).await;
}

/// The length of the payload of the server's next frame, and whether another piece of its message follows.
async fn skip_frame(stream: &mut TcpStream) -> (u64, bool) {
    let [first, second] = [stream.read_u8().await.unwrap(), stream.read_u8().await.unwrap()];
    let length = match second {
        126 => u64::from(stream.read_u16().await.unwrap()),
        127 => stream.read_u64().await.unwrap(),
        short => u64::from(short),
    };
    let mut payload = stream.take(length);
    tokio::io::copy(&mut payload, &mut tokio::io::sink()).await.unwrap();
    (length, first & FINAL == 0)
}

/// The bytes of the server's next message, and its longest frame.
async fn skip_message(stream: &mut TcpStream) -> (u64, u64) {
    let (mut whole, mut longest) = (0, 0);
    loop {
        let (length, goes_on) = skip_frame(stream).await;
        (whole, longest) = (whole + length, longest.max(length));
        if !goes_on {
            return (whole, longest);
        }
    }
}

/// However long a message is, what is held ready to be written of it is a piece: a page of a history whose every character is
/// written as six.
#[tokio::test]
async fn s_34_a_long_message_is_written_in_pieces() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let sample = testkit::Sample::new(&session, "t");
    for n in 0..8 {
        let text = "\u{1}".repeat(256 << 10);
        let item = sample.message(&format!("i{n}"), contract::ItemStatus::Complete, &text);
        server.parts.agent.emit(item).await;
    }
    let mut stream = upgraded(&server).await;
    let hello = br#"{"type":"session:hello","streamProtocol":"upsert-v1"}"#;
    let open = format!(r#"{{"type":"session:open","sessionId":"{session}"}}"#);
    stream.write_all(&frame(FINAL | TEXT, hello)).await.unwrap();
    let longest = tokio::time::timeout(PATIENCE, async {
        loop {
            stream.write_all(&frame(FINAL | TEXT, open.as_bytes())).await.unwrap();
            let (whole, longest) = skip_message(&mut stream).await;
            if whole > 6 << 20 {
                break longest;
            }
        }
    });
    assert_eq!(longest.await.expect("a long history"), 256 << 10);
    // And to whoever puts the pieces together it is one message.
    let mut socket = server.socket_of("upsert-v1").await;
    socket.send(&serde_json::json!({"type": "session:open", "sessionId": session})).await;
    let told = socket.receive_type("session:history").await;
    let entries = told["entries"].as_array().unwrap();
    assert!(entries.iter().all(|entry| entry["content"].as_str().unwrap().len() == 256 << 10));
    assert!(!entries.is_empty());
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
    for (bytes, code) in [
        (unmasked, 1002),
        (reserved, 1002),
        (unknown, 1002),
        (stray_continuation, 1002),
        (long_ping, 1002),
        (not_utf8, 1007),
    ] {
        let mut stream = upgraded(&server).await;
        stream.write_all(&bytes).await.unwrap();
        assert_eq!(close_code(stream).await, Some(code), "{bytes:?}");
    }
    is_well(&server).await;
}

#[tokio::test]
async fn s_34_a_flood_of_pings_is_told_why_it_ends() {
    let server = TestServer::start().await;
    let before = resident_kib();
    let (mut hears, mut says) = upgraded(&server).await.into_split();
    let pings = frame(FINAL | PING, b"").repeat(1 << 12);
    let told = async {
        let mut told = Vec::new();
        while !told.windows(4).any(|bytes| bytes[0] == 0x88 && bytes[2..] == 1008_u16.to_be_bytes())
        {
            assert!(hears.read_buf(&mut told).await.unwrap() > 0, "it ends without a word");
        }
    };
    tokio::select! {
        told = tokio::time::timeout(PATIENCE, told) => told.expect("it is closed"),
        () = flood(&mut says, &pings) => unreachable!("it never ends"),
    }
    assert!(resident_kib().saturating_sub(before) < 8 << 10);
    is_well(&server).await;
}

/// A frame that may be one, or nearly: any kind, any mask, any payload, and a length that may be a lie.
fn any_frame() -> impl Strategy<Value = Vec<u8>> {
    let payload = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..120),
        "[ -~]{0,100}".prop_map(String::into_bytes),
        Just(br#"{"type":"session:open","sessionId":null}"#.to_vec()),
        Just(br#"{"type":"ping"}"#.to_vec()),
    ];
    let length = prop_oneof![4 => Just(None), 1 => any::<u8>().prop_map(Some)];
    (any::<u8>(), any::<[u8; 4]>(), payload, length).prop_map(|(first, mask, payload, lie)| {
        let length = MASKED | u8::try_from(payload.len()).unwrap();
        let mut bytes = vec![first, lie.unwrap_or(length)];
        bytes.extend_from_slice(&mask);
        let masked = payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask);
        bytes.extend(masked);
        bytes
    })
}

fn anything() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..2000),
        prop::collection::vec(any_frame(), 1..12).prop_map(|frames| frames.concat()),
    ]
}

/// One server takes all of it, so that what one connection breaks is noticed by the next.
#[test]
fn s_41_whatever_follows_an_upgrade_ends_that_connection_at_most() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let server = runtime.block_on(TestServer::start());
    let mut other = runtime.block_on(server.greeted_socket());
    proptest!(ProptestConfig::with_cases(96), |(bytes in anything())| {
        runtime.block_on(async {
            let mut stream = upgraded(&server).await;
            // It may well be cut off while we write.
            stream.write_all(&bytes).await.ok();
            stream.shutdown().await.ok();
            close_code(stream).await;
            is_well(&server).await;
        });
    });
    runtime.block_on(async {
        other.send(&serde_json::json!({"type": "ping"})).await;
        other.receive_type("pong").await;
    });
}
