//! How what an agent says becomes items.

use std::time::Duration;

use contract::{ItemStatus, UpsertBody};
use serde_json::{Value, json};
use testkit::scripted_acp::AGENT_SESSION;

use crate::bench::{Bench, tool};

fn thought(text: &str) -> Value {
    let content = json!({ "type": "text", "text": text });
    json!({ "sessionUpdate": "agent_thought_chunk", "content": content })
}

fn named_chunk(text: &str, message: &str) -> Value {
    let content = json!({ "type": "text", "text": text });
    json!({ "sessionUpdate": "agent_message_chunk", "content": content, "messageId": message })
}

fn usage() -> Value {
    json!({ "sessionUpdate": "usage_update", "used": 10, "size": 100 })
}

#[tokio::test(start_paused = true)]
async fn a_text_ends_with_another_kind_with_a_model_call_and_with_its_turn() {
    let bench = Bench::new();
    let (_, prompt) = bench.prompted().await;
    bench.agent.update(thought("\n\n")).await;
    bench.agent.update(thought("**Plan**")).await;
    bench.agent.message_chunk("one").await;
    bench.agent.update(usage()).await;
    bench.agent.message_chunk("two").await;
    bench.agent.end_turn(&prompt, "end_turn").await;
    bench.settle().await;
    let complete: Vec<_> =
        bench.items().into_iter().filter(|item| item.contains("Complete")).collect();
    let expected = [
        "turn-1:1:0 Complete \"**Plan**\"",
        "turn-1:2:0 Complete \"one\"",
        "turn-1:3:0 Complete \"two\"",
    ];
    assert_eq!(complete, expected);
}

#[tokio::test(start_paused = true)]
async fn where_messages_have_names_the_names_decide() {
    let bench = Bench::new();
    let (_, prompt) = bench.prompted().await;
    bench.agent.update(named_chunk("", "a")).await;
    bench.agent.update(named_chunk("one ", "a")).await;
    bench.agent.update(usage()).await;
    bench.agent.update(named_chunk("and more", "a")).await;
    bench.agent.update(named_chunk("two", "b")).await;
    bench.agent.end_turn(&prompt, "end_turn").await;
    bench.settle().await;
    let complete: Vec<_> =
        bench.items().into_iter().filter(|item| item.contains("Complete")).collect();
    let expected = ["turn-1:1:0 Complete \"one and more\"", "turn-1:2:0 Complete \"two\""];
    assert_eq!(complete, expected);
}

/// The calls that have reported: their names and what came of them.
fn reports(bench: &Bench) -> Vec<(String, String)> {
    let upserts = bench.upserts();
    let calls = upserts.iter().filter(|upsert| matches!(upsert.body, UpsertBody::ToolCall(_)));
    let reports = calls
        .map(tool)
        .filter_map(|call| Some((call.tool_name.clone(), call.tool_output.as_ref()?.to_string())));
    reports.collect()
}

#[tokio::test(start_paused = true)]
async fn an_update_of_an_unknown_kind_is_kept_as_it_came_and_disturbs_no_text() {
    let bench = Bench::new();
    let (_, prompt) = bench.prompted().await;
    bench.agent.message_chunk("be").await;
    let weather = json!({ "sessionUpdate": "weather", "sun": true });
    bench.agent.update(weather.clone()).await;
    bench.agent.message_chunk("fore").await;
    let smell = json!({ "type": "smell", "of": "rain" });
    let smell = json!({ "sessionUpdate": "agent_message_chunk", "content": smell });
    bench.agent.update(smell.clone()).await;
    bench.agent.end_turn(&prompt, "end_turn").await;
    bench.agent.update(weather.clone()).await;
    bench.settle().await;
    let items = bench.items();
    assert_eq!(items.iter().filter(|item| item.contains("Complete \"before\"")).count(), 1);
    let kept = [("weather", weather), ("agent_message_chunk", smell)];
    assert_eq!(reports(&bench), kept.map(|(kind, update)| (kind.to_owned(), update.to_string())));
    assert_eq!(bench.turns(), ["turn-1 started", "turn-1 Completed"]);
}

