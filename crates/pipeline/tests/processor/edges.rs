//! What the acceptance list leaves open: failures, unknown and repeated items, initial text, endings in mid-air.

use crate::support::*;
use std::time::Duration;

use contract::{ErrorCode, ItemStatus, MessageOrigin, UpsertBody};
use pipeline::{Emission, Pace};

const NOTHING: [&str; 0] = [];

#[test]
fn a_failed_item_keeps_its_text_and_stays_failed() {
    let mut run = Harness::new(&[]);
    run.send_all([message("m"), delta("m", "some text"), item_error("m")]);
    assert_eq!(run.story(), ["m error ITEM_BROKE \"some text\""]);
    run.send_all([
        delta("m", " more"),
        message_done("m", "some text more"),
        message("m"),
        message_done("m", "again"),
    ]);
    assert_eq!(run.story().len(), 1, "{:?}", run.story());
}

#[test]
fn a_failed_tool_ends_and_its_result_is_not_heard() {
    let mut run = Harness::new(&[]);
    run.send_all([
        call("t", "c"),
        item_error("t"),
        output("r", "c", "late"),
        call_done("t", "c", "a"),
    ]);
    assert_eq!(run.story(), ["t create Read", "t error ITEM_BROKE Read"]);
}

#[test]
fn unknown_items_are_ignored_and_counted() {
    let mut run = Harness::new(&[]);
    run.send_all([delta("x", "text"), item_error("y"), output("r", "nobody", "text")]);
    assert_eq!(run.story(), NOTHING);
    assert_eq!(run.processor.ignored(), 3);
    run.send(message_done("x", "an end without a start is shown"));
    assert_eq!(run.story(), ["x complete \"an end without a start is shown\""]);
}

#[test]
fn a_repeated_start_keeps_the_text() {
    let mut run = Harness::new(&[]);
    run.send_all([message("m"), delta("m", "one "), message_with("m", "zero "), delta("m", "two")])
        .wait(1000);
    assert_eq!(run.story(), ["m create \"one two\""]);
}

#[test]
fn a_repeated_end_is_not_told_again() {
    let mut run = Harness::new(&[]);
    run.send_all([
        message_done("m", "text"),
        message_done("m", "other"),
        item_error("m"),
        item_cancelled("m"),
    ]);
    run.send_all([
        call("t", "c"),
        call("t", "c"),
        output("r", "c", "out"),
        output("r", "c", "out"),
    ]);
    assert_eq!(run.story(), ["m complete \"text\"", "t create Read", "t complete Read -> \"out\""]);
}

#[test]
fn the_first_item_of_a_call_holds() {
    let mut run = Harness::new(&[]);
    run.send_all([
        call("t1", "c"),
        call("t2", "c"),
        call_done("t3", "c", "a.txt"),
        output("r", "c", "out"),
    ]);
    assert_eq!(run.story(), ["t1 create Read", "t1 complete Read -> \"out\""]);
    let UpsertBody::ToolCall(tool) = &run.upserts()[1].body else { panic!("a tool call") };
    assert_eq!(tool.tool_arguments.as_map()["path"], "a.txt");
}

#[test]
fn a_call_whose_start_was_missed_is_created_with_its_arguments() {
    let mut run = Harness::new(&[]);
    run.send_all([
        call_done("t", "c", "a.txt"),
        call_done("t", "c", "b.txt"),
        output("r", "c", "out"),
    ]);
    assert_eq!(run.story(), ["t create Read", "t complete Read -> \"out\""]);
}

#[test]
fn initial_text_is_shown_by_the_next_delta_or_the_deadline() {
    let eleven = "1 2 3 4 5 6 7 8 9 10 11";
    let mut run = Harness::new(&[]);
    run.send(message_with("m", eleven));
    assert_eq!(run.story(), NOTHING, "never at once, even over the threshold");
    run.send(delta("m", " "));
    assert_eq!(run.story(), [format!("m create \"{eleven} \"")]);
    let mut run = Harness::new(&[]);
    run.send(message_with("m", "hello")).wait(1000);
    assert_eq!(run.story(), ["m create \"hello\""]);
    let mut run = Harness::new(&[]);
    run.send(message_with("m", ""));
    assert_eq!(run.processor.poll_timeout(), None, "nothing to wait for");
}

