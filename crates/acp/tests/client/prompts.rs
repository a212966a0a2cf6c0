//! Prompts that hang.

use acp::Output;
use serde_json::json;

use crate::talk::Talk;

/// After an error, so that the next prompt is looked after.
fn after_an_error() -> Talk {
    let mut talk = Talk::open();
    let prompt = talk.prompt("one");
    talk.refuse(&prompt, "no model");
    talk.pass(1_000);
    talk
}

#[test]
fn a_prompt_that_hangs_when_it_is_asked_again_too_fails() {
    let mut talk = after_an_error();
    talk.prompt("two");
    talk.pass(33_000);
    talk.written("session/prompt");
    talk.written("session/cancel");
    talk.pass(600_000);
    assert!(talk.is_idle(), "its turn waits for ever");
    assert_eq!(talk.count("session/cancel"), 1, "the agent is told");
    assert_eq!(talk.count("session/prompt"), 0, "once is enough");
    let failed = "two failed: the agent does not answer";
    assert_eq!(talk.turns()[2..], ["two started", failed]);
    let next = talk.prompt("three");
    talk.chunk("agent_message", "Here.", None);
    talk.answer(&next, &json!({ "stopReason": "end_turn" }));
    assert_eq!(talk.turns()[4..], ["three started", "three Completed"]);
}

#[test]
fn a_prompt_that_lives_when_it_is_asked_again_is_left_alone() {
    let mut talk = after_an_error();
    let hung = talk.prompt("two");
    talk.pass(30_500);
    talk.answer(&hung, &json!({ "stopReason": "cancelled" }));
    let again = talk.written("session/prompt");
    talk.chunk("agent_thought", "Hm.", None);
    talk.pass(600_000);
    assert_eq!(talk.count("session/cancel"), 1, "only of the first");
    let notices = talk.told().iter().filter_map(|output| match output {
        Output::Notice(notice) => Some(notice.is_some()),
        _ => None,
    });
    assert_eq!(notices.collect::<Vec<_>>(), [false, true, false], "of the retry, until it answers");
    talk.answer(&again, &json!({ "stopReason": "end_turn" }));
    assert_eq!(talk.turns()[2..], ["two started", "two Completed"]);
}

/// It had begun, was cancelled and is asked again: what it said before is no sign that it lives now.
#[test]
fn signs_of_the_first_try_are_none_of_the_second() {
    let mut talk = after_an_error();
    let slow = talk.prompt("two");
    talk.pass(30_500);
    talk.chunk("agent_message", "I was only sl", None);
    talk.answer(&slow, &json!({ "stopReason": "cancelled" }));
    talk.written("session/prompt");
    talk.pass(600_000);
    assert!(talk.is_idle(), "its turn waits for ever");
}

#[test]
fn a_call_of_an_earlier_turn_that_reports_is_no_sign_of_the_next() {
    let mut talk = Talk::open();
    let prompt = talk.prompt("one");
    let call = |status: &str| {
        json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "title": "make",
            "status": status })
    };
    talk.update(&call("in_progress"));
    talk.refuse(&prompt, "no model");
    talk.pass(1_000);
    talk.prompt("two");
    talk.update(&call("completed"));
    assert_eq!(talk.turns().len(), 2, "nothing shows that the turn has begun: {:?}", talk.turns());
    talk.pass(31_000);
    assert_eq!(talk.count("session/cancel"), 1, "it hangs");
}