#[tokio::test(start_paused = true)]
async fn a_flood_of_unknown_updates_fills_no_timeline() {
    let bench = Bench::new();
    let (_, prompt) = bench.prompted().await;
    bench.agent.update(json!({ "sessionUpdate": "novel", "text": "é".repeat(100_000) })).await;
    for beat in 0..100 {
        bench.agent.update(json!({ "sessionUpdate": "heartbeat", "beat": beat })).await;
    }
    bench.agent.end_turn(&prompt, "end_turn").await;
    bench.settle().await;
    let kept = reports(&bench);
    assert_eq!(kept.len(), 32);
    assert!(kept[0].1.len() < 65 * 1024 && kept[0].1.ends_with("é… (200035 bytes)"));
}

/// As Codex says that it asks its model again.
const RETRY: &str = "ERROR Handled error during turn: Reconnecting... 1/2\n";

/// What is said on standard error may be heard before words that were said earlier.
#[tokio::test(start_paused = true)]
async fn an_answer_that_begins_again_supersedes_what_was_said_of_it() {
    let bench = Bench::new();
    let (_, prompt) = bench.prompted().await;
    bench.agent.message_chunk("This is ").await;
    let (begin, end) = RETRY.split_at(20);
    bench.agent.say_aside(begin).await;
    bench.agent.say_aside(end).await;
    let mark = bench.agent.next("_liminal/mark").await;
    bench.agent.message_chunk("cut o").await;
    bench.agent.refuse(&mark, -32601, "Method not found").await;
    bench.agent.message_chunk("This is cut off no more.").await;
    bench.agent.end_turn(&prompt, "end_turn").await;
    bench.settle().await;
    let expected = [
        "turn-1:1:0 Error SUPERSEDED \"This is cut o\"",
        "turn-1:2:0 Create \"This is cut off no more.\"",
        "turn-1:2:0 Complete \"This is cut off no more.\"",
    ];
    assert_eq!(bench.items(), expected);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_answers_nothing_but_falls_silent_has_begun_again() {
    let bench = Bench::new();
    let (_, prompt) = bench.prompted().await;
    bench.agent.message_chunk("This is cut o").await;
    bench.agent.say_aside(RETRY).await;
    let mark = bench.agent.next("_liminal/mark").await;
    tokio::time::sleep(Duration::from_millis(170)).await;
    bench.agent.message_chunk("This is cut off no more.").await;
    bench.agent.refuse(&mark, -32601, "too late").await;
    bench.agent.end_turn(&prompt, "end_turn").await;
    bench.settle().await;
    let last = bench.items().into_iter().filter(|item| !item.contains("Create"));
    let expected = [
        "turn-1:1:0 Error SUPERSEDED \"This is cut o\"",
        "turn-1:2:0 Complete \"This is cut off no more.\"",
    ];
    assert_eq!(last.collect::<Vec<_>>(), expected);
}

#[tokio::test(start_paused = true)]
async fn words_of_which_nobody_knows_the_try_are_kept_as_they_came() {
    let bench = Bench::new();
    let (_, prompt) = bench.prompted().await;
    bench.agent.message_chunk("This is cut o").await;
    bench.agent.say_aside(RETRY).await;
    bench.agent.message_chunk("ff no more.").await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    bench.agent.end_turn(&prompt, "end_turn").await;
    bench.settle().await;
    assert_eq!(bench.items().last().unwrap(), "turn-1:1:0 Complete \"This is cut off no more.\"",);
}

#[tokio::test(start_paused = true)]
async fn a_running_command_shows_what_it_writes() {
    let bench = Bench::new();
    let (_, prompt) = bench.prompted().await;
    let call = json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "make", "kind": "execute",
        "status": "in_progress", "content": [{ "type": "terminal", "terminalId": "c" }],
    });
    bench.agent.update(call).await;
    let meta = json!({ "terminal_output": { "terminal_id": "c", "data": "compiling\n" } });
    let grew = json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "_meta": meta });
    bench.agent.update(grew).await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let shown = bench.upserts().last().unwrap().clone();
    assert_eq!(shown.status, ItemStatus::Update, "it still runs");
    assert_eq!(tool(&shown).tool_output.as_ref().unwrap(), "compiling\n");
    assert!(!shown.is_final());
    let renamed =
        json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "title": "make all" });
    bench.agent.update(renamed).await;
    bench.settle().await;
    let shown = bench.upserts().last().unwrap().clone();
    assert_eq!(tool(&shown).tool_name, "make all");
    assert_eq!(tool(&shown).tool_output.as_ref().unwrap(), "compiling\n", "it stays");
    bench.agent.end_turn(&prompt, "end_turn").await;
    bench.settle().await;
    let last = bench.upserts().last().unwrap().clone();
    assert!(last.is_final(), "closed with its turn, for nothing more may come");
    assert_eq!(tool(&last).tool_output.as_ref().unwrap(), "compiling\n");
}

