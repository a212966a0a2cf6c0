//! What sessions do at a glance: told to who asks for it, of sessions that it did not open.

use contract::ItemStatus;
use serde_json::{Value, json};
use testkit::{Sample, SocketClient, TestServer};

async fn watching(server: &TestServer, protocol: &str) -> SocketClient {
    let mut socket = server.socket().await;
    let hello = json!({"type": "session:hello", "streamProtocol": protocol, "capabilities": {"glances": true}});
    socket.send(&hello).await;
    socket
}

async fn say_something(server: &TestServer, sample: &Sample) {
    let agent = &server.parts.agent;
    agent.emit_turn(sample.started()).await;
    agent.emit(sample.message("m", ItemStatus::Update, "first\nI look at it")).await;
    agent.emit(sample.tool("c", ItemStatus::Complete, None)).await;
}

/// The glances until this much is known.
async fn glance_with(socket: &mut SocketClient, is_known: impl Fn(&Value) -> bool) -> Value {
    loop {
        let glance = socket.receive_type("session:glance").await;
        if is_known(&glance) {
            return glance;
        }
    }
}

#[tokio::test]
async fn who_asks_is_told_what_sessions_do_also_when_it_comes_later() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let sample = Sample::new(&session, "t");
    for protocol in ["upsert-v1", "upsert-v2"] {
        let mut socket = watching(&server, protocol).await;
        say_something(&server, &sample).await;
        let glance = glance_with(&mut socket, |glance| glance["tool"].is_string()).await;
        assert_eq!(glance["sessionId"], json!(session));
        assert_eq!(glance["line"], "I look at it");
        assert!(glance["turnStartedAt"].is_string() && glance["at"].is_string(), "{glance}");
    }
    let mut late = watching(&server, "upsert-v2").await;
    assert_eq!(late.receive_type("session:glance").await["line"], "I look at it");
    server.parts.agent.emit_turn(sample.completed()).await;
    let glance = glance_with(&mut late, |glance| glance["turnStartedAt"].is_null()).await;
    assert!(glance["tool"].is_null(), "{glance}");
}

#[tokio::test]
async fn who_does_not_ask_is_told_nothing_of_it() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let sample = Sample::new(&session, "t");
    let mut asks = watching(&server, "upsert-v2").await;
    let (mut silent, mut legacy) =
        (server.socket_of("upsert-v2").await, watching(&server, "none").await);
    say_something(&server, &sample).await;
    glance_with(&mut asks, |glance| glance["tool"].is_string()).await;
    for socket in [&mut silent, &mut legacy] {
        socket.send(&json!({"type": "ping"})).await;
        loop {
            let message = socket.receive().await;
            assert_ne!(message["type"], "session:glance");
            if message["type"] == "pong" {
                break;
            }
        }
    }
}
