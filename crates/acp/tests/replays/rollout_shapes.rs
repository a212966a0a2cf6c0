//! Rollouts of other versions of Codex, and what no recording shows.

use contract::{TurnEventKind, UpsertBody};
use recording::HistoryEvent;
use serde_json::{Value, json};

use crate::rollouts::{history, judge, readable, text};

fn line(second: usize, kind: &str, payload: &Value) -> String {
    let time = format!("2026-01-01T00:00:{second:02}.000Z");
    json!({ "timestamp": time, "type": kind, "payload": payload }).to_string()
}

fn told(lines: &[(&str, Value)]) -> String {
    let lines = lines.iter().enumerate().map(|(n, (kind, payload))| line(n, kind, payload));
    let text = lines.collect::<Vec<_>>().join("\n");
    let history = history(&text);
    assert_eq!(history.broken_lines, 0);
    judge(&history.events);
    readable(&history.events).lines().map(|line| format!("{}\n", &line[13..])).collect()
}

fn user(text: &str) -> (&'static str, Value) {
    ("event_msg", json!({ "type": "user_message", "message": text }))
}

fn agent(text: &str) -> (&'static str, Value) {
    ("event_msg", json!({ "type": "agent_message", "message": text }))
}

fn item(payload: Value) -> (&'static str, Value) {
    ("response_item", payload)
}

#[test]
fn turns_of_versions_that_do_not_tell_them_begin_with_their_prompts() {
    let shell = json!({ "command": ["bash", "-lc", "ls -a"], "workdir": "/w" }).to_string();
    let output = json!({ "output": "a\n", "metadata": { "exit_code": 2 } }).to_string();
    let lines = [
        user("one"),
        item(
            json!({ "type": "function_call", "name": "shell", "arguments": shell, "call_id": "c" }),
        ),
        item(json!({ "type": "function_call_output", "call_id": "c", "output": output })),
        agent("Done."),
        user("two"),
    ];
    let expected = "\
        1:0:0 User complete: one\n\
        turn 1 started (user, unknown)\n\
        1:1:0 ls -a complete {\"command\":\"ls -a\",\"cwd\":\"/w\"} ✗ a⏎\n\
        1:2:0 Agent complete: Done.\n\
        turn 1 completed\n\
        2:0:0 User complete: two\n\
        turn 2 started (user, unknown)\n\
        turn 2 PROCESS_CRASH [-] the rollout ends before the turn does\n";
    assert_eq!(told(&lines), expected);
}

#[test]
fn without_events_for_clients_the_models_own_lines_tell_the_conversation() {
    let message = |role: &str, kind: &str, text: &str| {
        let content = json!([{ "type": kind, "text": text }]);
        item(json!({ "type": "message", "role": role, "content": content }))
    };
    let thought = json!([{ "type": "summary_text", "text": "**Hm**" }, { "text": "So." }]);
    let lines = [
        ("event_msg", json!({ "type": "task_started", "turn_id": "t-1" })),
        message("developer", "input_text", "rules"),
        message("user", "input_text", "<environment_context>x</environment_context>"),
        ("turn_context", json!({ "turn_id": "t-1", "model": "gpt-9" })),
        message("user", "input_text", "hello"),
        item(json!({ "type": "reasoning", "summary": thought })),
        message("assistant", "output_text", "Hi."),
        item(json!({ "type": "web_search_call", "action": { "query": "q" } })),
        (
            "event_msg",
            json!({ "type": "task_complete", "turn_id": "t-1", "error":
            { "message": "slow down", "codex_error_info": "usage_limit_exceeded" } }),
        ),
    ];
    let expected = "\
        1:0:0 User complete: hello\n\
        turn 1 started (user, gpt-9)\n\
        1:1:0 Thinking complete: **Hm**⏎⏎So.\n\
        1:2:0 Agent complete: Hi.\n\
        1:3:0 Web search: q complete {\"query\":\"q\"} → \n\
        turn 1 RESPONSE_ERROR [rate_limit] slow down\n";
    assert_eq!(told(&lines), expected);
}

#[test]
fn what_a_person_went_back_before_is_not_told() {
    let lines = [
        user("one"),
        agent("First."),
        user("two"),
        agent("Second."),
        ("event_msg", json!({ "type": "thread_rolled_back", "num_turns": 1 })),
        user("three"),
        agent("Third."),
    ];
    let told = told(&lines);
    assert!(
        told.contains("First.") && told.contains("Third.") && !told.contains("Second."),
        "{told}"
    );
    let all = [
        user("one"),
        agent("First."),
        ("event_msg", json!({ "type": "thread_rolled_back", "num_turns": 9 })),
    ];
    assert_eq!(self::told(&all), "");
}

#[test]
fn a_call_that_was_cut_short_in_a_turn_that_went_on_failed() {
    let call = json!({ "type": "function_call", "name": "exec_command", "arguments": "{\"cmd\":\"x\"}", "call_id": "c" });
    let lines = [
        user("one"),
        item(call),
        item(
            json!({ "type": "function_call_output", "call_id": "c", "output": "aborted by user after 1s" }),
        ),
        agent("Then not."),
        user("two"),
    ];
    let told = told(&lines);
    assert!(
        told.contains("1:1:0 x complete {\"command\":\"x\",\"cwd\":\"\"} ✗ aborted by user"),
        "{told}"
    );
}

#[test]
fn servers_of_tools_say_what_failed() {
    let call = json!({ "type": "function_call", "name": "web__get", "arguments": "{\"url\":\"u\"}", "call_id": "c" });
    let result = json!({ "Ok": { "content": [], "isError": true } });
    let parts = json!([{ "type": "input_text", "text": "no" }]);
    let lines = [
        user("one"),
        item(call),
        ("event_msg", json!({ "type": "mcp_tool_call_end", "call_id": "c", "result": result })),
        item(json!({ "type": "function_call_output", "call_id": "c", "output": parts })),
    ];
    assert!(told(&lines).contains("web__get complete {\"url\":\"u\"} ✗ no"), "{}", told(&lines));
}

#[test]
fn lines_that_are_not_known_are_counted() {
    let lines = [
        line(0, "event_msg", &json!({ "type": "weather" })),
        line(1, "event_msg", &json!({ "type": "user_message" })),
        line(2, "prophecy", &json!({})),
        line(3, "compacted", &json!({})),
        "{\"timestamp\":".to_owned(),
        "garbage".to_owned(),
        String::new(),
    ];
    let history = history(&lines.join("\n"));
    assert_eq!((history.unknown_lines, history.broken_lines), (3, 2));
    assert_eq!(history.events, []);
}

#[test]
fn turns_carry_codexs_ids_and_their_cost() {
    let history = history(&text("rollout_tools"));
    let costs: Vec<_> = history
        .events
        .iter()
        .filter_map(|event| match event {
            HistoryEvent::Turn(event) => match &event.kind {
                TurnEventKind::TurnComplete { usage, .. } => {
                    let usage = usage.as_ref().unwrap();
                    Some((usage.input_tokens, usage.output_tokens, usage.context_tokens))
                }
                _ => None,
            },
            HistoryEvent::Upsert(_) => None,
        })
        .collect();
    assert_eq!(costs[..3], [(250, 22, Some(162)), (440, 15, Some(245)), (640, 35, Some(345))]);
    let first = history.events.iter().find_map(|event| match event {
        HistoryEvent::Upsert(item) if matches!(item.body, UpsertBody::Thinking { .. }) => {
            Some(item)
        }
        _ => None,
    });
    assert_eq!(first.unwrap().item_id, "01a1e273-d543-73d2-aa66-f85c84f6d87c:1:0");
}