#[tokio::test(start_paused = true)]
async fn work_that_outlives_its_turn_reports_under_its_own_item() {
    let bench = Bench::new();
    let (_, prompt) = bench.prompted().await;
    let call = json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "sleep", "status": "in_progress",
    });
    bench.agent.update(call).await;
    bench.agent.end_turn(&prompt, "end_turn").await;
    bench.settle().await;
    let done = json!({
        "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "failed",
        "rawOutput": { "aggregated_output": "slept badly" },
    });
    bench.agent.update(done).await;
    bench.settle().await;
    let last = bench.upserts().last().unwrap().clone();
    assert_eq!(last.item_id, "turn-1:1:0");
    assert_eq!(tool(&last).tool_output.as_ref().unwrap(), "slept badly");
    assert_eq!(tool(&last).tool_output_is_error, Some(true));
    assert_eq!(bench.turns(), ["turn-1 started", "turn-1 Completed"], "and opens no turn");
}

#[tokio::test(start_paused = true)]
async fn a_change_is_shown_as_lines() {
    let bench = Bench::new();
    let (_, _prompt) = bench.prompted().await;
    let diff =
        json!({ "type": "diff", "path": "/p/a.txt", "oldText": "a\nb\n", "newText": "a\nc\n" });
    let call = json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "Edit", "kind": "edit",
        "status": "pending", "content": [diff], "locations": [{ "path": "/p/a.txt", "line": 2 }],
    });
    bench.agent.update(call).await;
    bench.settle().await;
    let upserts = bench.upserts();
    let shown = serde_json::to_value(tool(&upserts[0])).unwrap();
    assert_eq!(shown["diff"][0]["hunks"][0]["lines"], json!([" a", "-b", "+c"]));
    assert_eq!(shown["locations"], json!([{ "path": "/p/a.txt", "line": 2 }]));
    assert_eq!(shown["kind"], "edit");
}

#[tokio::test(start_paused = true)]
async fn an_update_of_a_call_that_was_not_announced_announces_it() {
    let bench = Bench::new();
    let (_, _prompt) = bench.prompted().await;
    let update = json!({
        "sessionUpdate": "tool_call_update", "toolCallId": "c", "title": "grep",
        "status": "completed", "rawOutput": "found",
    });
    bench.agent.update(update).await;
    bench.settle().await;
    assert_eq!(bench.items(), ["turn-1:1:0 Create", "turn-1:1:0 Complete"]);
    assert_eq!(tool(&bench.upserts()[1]).tool_output.as_ref().unwrap(), "found");
}

#[tokio::test(start_paused = true)]
async fn a_plan_and_the_fill_of_the_window_are_told() {
    let bench = Bench::new();
    let (_, prompt) = bench.prompted().await;
    let entries = json!([{ "content": "look", "priority": "high", "status": "in_progress" }]);
    bench.agent.update(json!({ "sessionUpdate": "plan", "entries": entries })).await;
    bench.agent.update(usage()).await;
    bench.agent.end_turn(&prompt, "end_turn").await;
    bench.settle().await;
    let notices = bench.notices().join("\n");
    assert!(notices.contains("Plan([PlanEntry { content: \"look\""), "{notices}");
    let turns = bench.turns.lock().unwrap().clone();
    let end = serde_json::to_value(turns.last().unwrap()).unwrap();
    assert_eq!(end["usage"]["contextTokens"], 10);
    assert_eq!(end["usage"]["contextWindow"], 100);
}

