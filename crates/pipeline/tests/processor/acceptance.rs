//! Area 5 of the acceptance list, by name.

use crate::support::*;
use contract::{
    EventPayload, ItemStatus, ResponseDone, ResponseStatus, TurnEventKind, TurnStatus, UpsertBody,
    Usage,
};
use pipeline::{Pace, UpsertProcessor};
use std::time::Duration;

fn tool_body(body: &UpsertBody) -> &contract::ToolCall {
    let UpsertBody::ToolCall(tool) = body else { panic!("a tool call: {body:?}") };
    tool
}

#[test]
fn tc_5_1a_a_message_is_created_by_the_flush_and_completed_with_its_final_text() {
    let mut run = Harness::new(&[1]);
    run.send_all([
        response_start(),
        message("m"),
        delta("m", "hello "),
        message_done("m", "hello world"),
    ]);
    assert_eq!(
        run.story(),
        ["turn-1 started", "m create \"hello \"", "m complete \"hello world\""]
    );
    let [create, complete] = run.upserts()[..] else { panic!("two upserts") };
    assert_eq!(create.source_timestamp.as_millis(), 3, "the flush carries the last delta's time");
    assert_eq!(complete.source_timestamp.as_millis(), 4, "the end carries its own");
    assert_eq!(complete.emitted_at.as_millis(), START);
}

#[test]
fn tc_5_1b_every_emission_holds_all_text_so_far() {
    let mut run = Harness::new(&[1, 2]);
    run.send(message("m")).send_all(single_words("m", 12));
    let whole: String = (0..12).map(|n| format!("w{n} ")).collect();
    run.send(message_done("m", &whole));
    assert!(run.upserts().iter().any(|upsert| upsert.status == ItemStatus::Update));
    for upsert in run.upserts() {
        let content = upsert.content().unwrap().to_string();
        assert!(!content.is_empty() && whole.starts_with(&content), "{content:?}");
    }
}

#[test]
fn tc_5_1c_a_tool_call_is_created_and_completed_once() {
    let mut run = Harness::new(&[]);
    run.send_all([
        call("tool", "c1"),
        delta("tool", "{\"path\""),
        call_done("tool", "c1", "a.txt"),
    ]);
    assert_eq!(run.story(), ["tool create Read"]);
    run.send(output("result", "c1", "text"));
    assert_eq!(run.story(), ["tool create Read", "tool complete Read -> \"text\""]);
    let complete = tool_body(&run.upserts()[1].body).clone();
    assert_eq!(complete.tool_arguments.as_map()["path"], "a.txt");
    assert_eq!((complete.call_id.as_str(), complete.tool_output_is_error), ("c1", Some(false)));
}

#[test]
fn tc_5_1d_reasoning_becomes_thinking() {
    let mut run = Harness::new(&[1]);
    run.send_all([
        response_start(),
        reasoning("r"),
        delta("r", "let me think"),
        reasoning_done("r", "let me think"),
    ]);
    assert_eq!(
        run.story(),
        ["turn-1 started", "r create \"let me think\"", "r complete \"let me think\""]
    );
    let providers: Vec<_> = run
        .upserts()
        .iter()
        .map(|upsert| match &upsert.body {
            UpsertBody::Thinking { provider_id, .. } => provider_id.to_string(),
            other @ (UpsertBody::Message { .. } | UpsertBody::ToolCall(_)) => {
                panic!("thinking: {other:?}")
            }
        })
        .collect();
    assert_eq!(
        providers,
        ["provider-1", "final-provider"],
        "while it streams the response's, then the item's own"
    );
}

#[test]
fn tc_5_2a_the_first_emission_waits_until_the_first_threshold_is_exceeded() {
    let mut run = Harness::new(&[1, 2, 3, 4, 5]);
    run.send_all([message("m"), delta("m", "one two"), delta("m", " three"), delta("m", " four")]);
    run.send(message_done("m", "one two three four"));
    assert!(run.upserts().len() >= 3, "{:?}", run.story());
    assert_eq!(run.story()[0], "m create \"one two\"");
}

#[test]
fn tc_5_2b_intervals_widen_along_the_gradient() {
    let mut run = Harness::new(&[1, 40, 120]);
    run.send(message("m")).send_all(single_words("m", 60));
    assert_eq!(
        run.upserts().into_iter().map(words).collect::<Vec<_>>(),
        [2, 43],
        "one create, at most one update"
    );
}

#[test]
fn tc_5_2c_equality_does_not_emit() {
    let mut run = Harness::new(&[3]);
    run.send_all([message("m"), delta("m", "one two three")]);
    assert_eq!(run.story(), [""; 0]);
    run.send(delta("m", " four"));
    assert_eq!(run.story(), ["m create \"one two three four\""]);
}

#[test]
fn tc_5_2d_one_huge_delta_emits_once_and_moves_on() {
    let mut run = Harness::new(&[2, 4, 8]);
    run.send_all([message("m"), delta("m", "1 2 3 4 5 6 7 8 9 10")]);
    assert_eq!(run.upserts().len(), 1);
    run.send(delta("m", " 11"));
    assert_eq!(run.upserts().len(), 1);
}

#[test]
fn tc_5_2e_the_last_threshold_repeats() {
    let mut run = Harness::new(&[1, 2]);
    run.send(message("m")).send_all(single_words("m", 10));
    assert_eq!(run.upserts().into_iter().map(words).collect::<Vec<_>>(), [2, 5, 8]);
}