#[test]
fn the_idle_deadline_starts_anew_with_every_delta_and_looks_at_words() {
    let mut run = Harness::new(&[]);
    run.send_all([message("m"), delta("m", "hel")]).wait(999);
    run.send(delta("m", "l")).wait(999);
    assert_eq!(run.story(), NOTHING);
    run.wait(1);
    run.send(delta("m", "o")).wait(5000);
    run.send(delta("m", " w")).wait(1000);
    assert_eq!(
        run.story(),
        ["m create \"hell\"", "m update \"hello w\""],
        "a word that only grew waits on"
    );
}

#[test]
fn thinking_is_flushed_when_idle_too() {
    let mut run = Harness::new(&[]);
    run.send_all([
        response_start(),
        reasoning("r"),
        delta("r", "hm"),
        message("m"),
        delta("m", "so"),
    ])
    .wait(1000);
    assert_eq!(run.story(), ["turn-1 started", "r create \"hm\"", "m create \"so\""]);
    assert_eq!(run.upserts()[0].source_timestamp.as_millis(), 3);
    assert_eq!(run.upserts()[0].emitted_at.as_millis(), START + 1000);
}

#[test]
fn what_a_completed_turn_left_open_is_completed() {
    let mut run = Harness::new(&[]);
    run.send_all([
        response_start(),
        message("m"),
        delta("m", "hello"),
        call("t", "c"),
        message("empty"),
        completed(),
    ]);
    let expected = [
        "turn-1 started",
        "t create Read",
        "m create \"hello\"",
        "m complete \"hello\"",
        "t complete Read -> \"\"",
        "turn-1 completed",
    ];
    assert_eq!(run.story(), expected);
    run.send_all([message_done("m", "late"), output("r", "c", "late")]);
    assert_eq!(run.story().len(), expected.len());
}

#[test]
fn what_a_cancelled_or_failed_turn_left_open_ends_as_an_error() {
    for (terminal, code, end) in [
        (cancelled(), "CANCELLED", "turn-1 cancelled"),
        (response_error(), "INTERRUPTED", "turn-1 error RESPONSE_BROKE"),
    ] {
        let mut run = Harness::new(&[1]);
        run.send_all([
            response_start(),
            message("m"),
            delta("m", "a b"),
            delta("m", " c"),
            call("t", "c"),
            terminal,
        ]);
        let expected = [
            "turn-1 started".to_owned(),
            "m create \"a b\"".to_owned(),
            "t create Read".to_owned(),
            "m update \"a b c\"".to_owned(),
            format!("m error {code} \"a b c\""),
            format!("t error {code} Read"),
            end.to_owned(),
        ];
        assert_eq!(run.story(), expected);
    }
}

#[test]
fn a_cancelled_item_that_was_shown_ends_as_an_error() {
    let mut run = Harness::new(&[1]);
    run.send_all([message("m"), delta("m", "a b"), delta("m", " c"), item_cancelled("m")]);
    run.send_all([
        call("t", "c"),
        item_cancelled("t"),
        output("r", "c", "late"),
        message_done("m", "a b c"),
    ]);
    let expected = [
        "m create \"a b\"",
        "m error CANCELLED \"a b c\"",
        "t create Read",
        "t error CANCELLED Read",
    ];
    assert_eq!(run.story(), expected);
}

#[test]
fn an_item_cancelled_without_trace_may_be_started_again() {
    let mut run = Harness::new(&[]);
    run.send_all([
        item_cancelled("m"),
        delta("m", "x"),
        message_done("m", "x"),
        message("m"),
        message_done("m", "y"),
    ]);
    assert_eq!(run.story(), ["m complete \"y\""]);
}

#[test]
fn a_second_start_interrupts_the_open_turn() {
    let mut run = Harness::new(&[]);
    run.send_all([response_start(), response_start(), message("m"), delta("m", "hello")]);
    run.in_turn("turn-2").send_all([response_start(), completed()]);
    let expected = [
        "turn-1 started",
        "m create \"hello\"",
        "m error INTERRUPTED \"hello\"",
        "turn-1 error INTERRUPTED",
        "turn-2 started",
        "turn-2 completed",
    ];
    assert_eq!(run.story(), expected);
    run.in_turn("turn-1").send_all([response_start(), message_done("m", "late"), completed()]);
    assert_eq!(run.story().len(), expected.len(), "a turn that ended does not begin again");
}

