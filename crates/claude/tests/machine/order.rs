//! Lines in orders that they should not come in: whatever was said is shown.

use claude::{RunStatus, StopAction, TurnState};
use contract::{ItemStatus, TurnEventKind, TurnOrigin};
use serde_json::json;

use crate::story::{
    Story, block_start, block_stop, delta, init, message_start, message_stop, notification,
    old_init, result, snapshot,
};

#[test]
fn a_delta_before_its_start_opens_a_placeholder_that_the_start_fills_in() {
    let mut story = Story::new();
    story.send("one");
    story.say([
        init(&["one"]),
        delta(0, "Hello "),
        message_start("a"),
        block_start(0),
        delta(0, "there"),
    ]);
    story.say([snapshot("a", "Hello there"), block_stop(0), message_stop(), result()]);
    assert_eq!(story.text("one:1:0"), "Hello there");
    let items: std::collections::BTreeSet<_> =
        story.upserts().iter().map(|u| u.item_id.clone()).collect();
    assert_eq!(items.len(), 1, "one message, one item: {items:?}");
}

#[test]
fn a_stop_before_its_start_does_no_harm() {
    let mut story = Story::new();
    story.send("one");
    story.say([init(&["one"]), block_stop(0), message_stop(), message_start("a"), block_stop(0)]);
    story.say([block_start(0), delta(0, "Hi"), snapshot("a", "Hi"), block_stop(0), result()]);
    assert_eq!(story.text("one:1:0"), "Hi");
    assert_eq!(story.upserts().last().unwrap().status, ItemStatus::Complete);
}

#[test]
fn a_snapshot_without_any_streaming_is_a_message_of_its_own() {
    let mut story = Story::new();
    story.send("one");
    story.say([init(&["one"]), snapshot("a", "Whole"), snapshot("b", "And more"), result()]);
    assert_eq!(
        (story.text("one:1:0"), story.text("one:2:0")),
        ("Whole".to_owned(), "And more".to_owned())
    );
}

#[test]
fn content_without_an_open_turn_is_shown_in_one() {
    let mut story = Story::new();
    story.say([
        message_start("a"),
        block_start(0),
        delta(0, "Out of nowhere"),
        snapshot("a", "Out of nowhere"),
    ]);
    story.say([block_stop(0), message_stop(), result()]);
    assert_eq!(story.text("auto-1:1:0"), "Out of nowhere");
    assert_eq!(story.translator.turn_state(), TurnState::Idle);
}

#[test]
fn what_comes_during_a_foreground_turn_feeds_no_other_run() {
    let mut story = Story::new();
    story.send("one");
    story.say([init(&["one"]), notification(), message_start("a"), block_start(0), notification()]);
    story.say([delta(0, "Mine"), notification(), snapshot("a", "Mine"), block_stop(0), result()]);
    assert_eq!(story.text("one:1:0"), "Mine");
    assert!(story.turns().iter().all(|event| event.turn_id == "one"));
}

#[test]
fn a_wake_up_without_a_model_call_is_never_announced() {
    let mut story = Story::new();
    let nothing =
        json!({ "type": "result", "subtype": "success", "is_error": false, "num_turns": 0 });
    story.say([init(&[]), nothing]);
    assert!(story.turns().is_empty());
    assert_eq!(story.translator.status(), RunStatus::Idle);
}

#[test]
fn a_wake_up_is_announced_with_its_first_item() {
    let mut story = Story::new();
    story.say([init(&[]), message_start("a")]);
    assert!(story.turns().is_empty());
    assert_eq!(story.translator.status(), RunStatus::Running);
    story.say([block_start(0), delta(0, "Awake"), snapshot("a", "Awake"), block_stop(0), result()]);
    let kinds: Vec<_> = story.turns().iter().map(|event| event.kind.is_terminal()).collect();
    assert_eq!(kinds, [false, true]);
    let started = &story.turns()[0].kind;
    assert!(matches!(
        started,
        TurnEventKind::TurnStarted { origin: Some(TurnOrigin::Autonomous), .. }
    ));
}

#[test]
fn a_run_of_the_agents_own_is_stopped_without_a_message_of_ours() {
    let mut story = Story::new();
    story.say([init(&[]), message_start("a")]);
    assert_eq!(story.translator.stop(None), StopAction::Interrupt);
    let aborted = json!({
        "type": "result", "subtype": "error_during_execution", "is_error": true, "terminal_reason": "aborted_streaming",
    });
    story.say([aborted]);
    assert_eq!(story.translator.turn_state(), TurnState::Idle);
    assert_eq!(story.translator.status(), RunStatus::Idle);
    assert_eq!(story.translator.stop(None), StopAction::Nothing);
}

