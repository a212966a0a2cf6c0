//! What is kept has bounds, and who is past one is told so.

use std::path::Path;

use serde_json::{Value, json};
use testkit::{HttpResponse, ServerPlace, ServerProcess};

use crate::LIMINAL;

async fn try_to_create(server: &ServerProcess, place: &ServerPlace) -> HttpResponse {
    let body = json!({ "cliType": "external", "projectDir": place.at("project") });
    server.client().post_json("/api/session/create", &body).await
}

#[tokio::test]
async fn s_35_as_many_sessions_are_kept_as_the_settings_allow() {
    let place = ServerPlace::new(Path::new(LIMINAL), "max_sessions = 2");
    let server = place.start();
    let first = server.create(&place, "external").await;
    server.create(&place, "external").await;
    let refused = try_to_create(&server, &place).await;
    assert_eq!(refused.error(), (429, "TOO_MANY_REQUESTS".into()), "{}", refused.text());
    assert!(refused.header("retry-after").is_some());
    let archived = format!("/api/session/{first}/archive");
    assert_eq!(server.client().post(&archived).await.status, 200);
    assert_eq!(try_to_create(&server, &place).await.status, 429, "one that is put away is kept");
    server.kill();
    assert_eq!(try_to_create(&place.start(), &place).await.status, 429, "after a restart too");
}

/// One message of so many bytes, said from outside.
fn message(session: &str, turn: &str, bytes: usize) -> Vec<u8> {
    let payloads = [
        json!({ "type": "response_start", "modelId": "m", "providerId": "p" }),
        json!({ "type": "item_start", "itemId": turn, "itemType": "message" }),
        json!({ "type": "item_done", "itemId": turn,
            "finalItem": { "type": "message", "content": "x".repeat(bytes), "origin": "agent" } }),
        json!({ "type": "response_done", "status": "completed" }),
    ];
    let line = |payload: &Value| {
        let envelope = json!({
            "eventId": "e", "timestamp": "2026-01-01T00:00:00.000Z", "turnId": turn,
            "sessionId": session, "type": payload["type"], "payload": payload,
        });
        format!("{envelope}\n")
    };
    payloads.iter().map(line).collect::<String>().into_bytes()
}

#[tokio::test]
async fn s_35_a_session_holds_as_much_as_the_settings_allow() {
    let place = ServerPlace::new(Path::new(LIMINAL), "max_session_bytes = 10000");
    let server = place.start();
    let session = server.create(&place, "external").await;
    let events = format!("/api/session/{session}/events");
    let client = server.client().with_header("Content-Type", "application/x-ndjson");
    for turn in ["t1", "t2"] {
        let body = message(session.as_str(), turn, 8_000);
        let taken = client.request("POST", &events, &body).await;
        assert_eq!(taken.status, 200, "{}", taken.text());
    }
    let body = message(session.as_str(), "t3", 1);
    let refused = client.request("POST", &events, &body).await;
    assert_eq!(refused.error(), (413, "PAYLOAD_TOO_LARGE".into()), "{}", refused.text());
    assert_eq!(server.history(&session).await["entries"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn s_35_a_full_session_takes_no_messages_and_can_be_read() {
    let place = ServerPlace::new(Path::new(LIMINAL), "max_session_bytes = 500");
    let server = place.start();
    let session = server.create(&place, "demo").await;
    server.send(&session, &json!({ "content": "help" })).await;
    server.settled(&session).await;
    server.kill();
    let server = place.start();
    let path = format!("/api/session/{session}/send");
    let refused = server.client().post_json(&path, &json!({ "content": "more" })).await;
    assert_eq!(refused.error(), (413, "PAYLOAD_TOO_LARGE".into()), "{}", refused.text());
    assert!(server.history(&session).await["entries"].as_array().unwrap().len() > 1);
    let other = server.create(&place, "demo").await;
    server.send(&other, &json!({ "content": "help" })).await;
}
