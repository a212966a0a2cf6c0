//! Connections that are told more than their outbox holds.

use contract::{ItemStatus, PlanEntry};
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
