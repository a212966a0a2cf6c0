//! Items over 256 KiB: cut on the stream and in pages, whole by HTTP.

use contract::ItemStatus;
use serde_json::{Value, json};
use testkit::{Sample, TestServer};

const LIMIT: usize = 256 << 10;

fn check(item: &Value, field: &str, whole: &str) {
    let shown = item[field].as_str().unwrap();
    assert_eq!(item["truncated"], json!({"bytes": whole.len()}), "{field}");
    assert!(shown.len() <= LIMIT && shown.len() > LIMIT / 2 - 4, "{}", shown.len());
    assert!(whole.starts_with(shown));
}

#[tokio::test]
async fn a_long_item_is_cut_on_the_stream_and_in_pages_and_whole_by_http() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let text = format!("x{}", "\u{20ac}".repeat(200_000));
    let sample = Sample::new(&session, "t");
    let long = sample.message("long", ItemStatus::Complete, &text);
    let tool = sample.tool("tool", ItemStatus::Complete, Some(&text));
    for family in ["upsert-v1", "upsert-v2"] {
        let mut socket = server.socket_of(family).await;
        socket.send(&json!({"type": "session:open", "sessionId": session})).await;
        let history = socket.receive_type("session:history").await;
        for (n, entry) in history["entries"].as_array().unwrap().iter().enumerate() {
            check(entry, ["content", "toolOutput"][n], &text);
        }
        if family == "upsert-v1" {
            for (item, field) in [(&long, "content"), (&tool, "toolOutput")] {
                server.parts.agent.emit(item.clone()).await;
                check(&socket.receive_type("session:upsert").await["payload"], field, &text);
            }
        }
    }
    let page = server.client().get(&format!("/api/session/{session}/history?after=0")).await.json();
    check(&page["entries"][0], "content", &text);
    check(&page["entries"][1], "toolOutput", &text);
    for (item, field) in [("long", "content"), ("tool", "toolOutput")] {
        let whole = server.client().get(&format!("/api/session/{session}/item/{item}")).await;
        let whole = whole.json();
        assert!(whole[field] == json!(text), "{item} is not whole");
        assert_eq!(whole["truncated"], Value::Null, "{item}");
    }
}

#[tokio::test]
async fn text_that_grows_past_the_limit_is_told_in_steps() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let sample = Sample::new(&session, "t");
    let mut socket = server.socket_of("upsert-v2").await;
    socket.send(&json!({"type": "session:open", "sessionId": session})).await;
    socket.receive_type("session:history").await;
    let text = "0123456789abcdef".repeat(LIMIT / 4);
    let step = LIMIT / 4;
    let mut bytes = 0;
    for n in 1..=16 {
        let status = if n == 16 { ItemStatus::Complete } else { ItemStatus::Update };
        server.parts.agent.emit(sample.message("m", status, &text[..n * step])).await;
        // Those that are told are taken before the next, so that none replaces another.
        let is_told = n <= 5 || n % 4 == 0;
        if is_told {
            let message = socket.receive().await;
            bytes += message.to_string().len();
            let kind = if (2..=4).contains(&n) { "session:delta" } else { "session:upsert" };
            assert_eq!(message["type"], kind, "{n}");
            assert_eq!(message["seq"], n, "{n}");
        }
    }
    assert!(bytes < 2 * 16 * step, "{bytes} bytes for {}", 16 * step);
}
