//! Shapes of transcripts that no recording shows, a few lines each.

use claude::SubagentTranscript;
use contract::{CallId, SessionId};
use recording::HistoryEvent;
use serde_json::{Value, json};

fn line(kind: &str, uuid: &str, parent: Option<&str>, more: Value) -> String {
    let mut line = json!({
        "type": kind, "uuid": uuid, "parentUuid": parent,
        "timestamp": "2026-11-15T12:00:00.000Z", "isSidechain": false,
    });
    let Value::Object(more) = more else { panic!("{more} is no object") };
    line.as_object_mut().unwrap().extend(more);
    line.to_string()
}

fn user(uuid: &str, parent: Option<&str>, text: &str) -> String {
    line("user", uuid, parent, json!({ "message": { "role": "user", "content": text } }))
}

fn assistant(uuid: &str, parent: &str, id: &str, block: Value) -> String {
    let content = vec![block];
    let message = json!({ "id": id, "model": "m", "content": content, "stop_reason": "end_turn" });
    line("assistant", uuid, Some(parent), json!({ "message": message }))
}

fn text(uuid: &str, parent: &str, id: &str, text: &str) -> String {
    assistant(uuid, parent, id, json!({ "type": "text", "text": text }))
}

fn call(uuid: &str, parent: &str, id: &str, call: &str) -> String {
    let block =
        json!({ "type": "tool_use", "id": call, "name": "Bash", "input": { "command": "ls" } });
    assistant(uuid, parent, id, block)
}

fn result(uuid: &str, call_line: &str, call: &str, output: &str) -> String {
    let block = json!({ "type": "tool_result", "tool_use_id": call, "content": output });
    let message = json!({ "role": "user", "content": [block] });
    let more = json!({ "message": message, "sourceToolAssistantUUID": call_line });
    line("user", uuid, Some(call_line), more)
}

fn read(lines: &[String]) -> Vec<String> {
    told(
        &claude::history(&SessionId::from("s"), &"claude-code".into(), &lines.join("\n"), &[])
            .events,
    )
}

fn told(events: &[HistoryEvent]) -> Vec<String> {
    events.iter().map(ToString::to_string).collect()
}

#[test]
fn a_branch_that_was_left_is_not_told() {
    let lines = [
        user("p1", None, "one"),
        text("a1", "p1", "m1", "first"),
        user("p2", Some("a1"), "taken back"),
        text("a2", "p2", "m2", "forgotten"),
        user("p3", Some("a1"), "instead"),
        text("a3", "p3", "m3", "second"),
    ];
    let expected = [
        "p1:0:0 User complete: one",
        "turn p1 started (user, m)",
        "p1:1:0 Agent complete: first",
        "turn p1 completed (0 in, 0 out)",
        "p3:0:0 User complete: instead",
        "turn p3 started (user, m)",
        "p3:1:0 Agent complete: second",
        "turn p3 completed (0 in, 0 out)",
    ];
    assert_eq!(read(&lines), expected);
    // The CLI names the end of the conversation, which need not be the last line.
    let leaf = json!({ "type": "last-prompt", "leafUuid": "a2" }).to_string();
    let told = read(&[&lines[..], &[leaf]].concat());
    assert_eq!(told[6], "p2:1:0 Agent complete: forgotten");
    assert_eq!(told.len(), 8);
}

#[test]
fn calls_that_were_made_together_all_have_their_results() {
    let told = read(&[
        user("p1", None, "both"),
        call("a1", "p1", "m1", "c1"),
        call("a2", "a1", "m1", "c2"),
        result("r2", "a2", "c2", "two"),
        result("r1", "a1", "c1", "one"),
        text("a3", "r2", "m2", "done"),
    ]);
    let expected = [
        "p1:0:0 User complete: both",
        "turn p1 started (user, m)",
        "p1:1:0 Bash complete {\"command\":\"ls\"} → one",
        "p1:1:1 Bash complete {\"command\":\"ls\"} → two",
        "p1:2:0 Agent complete: done",
        "turn p1 completed (0 in, 0 out)",
    ];
    assert_eq!(told, expected);
}

#[test]
fn a_turn_that_was_cut_off_ends_with_its_calls() {
    let told = read(&[
        user("p1", None, "go"),
        call("a1", "p1", "m1", "c1"),
        line(
            "user",
            "meta",
            Some("a1"),
            json!({ "isMeta": true, "message": { "content": "Continue" } }),
        ),
        line(
            "assistant",
            "gap",
            Some("meta"),
            json!({ "message": {
            "model": "<synthetic>", "content": [{ "type": "text", "text": "No response requested." }] } }),
        ),
        user("p2", Some("gap"), "again"),
        text("a2", "p2", "m2", "fine"),
    ]);
    let expected = [
        "p1:0:0 User complete: go",
        "turn p1 started (user, m)",
        "p1:1:0 Bash INTERRUPTED {\"command\":\"ls\"}",
        "turn p1 PROCESS_CRASH [-] the transcript ends before the turn does",
        "p2:0:0 User complete: again",
        "turn p2 started (user, m)",
        "p2:1:0 Agent complete: fine",
        "turn p2 completed (0 in, 0 out)",
    ];
    assert_eq!(told, expected);
}

