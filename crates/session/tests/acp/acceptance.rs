//! Area 4 of the acceptance list, and the Codex provider's part of area 2.

use std::time::Duration;

use contract::{ItemStatus, SessionId, UpsertBody};
use serde_json::json;
use session::provider::{CliProvider, CreateSession, LoadSession};
use testkit::scripted_acp::AGENT_SESSION;

use crate::bench::{Bench, tool};

#[tokio::test(start_paused = true)]
async fn tc_2_1c_the_codex_provider_is_a_provider() {
    let bench = Bench::new();
    let provider: &dyn CliProvider = &*bench.provider;
    assert_eq!(*provider.cli_type(), "codex");
    let session = bench.create().await;
    let capabilities = provider.capabilities();
    assert!(capabilities.send && capabilities.resume && capabilities.images);
    assert!(!capabilities.steer, "the protocol cannot fold a message into a turn");
    assert!(provider.is_alive(&session));
    assert!(provider.options(&session).is_some());
    provider.cancel_turn(&session, None).await.unwrap();
    provider.kill_session(&session).await.unwrap();
    assert!(!provider.is_alive(&session));
}

#[tokio::test(start_paused = true)]
async fn tc_4_1a_create_opens_a_session_in_the_directory_and_listens_at_once() {
    let bench = Bench::new();
    bench.listen(&SessionId::from("session-1"));
    let options = CreateSession { project_dir: "/project".to_owned(), ..CreateSession::default() };
    let created = bench.provider.create_session(options).await.unwrap();
    assert_eq!((created.session_id.as_str(), created.cli_type.as_str()), ("session-1", "codex"));
    let request = bench.agent.next("session/new").await;
    assert_eq!(request["params"], json!({ "cwd": "/project", "mcpServers": [] }));
    bench.agent.message_chunk("I am here.").await;
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(
        bench.items(),
        ["turn-1:1:0 Create \"I am here.\"", "turn-1:1:0 Complete \"I am here.\""],
        "also what nobody asked for is heard"
    );
    assert_eq!(bench.turns(), ["turn-1 started", "turn-1 Completed"]);
}

#[tokio::test(start_paused = true)]
async fn tc_4_1b_loading_an_unknown_session_replays_its_history() {
    let bench = Bench::new();
    bench.agent.be_silent();
    let session = SessionId::from(AGENT_SESSION);
    bench.listen(&session);
    let provider = bench.provider.clone();
    let options = LoadSession {
        view_file_path: Some("/elsewhere/src/view.md".to_owned()),
        ..LoadSession::default()
    };
    let loaded = {
        let session = session.clone();
        #[expect(clippy::disallowed_methods, reason = "the test waits for it")]
        tokio::spawn(async move { provider.load_session(&session, options).await })
    };
    while bench.agent.connects().is_empty() {
        tokio::task::yield_now().await;
    }
    let hello = bench.agent.next("initialize").await;
    let told = json!({ "protocolVersion": 1, "agentCapabilities": { "loadSession": true } });
    bench.agent.answer(&hello, told).await;
    let load = bench.agent.next("session/load").await;
    assert_eq!(
        load["params"],
        json!({ "sessionId": AGENT_SESSION, "cwd": "/elsewhere/src", "mcpServers": [] })
    );
    let text = |text| json!({ "type": "text", "text": text });
    let user = |words| json!({ "sessionUpdate": "user_message_chunk", "content": text(words) });
    bench.agent.update(user("first")).await;
    bench.agent.message_chunk("one").await;
    bench.agent.update(user("second")).await;
    bench.agent.message_chunk("two").await;
    bench.agent.answer(&load, json!({})).await;
    loaded.await.unwrap().unwrap();
    assert_eq!(
        bench.items(),
        [
            "turn-1:0:0 Complete \"first\"",
            "turn-1:1:0 Create \"one\"",
            "turn-1:1:0 Complete \"one\"",
            "turn-2:0:0 Complete \"second\"",
            "turn-2:1:0 Create \"two\"",
            "turn-2:1:0 Complete \"two\"",
        ]
    );
    let turns = ["turn-1 started", "turn-1 Completed", "turn-2 started", "turn-2 Completed"];
    assert_eq!(bench.turns(), turns);
    drop(bench.send(&session, "go on"));
    let prompt = bench.agent.next("session/prompt").await;
    assert_eq!(prompt["params"]["sessionId"], AGENT_SESSION);
    bench.agent.message_chunk("three").await;
    bench.agent.end_turn(&prompt, "end_turn").await;
    bench.settle().await;
    assert_eq!(bench.items().last().unwrap(), "turn-3:1:0 Complete \"three\"", "it goes on");
}

