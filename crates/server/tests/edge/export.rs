//! A whole session as a file.

use contract::{ErrorCode, ItemStatus, SessionId};
use serde_json::{Value, json};
use testkit::{HttpResponse, Sample, TestServer};

use crate::thin_path::ndjson;

async fn export(server: &TestServer, session: &SessionId, query: &str) -> HttpResponse {
    server.client().get(&format!("/api/session/{session}/export{query}")).await
}

/// A session with a turn that went well and one that failed.
async fn told() -> (TestServer, SessionId) {
    let server = TestServer::start().await;
    let agent = server.parts.agent.clone();
    let session = server.create_session("scripted").await;
    let send = format!("/api/session/{session}/send");
    server.client().post_json(&send, &json!({"content": "list the files"})).await;
    let turn = Sample::new(&session, "turn-1");
    agent.emit_turn(turn.started()).await;
    agent.emit(turn.tool("turn-1:1:0", ItemStatus::Complete, Some("```\na.txt"))).await;
    agent.emit(turn.message("turn-1:1:1", ItemStatus::Complete, "There is *one*.")).await;
    agent.emit_turn(turn.completed()).await;
    server.client().post_json(&send, &json!({"content": "and now?"})).await;
    let turn = Sample::new(&session, "turn-2");
    agent.emit_turn(turn.started()).await;
    agent.emit(turn.message("turn-2:1:0", ItemStatus::Create, "Hm")).await;
    agent.emit_turn(turn.failed(ErrorCode::RESPONSE_ERROR)).await;
    server.client().get(&format!("/api/session/{session}/wait?timeoutMs=20000")).await;
    (server, session)
}

#[tokio::test]
async fn a_session_is_exported_as_a_text_to_be_read() {
    let (server, session) = told().await;
    let exported = export(&server, &session, "").await;
    assert_eq!(exported.status, 200);
    assert_eq!(exported.header("content-type"), Some("text/markdown; charset=utf-8"));
    let name = format!("attachment; filename=\"session-{session}.md\"");
    assert_eq!(exported.header("content-disposition"), Some(name.as_str()));
    let expected = format!(
        "# list the files\n\nSession `{session}` with `scripted`, begun 2026-02-15T12:00:00.000Z.\n\n\
         ## You\n\nlist the files\n\n\
         ### Bash\n\n```json\n{{}}\n```\n\n````text\n```\na.txt\n````\n\n\
         ## Agent\n\nThere is *one*.\n\n\
         ## You\n\nand now?\n\n\
         ## Agent\n\nHm\n\n*(ended early: INTERRUPTED)*\n\n\
         *The turn failed: RESPONSE_ERROR.*\n\n> it broke\n"
    );
    assert_eq!(exported.text(), expected);
}

#[tokio::test]
async fn a_session_is_exported_line_by_line_in_the_order_of_its_timeline() {
    let (server, session) = told().await;
    let exported = export(&server, &session, "?format=jsonl").await;
    assert_eq!(exported.header("content-type"), Some("application/x-ndjson"));
    let text = exported.text();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let kinds: Vec<_> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    let expected = [
        "session",
        "message",
        "turn_started",
        "tool_call",
        "message",
        "turn_complete",
        "message",
        "turn_started",
        "message",
        "turn_error",
    ];
    assert_eq!(kinds, expected);
    assert_eq!(
        (&lines[0]["sessionId"], &lines[0]["title"]),
        (&json!(session), &json!("list the files"))
    );
    let item = server.client().get(&format!("/api/session/{session}/item/turn-1:1:1")).await;
    assert_eq!(lines[4], item.json(), "items as the history tells them");
}

#[tokio::test]
async fn a_long_session_is_exported_whole() {
    let server = TestServer::start().await;
    let session = server.create_session("external").await;
    let path = format!("/api/session/{session}/events");
    let items: Vec<_> = (0..1000)
        .map(|n| {
            json!({"type": "item_done", "itemId": format!("i{n}"), "finalItem":
                {"type": "message", "content": format!("{n}:{}", "x".repeat(3000)), "origin": "agent"}})
        })
        .collect();
    assert_eq!(server.client().request("POST", &path, &ndjson(&session, &items)).await.status, 200);
    let text = export(&server, &session, "?format=jsonl").await.text();
    let ids: Vec<String> = text
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["itemId"].as_str().unwrap().into())
        .collect();
    assert_eq!(ids, (0..1000).map(|n| format!("i{n}")).collect::<Vec<_>>());
}

#[tokio::test]
async fn what_cannot_be_exported_is_refused_before_anything_is_written() {
    let server = TestServer::start().await;
    let session = server.create_session("external").await;
    let odd = export(&server, &session, "?format=pdf").await;
    assert_eq!(odd.error(), (400, "INVALID_REQUEST".into()));
    let unknown = export(&server, &"nobody".into(), "").await;
    assert_eq!(unknown.error(), (404, "SESSION_NOT_FOUND".into()));
    let empty = export(&server, &session, "?format=jsonl").await;
    assert_eq!(empty.text().lines().count(), 1, "what the session is");
}
