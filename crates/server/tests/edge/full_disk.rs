//! A page that watches a session while the disk is full sees everything once there is room.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use contract::ItemStatus;
use serde_json::json;
use testkit::{BreakableJournal, Sample, TestServer, TestService};

#[tokio::test]
async fn s_37_who_watched_while_the_disk_was_full_is_told_again_without_asking() {
    let journal = Arc::new(BreakableJournal::default());
    let server = TestServer::of(TestService::with_journal(journal.clone()).await).await;
    let session = server.create_session("scripted").await;
    assert_eq!(server.client().get("/readyz").await.status, 200);
    let mut page = server.greeted_socket().await;
    page.send(&json!({"type": "session:open", "sessionId": session})).await;
    page.receive_type("session:history").await;
    let send = format!("/api/session/{session}/send");
    let sent = server.client().post_json(&send, &json!({"content": "one"})).await;
    assert_eq!(sent.status, 202, "{}", sent.text());
    let turn = sent.json()["turnId"].as_str().unwrap().to_owned();
    let sample = Sample::new(&session, &turn);
    server.parts.agent.emit_turn(sample.started()).await;
    page.receive_type("session:turn").await;

    journal.broken.store(true, Ordering::SeqCst);
    server.parts.agent.emit(sample.message("lost", ItemStatus::Complete, "no room")).await;
    let told = loop {
        let told = page.receive().await;
        assert_ne!(told["type"], "session:upsert", "what is not kept is not told: {told}");
        if told["type"] == "session:error" {
            break told;
        }
    };
    assert!(told["message"].as_str().unwrap().contains("for now"), "{told}");

    let not_ready = server.client().get("/readyz").await;
    assert_eq!(not_ready.error(), (503, "STORE_UNAVAILABLE".into()), "{}", not_ready.text());
    assert_eq!(server.stranger().get("/healthz").await.status, 200, "it is there all the same");

    journal.broken.store(false, Ordering::SeqCst);
    assert_eq!(server.client().get("/readyz").await.status, 200, "at once, whoever writes first");
    let history = page.receive_type("session:history").await;
    assert_eq!(history["resync"], true, "{history}");
    let sent = server.client().post_json(&send, &json!({"content": "two"})).await;
    assert_eq!(sent.status, 202, "{}", sent.text());
    let user = page.receive_type("session:upsert").await;
    assert_eq!(user["payload"]["content"], "two", "it follows the session again: {user}");
}
