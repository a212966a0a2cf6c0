//! Pings both ways: who lives stays, who does not is given up in time.

use std::time::Duration;

use contract::ItemStatus;
use serde_json::json;
use testkit::{Sample, TestServer};
use tokio::time::Instant;

const PAUSE: Duration = Duration::from_millis(500);

#[tokio::test(start_paused = true)]
async fn a_socket_that_shows_no_life_is_closed_within_20_seconds() {
    for speaks_after in [0, 1, 9, 11] {
        let server = TestServer::start().await;
        let mut socket = server.greeted_socket().await;
        tokio::time::sleep(Duration::from_secs(speaks_after)).await;
        socket.send(&json!({"type": "ping"})).await;
        socket.receive_type("pong").await;
        let (since, pings) = (Instant::now(), socket.silence().await);
        let silent = since.elapsed();
        assert!(pings >= 1, "it was asked for a sign of life");
        assert!(silent > Duration::from_secs(10), "{silent:?} after {speaks_after} s");
        assert!(silent < Duration::from_secs(21), "{silent:?} after {speaks_after} s");
    }
}

#[tokio::test(start_paused = true)]
async fn a_socket_that_answers_pings_stays() {
    let server = TestServer::start().await;
    let mut socket = server.greeted_socket().await;
    let quiet = tokio::time::timeout(Duration::from_secs(95), socket.receive_type("nothing")).await;
    assert!(quiet.is_err(), "nothing else is said");
    socket.send(&json!({"type": "ping", "requestId": "still here"})).await;
    assert_eq!(socket.receive_type("pong").await["requestId"], "still here");
}

/// 20 kB a second: a history of one page takes longer than a dead socket may.
#[tokio::test(start_paused = true)]
async fn a_history_over_a_slow_link_arrives_though_it_takes_longer_than_20_seconds() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let sample = Sample::new(&session, "t");
    for n in 0..9 {
        let (id, text) = (format!("i{n}"), "x".repeat(100_000));
        server.parts.agent.emit(sample.message(&id, ItemStatus::Complete, &text)).await;
    }
    let mut slow = server.narrow_socket().await;
    slow.send(&json!({"type": "session:hello", "streamProtocol": "upsert-v1"})).await;
    slow.send(&json!({"type": "session:open", "sessionId": session})).await;
    let began = Instant::now();
    let taken = slow.take_slowly(10_000, PAUSE, |taken| taken.len() >= 880_000).await;
    assert!(taken.len() >= 880_000, "{} bytes came", taken.len());
    assert!(began.elapsed() > Duration::from_secs(40), "{:?}", began.elapsed());
    // The connection is still there, not only what was on its way when it ended.
    slow.send(&json!({"type": "ping"})).await;
    let pong = |taken: &[u8]| taken.windows(6).any(|part| part == b"\"pong\"");
    assert!(pong(&slow.take_slowly(10_000, PAUSE, pong).await));
}