#[tokio::test(start_paused = true)]
async fn tc_4_1c_a_send_returns_with_the_first_update_and_not_with_the_result() {
    let bench = Bench::new();
    let session = bench.create().await;
    let sent = bench.send(&session, "hello");
    let prompt = bench.agent.next("session/prompt").await;
    let text = json!([{ "type": "text", "text": "hello" }]);
    assert_eq!(prompt["params"], json!({ "sessionId": AGENT_SESSION, "prompt": text }));
    bench.settle().await;
    let commands = json!({ "sessionUpdate": "available_commands_update", "availableCommands": [] });
    bench.agent.update(commands).await;
    bench.settle().await;
    assert!(!sent.is_finished(), "before the agent works on it");
    bench.agent.message_chunk("Hi").await;
    assert_eq!(sent.await.unwrap().unwrap(), "turn-1");
    assert_eq!(bench.turns(), ["turn-1 started"], "its result is still to come");
    bench.agent.end_turn(&prompt, "end_turn").await;
    bench.settle().await;
    assert_eq!(bench.turns(), ["turn-1 started", "turn-1 Completed"]);
}

#[tokio::test(start_paused = true)]
async fn tc_4_2a_chunks_become_one_message_that_grows() {
    let bench = Bench::new();
    let (_, prompt) = bench.prompted().await;
    bench.agent.message_chunk("Hello").await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    bench.agent.message_chunk(" world").await;
    tokio::time::sleep(Duration::from_millis(250)).await;
    bench.agent.end_turn(&prompt, "end_turn").await;
    bench.settle().await;
    assert_eq!(
        bench.items(),
        [
            "turn-1:1:0 Create \"Hello\"",
            "turn-1:1:0 Update \"Hello world\"",
            "turn-1:1:0 Complete \"Hello world\"",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn tc_4_2a_without_time_between_a_message_is_created_and_completed() {
    let bench = Bench::new();
    let (_, prompt) = bench.prompted().await;
    bench.agent.message_chunk("Hello").await;
    bench.agent.message_chunk(" world").await;
    bench.agent.end_turn(&prompt, "end_turn").await;
    bench.settle().await;
    assert_eq!(
        bench.items(),
        ["turn-1:1:0 Create \"Hello world\"", "turn-1:1:0 Complete \"Hello world\""]
    );
}

#[tokio::test(start_paused = true)]
async fn tc_4_2b_a_tool_call_is_created_whatever_its_arguments() {
    let bench = Bench::new();
    let (_, _prompt) = bench.prompted().await;
    for (call, input) in [
        ("call-1", json!({ "command": "ls" })),
        ("call-2", json!("{\"command\": \"ls\"}")),
        ("call-3", json!("{broken")),
        ("call-4", json!(null)),
    ] {
        let update = json!({
            "sessionUpdate": "tool_call", "toolCallId": call, "title": "List files",
            "kind": "search", "status": "pending", "rawInput": input,
        });
        bench.agent.update(update).await;
    }
    bench.settle().await;
    let upserts = bench.upserts();
    let told: Vec<_> = upserts.iter().map(|upsert| (upsert.status, tool(upsert))).collect();
    assert_eq!(told.len(), 4);
    for (status, tool) in &told {
        assert_eq!((*status, tool.tool_name.as_str()), (ItemStatus::Create, "List files"));
        assert_eq!(tool.tool_output, None);
    }
    let arguments: Vec<_> =
        told.iter().map(|(_, tool)| serde_json::to_value(&tool.tool_arguments).unwrap()).collect();
    let expected = [
        json!({ "command": "ls" }),
        json!({ "command": "ls" }),
        json!({ "input": "{broken" }),
        json!({}),
    ];
    assert_eq!(arguments, expected);
    let calls: Vec<_> = told.iter().map(|(_, tool)| tool.call_id.as_str()).collect();
    assert_eq!(calls, ["call-1", "call-2", "call-3", "call-4"]);
}

#[tokio::test(start_paused = true)]
async fn tc_4_2c_a_completed_update_completes_its_call_with_the_text() {
    let bench = Bench::new();
    let (_, _prompt) = bench.prompted().await;
    let call = json!({
        "sessionUpdate": "tool_call", "toolCallId": "call-1", "title": "Read", "status": "pending",
    });
    bench.agent.update(call).await;
    let text = |text| json!({ "type": "content", "content": { "type": "text", "text": text } });
    let done = json!({
        "sessionUpdate": "tool_call_update", "toolCallId": "call-1", "status": "completed",
        "content": [text("one"), text("two")],
    });
    bench.agent.update(done).await;
    bench.settle().await;
    let last = bench.upserts().last().unwrap().clone();
    assert_eq!((last.status, last.item_id.as_str()), (ItemStatus::Complete, "turn-1:1:0"));
    let UpsertBody::ToolCall(tool) = &last.body else { panic!("a tool call") };
    assert_eq!(tool.call_id, "call-1");
    assert_eq!(tool.tool_output.as_ref().unwrap(), "one\ntwo");
    assert_eq!(tool.tool_output_is_error, None);
}
