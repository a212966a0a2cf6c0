//! Area 3 of the acceptance list, and the Claude provider's part of area 2.

use contract::{ItemStatus, SessionId, TurnEventKind, TurnStatus, UpsertBody};
use serde_json::json;
use session::provider::{CliProvider, CreateSession, LoadSession, ProviderErrorCode};

use crate::bench::{
    Bench, Emitted, arguments, block_start, block_stop, message_start, result, stop, text, tool,
};

#[tokio::test(start_paused = true)]
async fn tc_2_1b_the_claude_provider_is_a_provider() {
    let bench = Bench::new();
    let provider: &dyn CliProvider = &*bench.provider;
    assert_eq!(*provider.cli_type(), "claude-code");
    let capabilities = provider.capabilities();
    assert!(capabilities.send && capabilities.steer && capabilities.resume && capabilities.images);
    let session = bench.create().await;
    assert!(provider.is_alive(&session));
    assert!(provider.options(&session).is_some());
    provider.cancel_turn(&session, None).await.unwrap();
    provider.kill_session(&session).await.unwrap();
    assert!(!provider.is_alive(&session));
}

#[tokio::test(start_paused = true)]
async fn tc_3_1a_create_makes_one_query_and_the_process_lives_on() {
    let bench = Bench::new();
    let options = CreateSession { project_dir: "/project".to_owned(), ..CreateSession::default() };
    let created = bench.provider.create_session(options).await.unwrap();
    assert_eq!(created.session_id, "session-1");
    assert_eq!(created.cli_type, "claude-code");
    let loaded =
        bench.provider.load_session(&created.session_id, LoadSession::default()).await.unwrap();
    assert_eq!(loaded, created);
    let queries = bench.agent.queries();
    assert_eq!(queries.len(), 1, "loading it again starts nothing");
    assert_eq!(queries[0].cwd, "/project");
    assert_eq!(queries[0].resume_session_id, None);
    assert!(bench.provider.is_alive(&created.session_id));
}

#[tokio::test(start_paused = true)]
async fn tc_3_1b_loading_a_session_that_is_not_in_memory_resumes_it() {
    let bench = Bench::new();
    let session = SessionId::from("earlier");
    let options = LoadSession {
        project_dir: None,
        view_file_path: Some("/elsewhere/src/view.md".to_owned()),
        ..LoadSession::default()
    };
    bench.provider.load_session(&session, options).await.unwrap();
    bench.listen(&session);
    let queries = bench.agent.queries();
    assert_eq!(queries.len(), 1);
    assert_eq!(queries[0].resume_session_id.as_deref(), Some("earlier"));
    assert_eq!(queries[0].cwd, "/elsewhere/src");
    let sent = bench.send(&session, "go on");
    assert_eq!(bench.agent.message().await.content, "go on");
    bench.agent.say(message_start()).await;
    assert_eq!(sent.await.unwrap().unwrap(), "turn-1");
}

#[tokio::test(start_paused = true)]
async fn tc_3_1c_a_rejected_query_fails_create_and_leaves_nothing() {
    let bench = Bench::new();
    bench.agent.fail_next("no such program");
    let options = CreateSession { session_id: Some("one".into()), ..CreateSession::default() };
    let error = bench.provider.create_session(options).await.unwrap_err();
    assert_eq!(error.code, ProviderErrorCode::SessionCreateFailed);
    assert!(error.message.contains("no such program"));
    let session = SessionId::from("one");
    assert!(!bench.provider.is_alive(&session));
    let error = bench.send(&session, "hello").await.unwrap().unwrap_err();
    assert_eq!(error.code, ProviderErrorCode::SessionNotFound, "nothing is stored");
}

