//! What a bug of ours tells, and to whom.

use serde_json::json;
use testkit::{Operation, TestServer};

#[tokio::test]
async fn s_38_a_panic_is_answered_as_a_failure_that_tells_nothing() {
    let server = TestServer::start().await;
    let request = serde_json::to_value(server.parts.create_request("scripted")).unwrap();
    server.parts.agent.panic_next(Operation::Create);
    let client = server.client();
    let failed = client.post_json("/api/session/create", &request).await;
    assert_eq!(failed.error(), (500, "INTERNAL_ERROR".into()));
    assert!(!failed.text().contains("a bug"), "what it said is for the log: {}", failed.text());
    for header in ["content-security-policy", "x-content-type-options", "referrer-policy"] {
        assert!(failed.header(header).is_some(), "{header}");
    }
    assert_eq!(failed.header("cache-control"), Some("no-store"));
    let counted = client.get("/metrics").await.text();
    let of_it = counted.lines().find(|line| line.contains("INTERNAL_ERROR"));
    assert!(of_it.is_some_and(|line| line.ends_with(" 1")), "{counted}");
    let written = server.audited();
    assert_eq!(written.last().map(|line| line["outcome"].clone()), Some(json!("unanswered")));
    // Nobody else notices.
    let created = client.post_json("/api/session/create", &request).await;
    assert_eq!(created.status, 201, "{}", created.text());
}