#[tokio::test(start_paused = true)]
async fn a_call_with_the_id_of_one_of_an_earlier_turn_is_another_one() {
    let bench = Bench::new();
    let (session, first) = bench.prompted().await;
    let call = json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "sleep", "status": "in_progress",
    });
    bench.agent.update(call.clone()).await;
    bench.agent.end_turn(&first, "cancelled").await;
    drop(bench.send(&session, "again"));
    let second = bench.agent.next("session/prompt").await;
    bench.agent.update(call).await;
    let done = json!({
        "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed",
        "rawOutput": "slept",
    });
    bench.agent.update(done).await;
    bench.agent.end_turn(&second, "end_turn").await;
    bench.settle().await;
    let expected = [
        "turn-1:1:0 Create",
        "turn-1:1:0 Complete",
        "turn-1:1:0 Error CANCELLED",
        "turn-2:1:0 Create",
        "turn-2:1:0 Complete",
        "turn-2:1:0 Complete",
    ];
    assert_eq!(bench.items(), expected);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_announced_as_failed_has_failed() {
    let bench = Bench::new();
    let (_, prompt) = bench.prompted().await;
    let call = json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "fly", "status": "failed",
    });
    bench.agent.update(call).await;
    bench.agent.end_turn(&prompt, "end_turn").await;
    bench.settle().await;
    let last = bench.upserts().last().unwrap().clone();
    assert_eq!(tool(&last).tool_output_is_error, Some(true));
}

#[tokio::test(start_paused = true)]
async fn half_a_character_costs_no_more_than_itself() {
    let bench = Bench::new();
    let (_, prompt) = bench.prompted().await;
    let update = |update: &str| {
        let params = format!(r#"{{"sessionId":"{AGENT_SESSION}","update":{update}}}"#);
        format!(r#"{{"jsonrpc":"2.0","method":"session/update","params":{params}}}"#)
    };
    let content = r#"{"type":"text","text":"Done \ud83d"}"#;
    let chunk = format!(r#"{{"sessionUpdate":"agent_message_chunk","content":{content}}}"#);
    bench.agent.say_line(update(&chunk)).await;
    let call = r#"{"sessionUpdate":"tool_call_update","toolCallId":"c","title":"cat","status":"completed","rawOutput":"cut \uDE00 here"}"#;
    bench.agent.say_line(update(call)).await;
    let error = r#"{"code":-32603,"message":"cut \ud83d"}"#;
    let answer = format!(r#"{{"jsonrpc":"2.0","id":{},"error":{error}}}"#, prompt["id"]);
    bench.agent.say_line(answer).await;
    bench.settle().await;
    let items = bench.items();
    assert!(items.contains(&"turn-1:1:0 Complete \"Done \u{fffd}\"".to_owned()), "{items:?}");
    let result = bench.upserts().last().unwrap().clone();
    assert_eq!(tool(&result).tool_output.as_ref().unwrap(), "cut \u{fffd} here");
    assert_eq!(bench.turns().last().unwrap(), "turn-1 RESPONSE_ERROR: cut \u{fffd}");
}

#[tokio::test(start_paused = true)]
async fn a_long_live_output_ends_somewhere_and_has_no_gaps() {
    let bench = Bench::new();
    let (_, prompt) = bench.prompted().await;
    let wrote = |data: String| {
        let meta = json!({ "terminal_output": { "terminal_id": "c", "data": data } });
        json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "title": "make",
            "status": "in_progress", "_meta": meta })
    };
    let (first, second) = ("a".repeat(200 * 1024), "b".repeat(100 * 1024));
    for data in [first.clone(), second.clone(), "c".repeat(1024)] {
        bench.agent.update(wrote(data)).await;
    }
    bench.agent.end_turn(&prompt, "end_turn").await;
    bench.settle().await;
    let last = bench.upserts().last().unwrap().clone();
    let shown = tool(&last).tool_output.as_ref().unwrap().to_string();
    assert!((first + &second).starts_with(&shown), "what follows a gap is shown");
    assert_eq!(shown.len(), 256 * 1024);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_has_the_name_of_an_unfinished_one_is_a_call_of_its_own() {
    let bench = Bench::new();
    let (session, prompt) = bench.prompted().await;
    let call = |status: &str, output: Option<&str>| {
        json!({ "sessionUpdate": "tool_call", "toolCallId": "1", "title": "ls", "status": status,
            "rawOutput": output })
    };
    bench.agent.update(call("in_progress", None)).await;
    bench.agent.end_turn(&prompt, "cancelled").await;
    drop(bench.send(&session, "two"));
    bench.agent.next("session/prompt").await;
    bench.agent.update(call("completed", Some("made"))).await;
    bench.settle().await;
    let last = bench.upserts().last().unwrap().clone();
    assert_eq!((last.item_id.as_str(), last.status), ("turn-2:1:0", ItemStatus::Complete));
}
