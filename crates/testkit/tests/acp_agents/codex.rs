//! codex-acp and the stand-in for OpenAI's Responses API.

use std::fs;

use serde_json::json;
use testkit::agents::codex_acp;
use testkit::responses_api::{Gate, ResponsesApi, ResponsesReply, ResponsesRequestKind};
use testkit::{AgentHome, CodexHome};

use crate::agent::Agent;

const PATCH: &str = "*** Begin Patch\n*** Update File: notes\n@@\n-old\n+new\n*** End Patch\n";

async fn start(home: &AgentHome) -> Agent<'_> {
    Agent::start(&[codex_acp().into()], home).await
}

#[tokio::test]
async fn two_thousand_words_of_the_model_are_told_in_full() {
    let api = ResponsesApi::with_replies([ResponsesReply::words(2_000).usage(300, 40)]).await;
    let home = CodexHome::new(&api);
    let mut codex = start(&home).await;
    let turn = codex.turn("Talk.").await;
    assert_eq!(turn.stop_reason(), "end_turn");
    assert_eq!(turn.text().split(' ').count(), 2_000);
    assert!(turn.text().ends_with("word1999 word2000"));
    assert_eq!(turn.of_kind("agent_message_chunk").len(), 500);
    assert_eq!(turn.of_kind("usage_update").last().unwrap()["used"], 340);
    codex.kill();

    let asked = &api.turns()[0];
    assert_eq!((asked.last_user_text().as_str(), asked.model()), ("Talk.", "gpt-5.4"));
    for tool in ["exec_command", "apply_patch", "update_plan"] {
        assert!(asked.tools().contains(&tool), "{tool} in {:?}", asked.tools());
    }
    assert_eq!(api.requests().len(), 1, "it asks nothing on the side");
}

#[tokio::test]
async fn a_reasoning_summary_is_told_as_thoughts_before_the_text() {
    let reply = ResponsesReply::reasoning("**Looking** for it").then_text("Here.");
    let api = ResponsesApi::with_replies([reply]).await;
    let home = CodexHome::new(&api);
    let mut codex = start(&home).await;
    let turn = codex.turn("Where?").await;
    assert_eq!((turn.thoughts().trim(), turn.text().as_str()), ("**Looking** for it", "Here."));
    let kinds: Vec<_> = turn.updates.iter().map(|update| &update["sessionUpdate"]).collect();
    let place = |kind: &str| kinds.iter().position(|found| *found == kind).unwrap();
    assert!(place("agent_thought_chunk") < place("agent_message_chunk"));
    codex.kill();
}

#[tokio::test]
async fn commands_of_one_answer_are_asked_for_and_run() {
    let calls = ResponsesReply::shell("echo one > first").then_shell("echo two > second; exit 3");
    let api = ResponsesApi::with_replies([calls, ResponsesReply::text("Done.")]).await;
    let home = CodexHome::new(&api);
    let mut codex = start(&home).await;
    let turn = codex.turn("Run.").await;
    assert_eq!((turn.stop_reason(), turn.text().as_str()), ("end_turn", "Done."));
    assert_eq!(turn.permissions.len(), 2);
    assert_eq!(turn.options(0), ["approved", "approved-execpolicy-amendment", "abort"]);
    let calls = turn.of_kind("tool_call");
    assert_eq!(calls.len(), 2);
    let mut ends: Vec<_> = calls.iter().map(|call| turn.last_status(&call["toolCallId"])).collect();
    ends.sort_unstable();
    assert_eq!(ends, [Some("completed"), Some("failed")]);
    assert_eq!(fs::read_to_string(home.project().join("first")).unwrap(), "one\n");
    let outputs = api.turns()[1].last_tool_outputs();
    assert_eq!(outputs.len(), 2);
    assert!(outputs[1].1.contains("exited with code 3"), "{outputs:?}");
    codex.kill();
}

#[tokio::test]
async fn a_patch_is_asked_for_with_its_diff_and_applied() {
    let replies = [ResponsesReply::patch(PATCH), ResponsesReply::text("Patched.")];
    let api = ResponsesApi::with_replies(replies).await;
    let home = CodexHome::new(&api);
    let notes = home.project().join("notes");
    fs::write(&notes, "old\n").unwrap();
    let mut codex = start(&home).await;
    let turn = codex.turn("Edit.").await;
    assert_eq!(turn.text(), "Patched.");
    assert_eq!(turn.options(0), ["approved", "abort"]);
    let call = turn.of_kind("tool_call")[0];
    let diff = json!({"type": "diff", "path": notes, "oldText": "old\n", "newText": "new\n"});
    assert_eq!((&call["kind"], &call["content"][0]), (&"edit".into(), &diff));
    assert_eq!(turn.last_status(&call["toolCallId"]), Some("completed"));
    assert_eq!(fs::read_to_string(notes).unwrap(), "new\n");
    codex.kill();
}

