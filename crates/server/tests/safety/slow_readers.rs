//! Who does not read costs nobody else anything.

use contract::ItemStatus;
use serde_json::json;
use testkit::{Sample, TestServer};

const ITEMS: u64 = 200;

#[tokio::test]
async fn s_36_a_slow_reader_costs_only_itself() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let open = json!({"type": "session:open", "sessionId": session});
    let mut slow = server.narrow_socket().await;
    slow.send(&json!({"type": "session:hello", "streamProtocol": "upsert-v1"})).await;
    slow.send(&open).await;
    slow.receive_type("session:history").await;
    let mut quick = server.greeted_socket().await;
    quick.send(&open).await;
    let mut seen = quick.receive_type("session:history").await["seq"].as_u64().unwrap();
    let (first, sample) = (seen, Sample::new(&session, "t"));
    // Far more than its outbox and the sockets hold. Whoever reads is told each at once, and no history again.
    for n in 0..ITEMS {
        let (id, text) = (format!("i{n}"), "x".repeat(100_000));
        server.parts.agent.emit(sample.message(&id, ItemStatus::Complete, &text)).await;
        loop {
            let told = quick.receive().await;
            assert_ne!(told["type"], "session:history", "item {n}");
            if told["type"] == "session:upsert" && told["payload"]["itemId"] == id.as_str() {
                let seq = told["seq"].as_u64().unwrap();
                assert!(seq > seen, "{seq} after {seen}");
                seen = seq;
                break;
            }
        }
    }
    assert!(seen >= first + ITEMS);
    // Once it reads, it is told what it missed as a history, and ends with the same.
    let (mut is_told_again, mut newest) = (false, 0);
    while newest < seen {
        let told = slow.receive().await;
        is_told_again |= told["type"] == "session:history";
        newest = told["seq"].as_u64().unwrap_or(newest).max(newest);
    }
    assert!(is_told_again, "its outbox is bounded");
    let metrics = server.client().get("/metrics").await.text();
    let resyncs =
        metrics.lines().find_map(|line| line.strip_prefix("liminal_outbox_resyncs_total "));
    assert!(resyncs.unwrap().parse::<u64>().unwrap() >= 1, "{metrics}");
}