#[test]
fn items_without_a_response_start_are_shown_and_their_turn_can_end() {
    let mut run = Harness::new(&[]);
    run.send_all([message_done("m", "hi"), response_start(), completed()]);
    assert_eq!(run.story(), ["m complete \"hi\"", "turn-1 started", "turn-1 completed"]);
}

#[test]
fn a_turn_nobody_has_heard_of_is_not_reported() {
    let mut run = Harness::new(&[]);
    run.send(delta("nobody", "x")).in_turn("turn-2").send(response_start());
    assert_eq!(run.story(), ["turn-2 started"]);
    let mut run = Harness::new(&[]);
    run.send(delta("nobody", "x")).destroy(None);
    assert_eq!(run.story(), NOTHING);
}

#[test]
fn items_of_another_turn_show_up_and_end_with_their_own_or_the_open_turn() {
    let mut run = Harness::new(&[]);
    run.send(response_start()).in_turn("turn-2").send_all([
        message("g"),
        delta("g", "guest"),
        call("t", "c"),
    ]);
    run.send(completed())
        .in_turn("turn-3")
        .send(call("h", "d"))
        .in_turn("turn-1")
        .send(completed());
    let expected = [
        "turn-1 started",
        "t create Read",
        "g create \"guest\"",
        "g complete \"guest\"",
        "t complete Read -> \"\"",
        "turn-2 completed",
        "h create Read",
        "h error INTERRUPTED Read",
        "turn-3 error INTERRUPTED",
        "turn-1 completed",
    ];
    assert_eq!(run.story(), expected);
}

#[test]
fn items_that_came_before_their_turns_start_survive_it() {
    let mut run = Harness::new(&[]);
    run.send(response_start()).in_turn("turn-2").send_all([message("g"), delta("g", "early ")]);
    run.send_all([response_start(), delta("g", "bird"), completed()]);
    let expected = [
        "turn-1 started",
        "turn-1 error INTERRUPTED",
        "turn-2 started",
        "g create \"early bird\"",
        "g complete \"early bird\"",
        "turn-2 completed",
    ];
    assert_eq!(run.story(), expected);
}

#[test]
fn destroying_without_a_reason_gives_errors_without_a_code() {
    let mut run = Harness::new(&[1]);
    run.send_all([
        response_start(),
        message("m"),
        delta("m", "all shown"),
        message("e"),
        call("t", "c"),
    ])
    .destroy(None);
    let expected = [
        "turn-1 started",
        "m create \"all shown\"",
        "t create Read",
        "m error \"all shown\"",
        "e error \"\"",
        "t error Read",
        "turn-1 error INTERRUPTED",
    ];
    assert_eq!(run.story(), expected);
    assert!(
        run.upserts()
            .iter()
            .all(|upsert| upsert.error_code.is_none() && upsert.error_message.is_none())
    );
    run.destroy(None).send(message_done("m", "late"));
    assert_eq!(run.story().len(), expected.len());
    run.in_turn("turn-2").send(response_start());
    assert_eq!(
        run.story().last().unwrap(),
        "turn-2 started",
        "a later response revives the processor"
    );
}

#[test]
fn an_item_keeps_its_kind_and_takes_its_final_text_and_origin() {
    let mut run = Harness::new(&[]);
    run.send_all([
        reasoning("r"),
        message_done("r", "as said"),
        call("t", "c"),
        message_done("t", "no text"),
    ]);
    assert!(
        matches!(&run.upserts()[0].body, UpsertBody::Thinking { content, .. } if *content == "as said")
    );
    assert_eq!(run.story().len(), 2, "a tool does not become a message");
    let final_item =
        contract::FinalItem::Message { content: "typed".into(), origin: MessageOrigin::User };
    run.send(contract::EventPayload::ItemDone { item_id: "u".into(), final_item });
    let expected = UpsertBody::Message { content: "typed".into(), origin: MessageOrigin::User };
    assert_eq!(run.upserts()[2].body, expected);
}

