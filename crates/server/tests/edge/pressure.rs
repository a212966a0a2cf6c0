//! Connections that are told more than their outbox holds.

use contract::{ItemStatus, PermissionRequest, PlanEntry};
use serde_json::json;
use session::provider::ProviderNotice;
use testkit::{Sample, TestServer};

#[tokio::test]
async fn a_history_as_long_as_the_outbox_is_told_once_although_a_plan_follows_it() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let sample = Sample::new(&session, "turn");
    for n in 0..6 {
        let (id, text) = (format!("i{n}"), "x".repeat(200_000));
        server.parts.agent.emit(sample.message(&id, ItemStatus::Complete, &text)).await;
    }
    let entry =
        PlanEntry { content: "p".repeat(200_000), status: "pending".to_owned(), priority: None };
    server.parts.agent.notify(&session, ProviderNotice::Plan(vec![entry])).await;
    for family in ["upsert-v1", "upsert-v2"] {
        let mut socket = server.socket_of(family).await;
        let open = json!({"type": "session:open", "sessionId": session, "requestId": "o"});
        socket.send(&open).await;
        let history = socket.receive_type("session:history").await;
        assert_eq!((&history["requestId"], &history["resync"]), (&json!("o"), &json!(null)));
        assert_eq!(socket.receive_type("session:plan").await["entries"][0]["status"], "pending");
    }
}

/// What every connection is told is never dropped: one that takes none of it is given up, and finds all when it comes back.
#[tokio::test]
async fn a_connection_that_takes_nothing_is_asked_to_come_again() {
    const ASKED: usize = 80;
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let mut attentive = server.socket_of("upsert-v2").await;
    let mut asleep = server.narrow_socket().await;
    asleep.send(&json!({"type": "session:hello", "streamProtocol": "upsert-v2"})).await;
    let sample = Sample::new(&session, "turn");
    for n in 0..ASKED {
        let arguments = json!({"command": "x".repeat(300_000)});
        let request = PermissionRequest {
            tool_arguments: Some(serde_json::from_value(arguments).unwrap()),
            ..sample.permission(&format!("p{n}"))
        };
        drop(server.parts.agent.ask(request).await);
        attentive.receive_type("permission:requested").await;
    }
    assert_eq!(asleep.close_code().await, Some(1013));
    let mut again = server.socket_of("upsert-v2").await;
    for n in 0..ASKED {
        let asked = again.receive_type("permission:requested").await;
        assert_eq!(asked["permissionId"], format!("p{n}"));
    }
}