#[tokio::test(start_paused = true)]
async fn tc_3_2a_send_feeds_the_running_query_and_returns_when_the_turn_has_begun() {
    let bench = Bench::new();
    let session = bench.create().await;
    let sent = bench.send(&session, "hello");
    let message = bench.agent.message().await;
    assert_eq!((message.content.as_str(), message.turn_id.as_str()), ("hello", "turn-1"));
    bench.settle().await;
    assert!(!sent.is_finished(), "the turn has not begun");
    bench.agent.say(message_start()).await;
    assert_eq!(sent.await.unwrap().unwrap(), "turn-1");
    assert!(bench.ends().is_empty(), "and it has not ended");
    assert_eq!(bench.agent.queries().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn tc_3_2b_two_sends_reach_the_same_process_in_order() {
    let bench = Bench::new();
    let session = bench.create().await;
    let first = bench.send(&session, "one");
    bench.settle().await;
    let second = bench.send(&session, "two");
    assert_eq!(bench.agent.message().await.content, "one");
    bench.agent.say(message_start()).await;
    bench.agent.say_all(stop("end_turn")).await;
    assert_eq!(bench.agent.message().await.content, "two");
    bench.agent.say(message_start()).await;
    bench.agent.say_all(stop("end_turn")).await;
    assert_eq!(first.await.unwrap().unwrap(), "turn-1");
    assert_eq!(second.await.unwrap().unwrap(), "turn-2");
    bench.settle().await;
    let order: Vec<_> =
        bench.turns().iter().map(|event| event.turn_id.as_str().to_owned()).collect();
    assert_eq!(order, ["turn-1", "turn-1", "turn-2", "turn-2"]);
    assert_eq!(bench.agent.queries().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn tc_3_2c_a_send_to_a_dead_process_fails() {
    let bench = Bench::new();
    let session = bench.create().await;
    bench.agent.die("exited with code 1");
    bench.settle().await;
    assert!(!bench.provider.is_alive(&session));
    let error = bench.send(&session, "hello").await.unwrap().unwrap_err();
    assert_eq!(error.code, ProviderErrorCode::ProcessCrash);
}

#[tokio::test(start_paused = true)]
async fn tc_3_3a_a_text_block_becomes_a_growing_message() {
    let bench = Bench::new();
    bench.sent().await;
    bench.agent.say(message_start()).await;
    bench.agent.say(block_start(0, &json!({ "type": "text", "text": "" }))).await;
    bench.agent.say(text(0, "Hello")).await;
    bench.settle().await;
    bench.agent.say(text(0, " world")).await;
    bench.settle().await;
    bench.agent.say(block_stop(0)).await;
    bench.agent.say_all(stop("end_turn")).await;
    bench.settle().await;
    let emitted = bench.emitted();
    let [Emitted::Turn(first), .., Emitted::Turn(last)] = emitted.as_slice() else {
        panic!("the turn is around everything: {emitted:?}")
    };
    assert!(
        matches!(&first.kind, TurnEventKind::TurnStarted { model_id, .. } if *model_id == "claude-x")
    );
    assert_eq!((first.turn_id.as_str(), first.session_id.as_str()), ("turn-1", "session-1"));
    let TurnEventKind::TurnComplete { status: TurnStatus::Completed, usage: Some(usage) } =
        &last.kind
    else {
        panic!("{last:?}")
    };
    assert_eq!((usage.input_tokens, usage.output_tokens), (10, 5));
    let upserts = bench.upserts();
    let states: Vec<_> = upserts
        .iter()
        .map(|upsert| (upsert.status, upsert.content().unwrap().to_string()))
        .collect();
    assert_eq!(
        states,
        [
            (ItemStatus::Create, "Hello".to_owned()),
            (ItemStatus::Update, "Hello world".to_owned()),
            (ItemStatus::Complete, "Hello world".to_owned()),
        ]
    );
    assert!(upserts.iter().all(|upsert| upsert.item_id == "turn-1:1:0"));
    let origin = |body: &UpsertBody| {
        matches!(body, UpsertBody::Message { origin: contract::MessageOrigin::Agent, .. })
    };
    assert!(upserts.iter().all(|upsert| origin(&upsert.body)));
}

#[tokio::test(start_paused = true)]
async fn tc_3_3b_a_tool_use_becomes_a_tool_call_with_parsed_arguments() {
    for (json, parsed) in [
        (r#"{"path":"src/a.ts"}"#, json!({ "path": "src/a.ts" })),
        (r#"{"path":"#, json!({})),
        ("[1,2]", json!({})),
        ("", json!({})),
    ] {
        let bench = Bench::new();
        bench.sent().await;
        bench.agent.say(message_start()).await;
        let block =
            json!({ "type": "tool_use", "id": "toolu-1", "name": "read_file", "input": {} });
        bench.agent.say(block_start(0, &block)).await;
        bench.agent.say(arguments(0, json)).await;
        bench.agent.say(block_stop(0)).await;
        bench.settle().await;
        let upserts = bench.upserts();
        assert_eq!(upserts.len(), 2, "{upserts:?}");
        assert_eq!(
            (upserts[0].status, upserts[1].status),
            (ItemStatus::Create, ItemStatus::Complete)
        );
        for upsert in &upserts {
            assert_eq!(upsert.item_id, "turn-1:1:0");
            let call = tool(upsert);
            assert_eq!((call.tool_name.as_str(), call.call_id.as_str()), ("read_file", "toolu-1"));
            assert!(call.tool_output.is_none());
        }
        assert_eq!(serde_json::to_value(&tool(&upserts[1]).tool_arguments).unwrap(), parsed);
    }
}

#[tokio::test(start_paused = true)]
async fn tc_3_3c_a_tool_result_completes_the_call_with_its_output() {
    let bench = Bench::new();
    bench.sent().await;
    bench.agent.say(message_start()).await;
    bench.agent.say(result("toolu-1", r#"{"ok":true}"#, false)).await;
    bench.agent.say_all(stop("end_turn")).await;
    bench.settle().await;
    let upserts = bench.upserts();
    assert_eq!(upserts.len(), 1);
    assert_eq!(upserts[0].status, ItemStatus::Complete);
    let call = tool(&upserts[0]);
    assert_eq!(call.call_id, "toolu-1");
    assert_eq!(call.tool_output.as_ref().unwrap().to_string(), r#"{"ok":true}"#);
    assert_eq!(call.tool_output_is_error, Some(false));
}

#[tokio::test(start_paused = true)]
async fn tc_3_3d_a_thinking_block_becomes_a_thinking_item() {
    let bench = Bench::new();
    bench.sent().await;
    bench.agent.say(message_start()).await;
    bench.agent.say(block_start(0, &json!({ "type": "thinking", "thinking": "" }))).await;
    let delta = json!({ "type": "thinking_delta", "thinking": "Plan first." });
    bench.agent.say(json!({ "type": "content_block_delta", "index": 0, "delta": delta })).await;
    bench.agent.say(block_stop(0)).await;
    bench.agent.say_all(stop("end_turn")).await;
    bench.settle().await;
    let upserts = bench.upserts();
    let statuses: Vec<_> = upserts.iter().map(|upsert| upsert.status).collect();
    assert_eq!(statuses, [ItemStatus::Create, ItemStatus::Complete]);
    for upsert in &upserts {
        let UpsertBody::Thinking { content, provider_id } = &upsert.body else {
            panic!("{upsert:?}")
        };
        assert_eq!(*provider_id, "claude-code");
        assert_eq!(content.to_string(), "Plan first.");
    }
}

#[tokio::test(start_paused = true)]
async fn tc_3_3e_interleaved_blocks_are_kept_apart_by_their_index() {
    let bench = Bench::new();
    bench.sent().await;
    bench.agent.say(message_start()).await;
    bench.agent.say(block_start(0, &json!({ "type": "text" }))).await;
    let block = json!({ "type": "tool_use", "id": "toolu-1", "name": "read_file" });
    bench.agent.say(block_start(1, &block)).await;
    bench.agent.say(text(0, "Looking ")).await;
    bench.agent.say(arguments(1, r#"{"path":"#)).await;
    bench.agent.say(text(0, "now.")).await;
    bench.agent.say(arguments(1, r#""a.ts"}"#)).await;
    bench.agent.say_all([block_stop(1), block_stop(0)]).await;
    bench.agent.say_all(stop("end_turn")).await;
    bench.settle().await;
    let upserts = bench.upserts();
    let ids: std::collections::BTreeSet<_> =
        upserts.iter().map(|upsert| upsert.item_id.as_str().to_owned()).collect();
    assert_eq!(ids.into_iter().collect::<Vec<_>>(), ["turn-1:1:0", "turn-1:1:1"]);
    for upsert in &upserts {
        let is_tool = matches!(upsert.body, UpsertBody::ToolCall(_));
        assert_eq!(is_tool, upsert.item_id == "turn-1:1:1");
    }
    let text = upserts.iter().rev().find_map(|upsert| upsert.content()).unwrap();
    assert_eq!(text.to_string(), "Looking now.");
}

#[tokio::test(start_paused = true)]
async fn tc_3_3f_a_turn_starts_first_and_ends_exactly_once() {
    for (reason, expected) in
        [("end_turn", "completed"), ("max_tokens", "cancelled"), ("error", "failed")]
    {
        let bench = Bench::new();
        bench.sent().await;
        bench.agent.say(message_start()).await;
        bench.agent.say(block_start(0, &json!({ "type": "text" }))).await;
        bench.agent.say(text(0, "Hello")).await;
        bench.agent.say(block_stop(0)).await;
        bench.agent.say_all(stop(reason)).await;
        bench.agent.say_all(stop(reason)).await;
        bench.settle().await;
        assert!(matches!(&bench.emitted()[0], Emitted::Turn(event) if !event.kind.is_terminal()));
        let ends = bench.ends();
        assert_eq!(ends.len(), 1, "{ends:?}");
        let end = match &ends[0] {
            TurnEventKind::TurnComplete { status: TurnStatus::Completed, .. } => "completed",
            TurnEventKind::TurnComplete { status: TurnStatus::Cancelled, .. } => "cancelled",
            TurnEventKind::TurnError { error_code, error_message, .. } => {
                assert_eq!(error_code.as_str(), "PROCESS_CRASH");
                assert_eq!(error_message, "Claude SDK reported stopReason=error");
                "failed"
            }
            other => panic!("{other:?}"),
        };
        assert_eq!(end, expected);
    }
}

#[tokio::test(start_paused = true)]
async fn tc_3_3g_a_result_for_an_unknown_call_is_shown() {
    let bench = Bench::new();
    bench.sent().await;
    bench.agent.say(message_start()).await;
    bench.agent.say(result("toolu-unknown", "gone", true)).await;
    bench.settle().await;
    let upserts = bench.upserts();
    assert_eq!(upserts.len(), 1);
    assert_eq!(upserts[0].item_id, "turn-1:1:tool:toolu-unknown");
    let call = tool(&upserts[0]);
    assert_eq!((call.tool_name.as_str(), call.call_id.as_str()), ("unknown_tool", "toolu-unknown"));
    assert_eq!(serde_json::to_value(&call.tool_arguments).unwrap(), json!({}));
    assert_eq!(call.tool_output_is_error, Some(true));
}

#[tokio::test(start_paused = true)]
async fn tc_3_4a_cancel_interrupts_once_and_the_turn_ends_as_cancelled() {
    let bench = Bench::new();
    let session = bench.sent().await;
    bench.agent.say(message_start()).await;
    bench.settle().await;
    bench.provider.cancel_turn(&session, Some(&"turn-1".into())).await.unwrap();
    assert_eq!(bench.agent.interrupts(), 1);
    bench.agent.say_all(stop("cancelled")).await;
    bench.settle().await;
    let ends = bench.ends();
    assert!(matches!(
        ends.as_slice(),
        [TurnEventKind::TurnComplete { status: TurnStatus::Cancelled, .. }]
    ));
    assert_eq!(bench.agent.interrupts(), 1);
}

#[tokio::test(start_paused = true)]
async fn tc_3_4b_kill_closes_the_process_once() {
    let bench = Bench::new();
    let session = bench.create().await;
    bench.provider.kill_session(&session).await.unwrap();
    assert_eq!(bench.agent.closes(), 1);
    assert!(!bench.provider.is_alive(&session));
    bench.provider.kill_session(&session).await.unwrap();
    assert_eq!(bench.agent.closes(), 1);
}

#[tokio::test(start_paused = true)]
async fn tc_3_4c_is_alive_until_it_is_killed() {
    let bench = Bench::new();
    let session = bench.create().await;
    assert!(bench.provider.is_alive(&session));
    bench.provider.kill_session(&session).await.unwrap();
    assert!(!bench.provider.is_alive(&session));
}

#[tokio::test(start_paused = true)]
async fn a_tool_use_keeps_the_turn_open_for_the_message_after_its_result() {
    let bench = Bench::new();
    bench.sent().await;
    bench.agent.say(message_start()).await;
    bench.agent.say_all(stop("tool_use")).await;
    bench.agent.say(result("toolu-1", "out", false)).await;
    bench.agent.say(message_start()).await;
    bench.settle().await;
    assert!(bench.ends().is_empty());
    bench.agent.say_all(stop("end_turn")).await;
    bench.settle().await;
    assert_eq!(bench.turns().len(), 2, "one turn");
}

#[tokio::test(start_paused = true)]
async fn a_stream_that_ends_after_a_tool_use_completes_its_turn() {
    let bench = Bench::new();
    bench.sent().await;
    bench.agent.say(message_start()).await;
    bench.agent.say_all(stop("tool_use")).await;
    bench.settle().await;
    bench.agent.die("done");
    bench.settle().await;
    let ends = bench.ends();
    assert!(matches!(
        ends.as_slice(),
        [TurnEventKind::TurnComplete { status: TurnStatus::Completed, .. }]
    ));
}

#[tokio::test(start_paused = true)]
async fn a_message_that_nobody_asked_for_is_a_protocol_error_and_is_skipped() {
    let bench = Bench::new();
    let session = bench.create().await;
    bench.agent.say(message_start()).await;
    bench.agent.say(block_start(0, &json!({ "type": "text" }))).await;
    bench.agent.say(text(0, "unasked")).await;
    bench.agent.say_all(stop("end_turn")).await;
    bench.settle().await;
    let turns = bench.turns();
    assert_eq!(turns.len(), 1);
    assert_eq!(turns[0].turn_id, "unknown-turn");
    let TurnEventKind::TurnError { error_code, error_message, .. } = &turns[0].kind else {
        panic!()
    };
    assert_eq!(error_code.as_str(), "PROTOCOL_ERROR");
    assert_eq!(error_message, "message_start with no pending turn");
    assert!(bench.upserts().is_empty());
    drop(bench.send(&session, "now"));
    bench.agent.message().await;
    bench.agent.say(message_start()).await;
    bench.agent.say_all(stop("end_turn")).await;
    bench.settle().await;
    assert_eq!(bench.turns().last().unwrap().turn_id, "turn-1", "the next one is right again");
}