#[tokio::test]
async fn a_plan_is_told_without_a_tool_call() {
    let plan = ResponsesReply::plan(&[("look", "completed"), ("leap", "in_progress")]);
    let api = ResponsesApi::with_replies([plan, ResponsesReply::text("Planned.")]).await;
    let home = CodexHome::new(&api);
    let mut codex = start(&home).await;
    let turn = codex.turn("Plan.").await;
    let entry = |text, status| json!({"content": text, "priority": "medium", "status": status});
    let entries = json!([entry("look", "completed"), entry("leap", "in_progress")]);
    assert_eq!(turn.of_kind("plan")[0]["entries"], entries);
    assert!(turn.of_kind("tool_call").is_empty());
    codex.kill();
}

#[tokio::test]
async fn a_cancel_reaches_a_model_that_fell_silent() {
    let gate = Gate::new();
    let held = ResponsesReply::words(8).words_per_delta(1).hold_after(2, &gate);
    let api = ResponsesApi::with_replies([held, ResponsesReply::text("Again.")]).await;
    let home = CodexHome::new(&api);
    let mut codex = start(&home).await;
    let turn = codex.cancelled_turn("Talk.").await;
    assert_eq!(turn.stop_reason(), "cancelled");
    assert!("word1 word2 ".starts_with(&turn.text()), "{}", turn.text());
    assert_eq!(codex.turn("And?").await.text(), "Again.");
    codex.kill();
}

#[tokio::test]
async fn errors_of_the_api_end_the_turn_with_their_words() {
    let failed = ResponsesReply::words(8).failed_after(1, "server_error", "out of it");
    let replies = [
        (ResponsesReply::status(400, "invalid_request_error").error_message("bad"), "bad"),
        (
            ResponsesReply::status(401, "invalid_api_key").error_message("who?"),
            "401 Unauthorized: who?",
        ),
        (ResponsesReply::status(429, "rate_limit_exceeded"), "429"),
        (ResponsesReply::status(500, "server_error"), "high demand"),
        (failed, "out of it"),
        (ResponsesReply::words(8).cut_after(1), "stream disconnected"),
    ];
    for (reply, words) in replies {
        let api = ResponsesApi::with_replies([reply]).await;
        let home = CodexHome::new(&api);
        let mut codex = start(&home).await;
        let turn = codex.turn("Hello?").await;
        let error = &turn.response["error"];
        assert_eq!(error["code"], -32603, "{}", turn.response);
        let message = error["data"]["message"].as_str().unwrap();
        assert!(message.contains(words), "{message}");
        assert_eq!(api.turns().len(), 1);
        codex.kill();
    }
}

#[tokio::test]
async fn a_stream_that_was_cut_is_asked_for_again_and_its_text_repeated() {
    let cut = ResponsesReply::words(2).words_per_delta(1).cut_after(1);
    let api = ResponsesApi::with_replies([cut, ResponsesReply::words(2)]).await;
    let home = CodexHome::with_settings(&api, "untrusted", "danger-full-access", 1);
    let mut codex = start(&home).await;
    let turn = codex.turn("Talk.").await;
    assert_eq!((turn.stop_reason(), turn.text().as_str()), ("end_turn", "word1 word1 word2"));
    codex.kill();
}

#[tokio::test]
async fn a_compaction_is_no_turn_of_the_script() {
    let replies = [ResponsesReply::text("First."), ResponsesReply::text("Second.")];
    let api = ResponsesApi::with_replies(replies).await;
    let home = CodexHome::new(&api);
    let mut codex = start(&home).await;
    assert_eq!(codex.turn("One.").await.text(), "First.");
    assert_eq!(codex.turn("/compact").await.stop_reason(), "end_turn");
    assert_eq!(codex.turn("Two.").await.text(), "Second.");
    let kinds: Vec<_> = api.requests().iter().map(|request| request.kind).collect();
    let (turn, compaction) = (ResponsesRequestKind::Turn, ResponsesRequestKind::Compaction);
    assert_eq!(kinds, [turn, compaction, turn]);
    codex.kill();
}

#[tokio::test]
async fn nothing_is_asked_for_where_the_sandbox_is_off_and_the_policy_is_on_request() {
    let replies = [ResponsesReply::shell("echo one > first"), ResponsesReply::text("Done.")];
    let api = ResponsesApi::with_replies(replies).await;
    let home = CodexHome::with_settings(&api, "on-request", "danger-full-access", 0);
    let mut codex = start(&home).await;
    let turn = codex.turn("Run.").await;
    assert!(turn.permissions.is_empty());
    assert!(home.project().join("first").exists());
    codex.kill();
}