#[test]
fn tc_5_2f_no_configuration_and_an_empty_one_mean_the_default() {
    for processor in [UpsertProcessor::default(), Harness::new(&[]).processor] {
        let mut run = Harness::around(processor);
        run.send(message("m")).send_all(single_words("m", 10));
        assert_eq!(run.upserts().len(), 0);
        run.send(delta("m", "w10 "));
        assert_eq!(run.upserts().len(), 1);
        run.send_all(single_words("m", 690));
        let expected = [11, 32, 73, 154, 275, 396, 517, 638];
        assert_eq!(run.upserts().into_iter().map(words).collect::<Vec<_>>(), expected);
    }
}

#[test]
fn tc_5_3a_a_result_completes_the_item_of_its_call() {
    let mut run = Harness::new(&[]);
    run.send_all([call("tool", "c1"), output("result", "c1", "text")]);
    assert_eq!(run.story(), ["tool create Read", "tool complete Read -> \"text\""]);
}

#[test]
fn tc_5_3b_interleaved_calls_are_matched_independently() {
    let mut run = Harness::new(&[]);
    run.send_all([
        call("t1", "c1"),
        call("t2", "c2"),
        output("r2", "c2", "two"),
        output("r1", "c1", "one"),
    ]);
    let expected = [
        "t1 create Read",
        "t2 create Read",
        "t2 complete Read -> \"two\"",
        "t1 complete Read -> \"one\"",
    ];
    assert_eq!(run.story(), expected);
}

#[test]
fn tc_5_4a_destroying_ends_open_items_with_all_their_text() {
    let mut run = Harness::new(&[]);
    run.send_all([message("m"), delta("m", "some text")])
        .destroy(Some(("GONE", "the agent is gone")));
    assert_eq!(run.story(), ["m error GONE \"some text\"", "turn-1 error INTERRUPTED"]);
    assert_eq!(run.upserts()[0].error_message.as_deref(), Some("the agent is gone"));
}

#[test]
fn tc_5_4b_idle_text_is_flushed() {
    let mut run = Harness::with_pace(&[], Pace::Idle(Duration::from_millis(50)));
    run.send_all([message("m"), delta("m", "hello")]).wait(49);
    assert_eq!(run.story(), [""; 0]);
    run.wait(1);
    assert_eq!(run.story(), ["m create \"hello\""]);
    let mut run = Harness::new(&[]);
    run.send_all([message("m"), delta("m", "hello")]).wait(999);
    assert_eq!(run.story(), [""; 0], "a second is the default");
    run.wait(1);
    assert_eq!(run.story(), ["m create \"hello\""]);
}

#[test]
fn tc_5_4c_an_empty_item_completes_once() {
    let mut run = Harness::new(&[]);
    run.send_all([message("m"), message_done("m", "")]);
    assert_eq!(run.story(), ["m complete \"\""]);
}

#[test]
fn tc_5_4d_a_cancelled_item_that_was_never_shown_leaves_no_trace() {
    let mut run = Harness::new(&[]);
    run.send_all([message("m"), delta("m", "hello"), item_cancelled("m")]).wait(2000);
    run.send_all([delta("m", " again"), message_done("m", "hello again")]);
    assert_eq!(run.story(), [""; 0]);
}

#[test]
fn tc_5_4e_a_cancelled_turn_is_reported_by_its_turn_event_only() {
    let mut run = Harness::new(&[]);
    run.send_all([
        response_start(),
        message("m"),
        delta("m", "hello"),
        item_cancelled("m"),
        cancelled(),
    ]);
    assert_eq!(run.story(), ["turn-1 started", "turn-1 cancelled"]);
    assert_eq!(run.upserts().len(), 0);
}

#[test]
fn tc_5_4f_a_failed_turn_has_one_error_with_the_best_cause_at_hand() {
    let finished = |finish_reason: Option<&str>, error| {
        let finish_reason = finish_reason.map(str::to_owned);
        EventPayload::ResponseDone(ResponseDone {
            status: ResponseStatus::Error,
            finish_reason,
            error,
            usage: None,
        })
    };
    let cases = [
        (response_error(), "RESPONSE_BROKE", "RESPONSE_BROKE happened"),
        (finished(Some("refusal"), Some(error("DONE_BROKE"))), "DONE_BROKE", "DONE_BROKE happened"),
        (finished(Some("refusal"), None), "refusal", "Response finished with error status"),
        (finished(None, None), "RESPONSE_ERROR", "Response finished with error status"),
    ];
    for (terminal, code, text) in cases {
        let mut run = Harness::new(&[]);
        run.send_all([response_start(), terminal.clone(), terminal, completed()]);
        run.send_all([message("m"), message_done("m", "late"), call("t", "c")]);
        let [_, failed] = run.turns()[..] else { panic!("one terminal: {:?}", run.story()) };
        let TurnEventKind::TurnError { error_code, error_message, .. } = &failed.kind else {
            panic!("{failed:?}")
        };
        assert_eq!((error_code.as_str(), error_message.as_str()), (code, text));
        assert_eq!(run.upserts().len(), 0);
        run.in_turn("turn-2").send_all([response_start(), message_done("m2", "next")]);
        assert_eq!(
            run.story()[2..],
            ["turn-2 started", "m2 complete \"next\""],
            "the next response is heard again"
        );
    }
}

#[test]
fn usage_is_passed_on_with_the_end_of_the_turn() {
    let usage = Usage {
        input_tokens: 3,
        output_tokens: 4,
        cache_read_input_tokens: None,
        cache_creation_input_tokens: None,
        cost_usd: Some(0.5),
        context_tokens: None,
        context_window: None,
    };
    let status = ResponseStatus::Completed;
    let ended =
        ResponseDone { status, finish_reason: None, error: None, usage: Some(usage.clone()) };
    let mut run = Harness::new(&[]);
    run.send_all([response_start(), EventPayload::ResponseDone(ended)]);
    let expected =
        TurnEventKind::TurnComplete { status: TurnStatus::Completed, usage: Some(usage) };
    assert_eq!(run.turns()[1].kind, expected);
}