#[test]
fn from_the_agents_own_turn_to_ours_goes_by_teardown_and_start() {
    let mut story = Story::new();
    story.say([init(&[]), message_start("a"), block_start(0), delta(0, "Working on")]);
    assert_eq!(story.translator.turn_state(), TurnState::Autonomous);
    assert_eq!(story.translator.stop(None), StopAction::Interrupt);
    story.send("one");
    let aborted = json!({
        "type": "result", "subtype": "error_during_execution", "is_error": true, "terminal_reason": "aborted_streaming",
        "origin": { "kind": "task-notification" },
    });
    story.say([aborted]);
    assert_eq!(story.translator.turn_state(), TurnState::Idle);
    story.say([init(&["one"])]);
    assert_eq!(story.translator.turn_state(), TurnState::Foreground);
    story.say([snapshot("b", "Yours"), result()]);
    let order: Vec<_> = story
        .turns()
        .iter()
        .map(|event| (event.turn_id.as_str(), event.kind.is_terminal()))
        .collect();
    assert_eq!(order, [("auto-1", false), ("auto-1", true), ("one", false), ("one", true)]);
}

/// Never seen, and only thinkable on older agents: the turn that was taken for ours was the agent's own.
#[test]
fn a_result_of_the_agents_own_does_not_end_the_users_turn() {
    let mut story = Story::new();
    story.send("one");
    let own = json!({
        "type": "result", "subtype": "success", "is_error": false, "num_turns": 1,
        "origin": { "kind": "task-notification" },
    });
    story.say([old_init(), snapshot("a", "I woke up"), own]);
    assert!(story.turns().iter().all(|event| !event.kind.is_terminal()));
    story.say([old_init(), snapshot("b", "Hello"), result()]);
    let ends = story.turns().iter().filter(|event| event.kind.is_terminal()).count();
    assert_eq!(ends, 1);
    assert!(story.turns().iter().all(|event| event.turn_id == "one"), "nothing told is renamed");
}

#[test]
fn a_tool_result_in_the_middle_of_the_next_text_finds_its_call() {
    let mut story = Story::new();
    story.send("one");
    let call = json!({
        "type": "assistant", "parent_tool_use_id": null,
        "message": { "id": "a", "model": "m", "content": [{ "type": "tool_use", "id": "t1", "name": "Bash", "input": { "command": "ls" } }] },
    });
    let output = json!({
        "type": "user", "message": { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "t1", "content": "out" }] },
    });
    story.say([
        init(&["one"]),
        call,
        message_start("b"),
        block_start(0),
        delta(0, "Mean"),
        output,
        delta(0, "while"),
    ]);
    story.say([snapshot("b", "Meanwhile"), block_stop(0), result()]);
    assert_eq!(story.text("one:2:0"), "Meanwhile");
    let tool = story.upserts().into_iter().rfind(|upsert| upsert.item_id == "one:1:0").unwrap();
    assert!(tool.is_final());
}

#[test]
fn bytes_of_any_kind_never_panic() {
    let mut story = Story::new();
    let now = pipeline::Now::default();
    for line in [
        "",
        "null",
        "[]",
        "7",
        "\"x\"",
        "{}",
        "{\"type\":7}",
        "{\"type\":\"result\",\"usage\":7}",
        "{\"type\":\"stream_event\"}",
        "\u{0}",
    ] {
        story.translator.handle_line(line, now);
    }
    let odd = story.translator.odd_lines();
    assert_eq!(odd.unknown + odd.invalid + odd.malformed, 10);
}

/// A stop that is latched for a waiting message must survive the end of the turn before it.
#[test]
fn a_stop_for_a_message_that_could_not_be_taken_back_holds_when_its_turn_opens() {
    let mut story = Story::new();
    story.send("one");
    story.say([init(&[]), message_start("a"), block_start(0), delta(0, "own work")]);
    let stop = story.translator.stop(Some(&"one".into()));
    assert_eq!(stop, StopAction::TakeBack("one".into()));
    // The agent answers `cancelled: false`: it had begun with it already. Its own turn ends, ours opens.
    story.say([snapshot("a", "own work"), block_stop(0), message_stop(), result()]);
    story.say([init(&["one"])]);
    let again = story.outputs.iter().any(|o| matches!(o, claude::Output::InterruptAgain));
    assert!(again, "the turn that was to be stopped runs on");
}

#[test]
fn a_stop_for_a_message_that_only_the_end_of_a_turn_names_interrupts_nothing_after_it() {
    let mut story = Story::new();
    story.send("one");
    story.say([init(&["one"]), message_start("a")]);
    story.send("two");
    let stop = story.translator.stop(Some(&"two".into()));
    assert_eq!(stop, StopAction::TakeBack("two".into()));
    let mut end = result();
    end["user_message_uuids"] = json!(["one", "two"]);
    story.say([end]);
    let ends = story
        .outputs
        .iter()
        .filter(|output| matches!(output, claude::Output::Turn(event) if event.kind.is_terminal()));
    assert_eq!(ends.count(), 2, "both ended");
    let again = story.outputs.iter().any(|o| matches!(o, claude::Output::InterruptAgain));
    assert!(!again, "it would hit whatever runs next");
}
