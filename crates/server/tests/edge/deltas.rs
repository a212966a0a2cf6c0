//! `upsert-v2`: text that grows travels as what is new of it.

use contract::{ItemStatus, ServerFrame, SessionId, UpsertObject};
use serde_json::{Value, json};
use testkit::{ClientView, Sample, SocketClient, TestServer};

use crate::thin_path::ndjson;

async fn opened(server: &TestServer, family: &str, session: &SessionId) -> SocketClient {
    server.opened(family, session).await.0
}

#[tokio::test]
async fn growth_is_told_as_a_suffix_and_everything_else_whole() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let mut socket = opened(&server, "upsert-v2", &session).await;
    let sample = Sample::new(&session, "t");
    let agent = &server.parts.agent;
    agent.emit(sample.message("m", ItemStatus::Create, "caf\u{e9} \u{1f600}")).await;
    let create = socket.receive_type("session:upsert").await;
    assert_eq!(create["payload"]["content"], "caf\u{e9} \u{1f600}");
    agent.emit(sample.message("m", ItemStatus::Update, "caf\u{e9} \u{1f600} more")).await;
    let grown = socket.receive_type("session:delta").await;
    let expected = json!({"type": "session:delta", "sessionId": session, "seq": 2, "itemId": "m",
        "status": "update", "offset": 7, "append": " more"});
    assert_eq!(grown, expected);
    agent.emit(sample.message("m", ItemStatus::Complete, "caf\u{e9} \u{1f600} more, done")).await;
    let done = socket.receive_type("session:delta").await;
    assert_eq!((&done["status"], &done["append"]), (&json!("complete"), &json!(", done")));
    assert_eq!(done["offset"], 12);
    assert!(done["emittedAt"].is_string(), "{done}");

    agent.emit(sample.message("r", ItemStatus::Create, "draft")).await;
    socket.receive_type("session:upsert").await;
    agent.emit(sample.message("r", ItemStatus::Update, "rewritten")).await;
    assert_eq!(socket.receive_type("session:upsert").await["payload"]["content"], "rewritten");
    agent.emit(sample.message("r", ItemStatus::Error, "rewritten")).await;
    assert_eq!(socket.receive_type("session:upsert").await["payload"]["status"], "error");
}

#[tokio::test]
async fn what_a_tool_gives_grows_by_suffixes_too() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let mut socket = opened(&server, "upsert-v2", &session).await;
    let tool = |output| UpsertObject {
        status: ItemStatus::Update,
        ..Sample::new(&session, "t").tool("c", ItemStatus::Update, Some(output))
    };
    server.parts.agent.emit(tool("line 1\n")).await;
    socket.receive_type("session:upsert").await;
    server.parts.agent.emit(tool("line 1\nline 2\n")).await;
    let grown = socket.receive_type("session:delta").await;
    assert_eq!((&grown["offset"], &grown["append"]), (&json!(7), &json!("line 2\n")));
}

#[tokio::test]
async fn growth_goes_on_from_the_history_that_a_connection_was_told() {
    let server = TestServer::start().await;
    let session = server.create_session("scripted").await;
    let sample = Sample::new(&session, "t");
    let mut early = opened(&server, "upsert-v2", &session).await;
    server.parts.agent.emit(sample.message("m", ItemStatus::Create, "one")).await;
    early.receive_type("session:upsert").await;
    let mut late = opened(&server, "upsert-v2", &session).await;
    server.parts.agent.emit(sample.message("m", ItemStatus::Update, "one two")).await;
    for socket in [&mut early, &mut late] {
        let grown = socket.receive_type("session:delta").await;
        assert_eq!((&grown["offset"], &grown["append"]), (&json!(3), &json!(" two")));
    }
    // Closed and opened again, without a place: the history is where it goes on from.
    late.send(&json!({"type": "session:close", "sessionId": session})).await;
    late.send(&json!({"type": "session:open", "sessionId": session})).await;
    assert_eq!(late.receive_type("session:history").await["entries"][0]["content"], "one two");
    server.parts.agent.emit(sample.message("m", ItemStatus::Complete, "one two three")).await;
    assert_eq!(late.receive_type("session:delta").await["offset"], 7);
}

/// An answer of 20,000 words in small pieces, from a source that does not wait.
fn long_answer(session: &SessionId) -> (String, Vec<u8>) {
    let words: Vec<String> = (0..20_000).map(|n| format!("word{} ", n % 997)).collect();
    let mut payloads = vec![
        json!({"type": "response_start", "modelId": "m", "providerId": "p"}),
        json!({"type": "item_start", "itemId": "answer", "itemType": "message"}),
    ];
    payloads.extend(words.chunks(3).map(
        |words| json!({"type": "item_delta", "itemId": "answer", "deltaContent": words.concat()}),
    ));
    let text = words.concat();
    payloads.push(json!({"type": "item_done", "itemId": "answer", "finalItem":
        {"type": "message", "content": text, "origin": "agent"}}));
    payloads.push(json!({"type": "response_done", "status": "completed"}));
    (text, ndjson(session, &payloads))
}

#[tokio::test]
async fn a_long_answer_costs_little_more_than_its_text() {
    let server = TestServer::start().await;
    let session = server.create_session("external").await;
    let mut sockets = [
        opened(&server, "upsert-v2", &session).await,
        opened(&server, "upsert-v1", &session).await,
    ];
    let (text, body) = long_answer(&session);
    let path = format!("/api/session/{session}/events");
    let client = server.client();
    let posting = client.request("POST", &path, &body);
    let reading = async {
        let mut bytes = [0; 2];
        for (socket, bytes) in sockets.iter_mut().zip(&mut bytes) {
            let mut view = ClientView::new(&session);
            loop {
                let frame = socket.receive_text().await;
                let message: Value = serde_json::from_str(&frame).unwrap();
                let frame_of: ServerFrame = serde_json::from_str(&frame).unwrap();
                view.apply(frame_of.message);
                match message["type"].as_str().unwrap() {
                    "session:upsert" | "session:delta" => *bytes += frame.len(),
                    "session:turn" if message["payload"]["type"] == "turn_complete" => break,
                    _ => {}
                }
            }
            assert!(view.mismatches.is_empty());
            assert!(view.items["answer"].content().unwrap() == text.as_str(), "the whole answer");
        }
        bytes
    };
    let (posted, [by_growth, whole]) = tokio::join!(posting, reading);
    assert_eq!(posted.status, 200, "{}", posted.text());
    assert!(by_growth * 2 <= text.len() * 3, "{by_growth} bytes for a text of {}", text.len());
    assert!(by_growth < whole, "{by_growth} bytes by growth, {whole} whole");
}
