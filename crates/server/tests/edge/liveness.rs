//! Pings both ways: who lives stays, who does not is given up in time.

use std::time::Duration;

use serde_json::json;
use testkit::TestServer;
use tokio::time::Instant;

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