#[test]
fn an_answer_of_nothing_is_an_answer() {
    let again = "[Your previous response had no visible output. Please continue.]";
    let told = read(&[
        user("p1", None, "go"),
        line(
            "user",
            "meta",
            Some("p1"),
            json!({ "isMeta": true, "message": { "content": again } }),
        ),
    ]);
    let expected =
        ["p1:0:0 User complete: go", "turn p1 started (user, unknown)", "turn p1 completed"];
    assert_eq!(told, expected);
}

#[test]
fn a_call_without_a_result_ends_as_its_turn_does() {
    let interrupted = "[Request interrupted by user for tool use]";
    let told = read(&[
        user("p1", None, "go"),
        call("a1", "p1", "m1", "c1"),
        user("i1", Some("a1"), interrupted),
    ]);
    assert_eq!(told[2], "p1:1:0 Bash CANCELLED {\"command\":\"ls\"}");
    assert_eq!(told[3], "turn p1 cancelled (0 in, 0 out)");
}

#[test]
fn a_lost_line_does_not_cost_what_was_before_it() {
    let told = read(&[
        user("p1", None, "one"),
        text("a1", "p1", "m1", "first"),
        text("a2", "lost", "m2", "second"),
    ]);
    assert_eq!(told[0], "p1:0:0 User complete: one");
    assert_eq!(told[3], "p1:2:0 Agent complete: second");
    assert_eq!(told.len(), 5);
}

#[test]
fn a_command_is_told_if_it_was_answered() {
    let command = "<command-message>review</command-message>\n<command-name>/review</command-name>\n<command-args>main</command-args>";
    let told = read(&[
        user("c1", None, "<command-name>/clear</command-name>"),
        user("c2", Some("c1"), command),
        line(
            "user",
            "meta",
            Some("c2"),
            json!({ "isMeta": true, "message": { "content": "Review main." } }),
        ),
        text("a1", "meta", "m1", "Looks good."),
        line(
            "system",
            "c3",
            Some("a1"),
            json!({
            "subtype": "local_command", "content": "<command-name>/cost</command-name>" }),
        ),
        line(
            "system",
            "o3",
            Some("c3"),
            json!({
            "subtype": "local_command", "content": "<local-command-stdout>$0</local-command-stdout>" }),
        ),
    ]);
    let expected = [
        "c2:0:0 User complete: /review main",
        "turn c2 started (user, m)",
        "c2:1:0 Agent complete: Looks good.",
        "turn c2 completed (0 in, 0 out)",
        "c3:0:0 User complete: /cost",
        "turn c3 started (user, m)",
        "c3:1:0 Agent complete: $0",
        "turn c3 completed",
    ];
    assert_eq!(told, expected);
}

#[test]
fn subagents_stand_under_their_calls_and_sidechains_are_passed_over() {
    let main = [
        user("p1", None, "go"),
        assistant(
            "a1",
            "p1",
            "m1",
            json!({ "type": "tool_use", "id": "c1", "name": "Agent", "input": {} }),
        ),
        line("user", "s1", None, json!({ "isSidechain": true, "message": { "content": "look" } })),
        result("r1", "a1", "c1", "found"),
        text("a2", "r1", "m2", "done"),
    ];
    let outer = [
        user("x1", None, "look"),
        assistant(
            "x2",
            "x1",
            "n1",
            json!({ "type": "tool_use", "id": "c2", "name": "Agent", "input": {} }),
        ),
        result("x3", "x2", "c2", "deep"),
        text("x4", "x3", "n2", "found"),
    ];
    let inner = [user("y1", None, "deeper"), text("y2", "y1", "k1", "deep")];
    let (outer, inner) = (outer.join("\n"), inner.join("\n"));
    let subagents = [
        SubagentTranscript { call_id: CallId::from("c1"), text: &outer },
        SubagentTranscript { call_id: CallId::from("c2"), text: &inner },
    ];
    let history =
        claude::history(&SessionId::from("s"), &"claude-code".into(), &main.join("\n"), &subagents);
    let expected = [
        "p1:0:0 User complete: go",
        "turn p1 started (user, m)",
        "p1:1:0 Agent complete {} → found",
        "  p1:c1:0 Agent complete {} → deep",
        "  p1:c1:1 Agent complete: found",
        "  p1:c2:0 Agent complete: deep",
        "p1:2:0 Agent complete: done",
        "turn p1 completed (0 in, 0 out)",
    ];
    assert_eq!(told(&history.events), expected);
}

#[test]
fn broken_lines_are_counted_and_circles_end() {
    let lines = [
        "not json".to_owned(),
        user("p1", Some("a1"), "one"),
        text("a1", "p1", "m1", "first"),
        user("p2", Some("a1"), "two")[..40].to_owned(),
    ];
    let history =
        claude::history(&SessionId::from("s"), &"claude-code".into(), &lines.join("\n"), &[]);
    assert_eq!(history.broken_lines, 2);
    assert_eq!(history.events.len(), 4);
}