#[test]
fn an_item_that_failed_before_its_turn_started_stays_failed() {
    let mut run = Harness::new(&[]);
    run.send(response_start()).in_turn("turn-2").send_all([item_error("x"), response_start()]);
    run.send_all([message_done("x", "whole"), completed()]);
    assert!(!run.story().iter().any(|line| line.starts_with("x ")), "{:?}", run.story());
}

#[test]
fn a_first_text_that_may_wait_longer_than_growth_still_lets_growth_be_prompt() {
    let pace =
        Pace::Prompt { first: Duration::from_millis(500), growth: Duration::from_millis(100) };
    let mut run = Harness::with_pace(&[1], pace);
    run.send_all([message("m"), delta("m", "one two three"), delta("m", " four")]).wait(100);
    assert_eq!(run.story(), ["m create \"one two three\"", "m update \"one two three four\""]);
}

#[test]
fn a_providers_pace_shows_text_in_time() {
    let mut run = Harness::with_pace(&[], Pace::PROVIDER);
    run.send_all([message("m"), delta("m", "Hello")]).wait(49);
    assert_eq!(run.story(), NOTHING);
    run.wait(1).send(delta("m", " world")).wait(249);
    assert_eq!(run.story().len(), 1);
    run.wait(1);
    assert_eq!(run.story(), ["m create \"Hello\"", "m update \"Hello world\""]);
}

/// What was told of an item last: its status, its code, and how long its text is.
fn last(run: &Harness, item: &str) -> (ItemStatus, Option<ErrorCode>, usize) {
    let states = run.emissions.iter().rev().filter_map(|emission| match emission {
        Emission::Upsert(upsert) => Some(upsert).filter(|upsert| upsert.item_id == *item),
        Emission::Turn(_) => None,
    });
    let state = states.into_iter().next().unwrap();
    (state.status, state.error_code.clone(), state.content().map_or(0, |text| text.len()))
}

const MEGABYTE: usize = 1 << 20;

#[test]
fn a_text_that_does_not_end_fails_at_its_bound_with_all_that_was_taken() {
    let mut run = Harness::new(&[]);
    let much = "word ".repeat(MEGABYTE / 5);
    run.send(message("m"));
    for _ in 0..8 {
        run.send(delta("m", &much));
    }
    assert_eq!(last(&run, "m").0, ItemStatus::Update);
    assert_eq!(run.processor.ignored(), 0);
    run.send(delta("m", &much));
    let expected = (ItemStatus::Error, Some(ErrorCode::PAYLOAD_TOO_LARGE), 8 * much.len());
    assert_eq!(last(&run, "m"), expected);
    run.send_all([delta("m", "more"), message_done("m", "the end")]);
    assert_eq!(last(&run, "m"), expected, "it stays failed");
    assert_eq!(run.processor.ignored(), 2, "and whoever goes on is told");
    run.send_all([message("next"), delta("next", "words"), message_done("next", "words")]);
    assert_eq!(last(&run, "next"), (ItemStatus::Complete, None, 5));
}

#[test]
fn items_that_are_never_ended_have_a_bound_together_and_give_back_what_they_held() {
    let mut run = Harness::new(&[]);
    let much = "word ".repeat(MEGABYTE);
    let names: Vec<String> = (0..8).map(|n| format!("m{n}")).collect();
    for name in &names {
        run.send_all([message(name), delta(name, &much)]);
    }
    run.wait(1000);
    let failed = |run: &Harness| {
        let states = names.iter().map(|name| last(run, name));
        states.filter(|(status, ..)| *status == ItemStatus::Error).count()
    };
    assert_eq!(failed(&run), 2, "six fit");
    run.send_all([message_with("late", &much), call("t", "c"), call_done("t", "c", &much)]);
    assert_eq!(last(&run, "late"), (ItemStatus::Error, Some(ErrorCode::PAYLOAD_TOO_LARGE), 0));
    assert_eq!(last(&run, "t").1, Some(ErrorCode::PAYLOAD_TOO_LARGE));
    run.send(message_done(&names[0], "over"));
    run.send_all([message("room"), delta("room", &much), message_done("room", &much)]);
    assert_eq!(last(&run, "room").0, ItemStatus::Complete);
}
