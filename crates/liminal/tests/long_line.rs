//! F10: an agent that says 64 MiB in one line. Its tool call ends, cut where the line was, and the session lives.
#![cfg(test)]
#![cfg(unix)]

use std::path::Path;

use serde_json::{Value, json};
use testkit::ServerPlace;

const PROGRAM: &str = env!("CARGO_BIN_EXE_liminal");

/// Calls a tool whose output is one enormous line, and answers the second prompt in a few words.
const AGENT: &str = r#"
say() { printf '%s\n' "{\"jsonrpc\":\"2.0\",$1}"; }
update() { say "\"method\":\"session/update\",\"params\":{\"sessionId\":\"s\",\"update\":{$1}}"; }
read line; say '"id":0,"result":{"protocolVersion":1,"agentCapabilities":{}}'
read line; say '"id":1,"result":{"sessionId":"s"}'
read line
update '"sessionUpdate":"tool_call","toolCallId":"t1","title":"cat everything","kind":"execute","status":"in_progress"'
printf '%s' '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call_update","toolCallId":"t1","status":"completed","content":[{"type":"content","content":{"type":"text","text":"begin '
head -c 67108864 /dev/zero | tr '\0' x
printf '%s\n' '"}}]}}}'
say '"id":2,"result":{"stopReason":"end_turn"}'
read line
update '"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"still here"}'
say '"id":3,"result":{"stopReason":"end_turn"}'
read line
"#;

fn entry<'a>(history: &'a Value, kind: &str) -> Option<&'a Value> {
    history["entries"].as_array()?.iter().rev().find(|entry| entry["type"] == kind)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f10_a_line_of_64_mib_cuts_its_item_and_not_the_session() {
    let command = json!(["/bin/sh", "-c", AGENT]);
    let settings = format!("[agents.loud]\nprotocol = \"acp\"\ncommand = {command}\n");
    let place = ServerPlace::new(Path::new(PROGRAM), &settings);
    let server = place.start();
    let session = server.create(&place, "loud").await;
    server.send(&session, &json!({ "content": "go" })).await;
    assert_eq!(server.settled(&session).await, "idle");

    let history = server.history(&session).await;
    let tool = entry(&history, "tool_call").unwrap();
    assert_eq!(tool["status"], "complete");
    let bytes = tool["truncated"]["bytes"].as_u64().unwrap();
    assert!((8_000_000..9_000_000).contains(&bytes), "{bytes}");
    let item = tool["itemId"].as_str().unwrap();
    let whole = server.get(&format!("/api/session/{}/item/{item}", session.as_str())).await;
    let output = whole["toolOutput"].as_str().unwrap();
    assert!(output.starts_with("begin xxx"));
    assert!(output.ends_with("[cut here: the agent's line was longer than 8 MiB]"));

    server.send(&session, &json!({ "content": "are you there?" })).await;
    assert_eq!(server.settled(&session).await, "idle");
    let history = server.history(&session).await;
    assert_eq!(entry(&history, "message").unwrap()["content"], "still here");
    drop(server);
    place.nothing_runs().await;
}
