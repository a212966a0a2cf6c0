//! What turns cost, of agents that tell what their session has cost so far.

use acp::Replayed;
use serde_json::{Value, json};

use crate::talk::Talk;

fn paid(amount: f64) -> Value {
    let cost = json!({ "amount": amount, "currency": "USD" });
    json!({ "sessionUpdate": "usage_update", "used": 10, "size": 100, "cost": cost })
}

fn turn(talk: &mut Talk, name: &str, amount: f64) {
    let prompt = talk.prompt(name);
    talk.update(&paid(amount));
    talk.answer(&prompt, &json!({ "stopReason": "end_turn" }));
}

#[test]
fn a_turn_costs_what_came_to_the_sum_in_it() {
    let mut talk = Talk::open();
    turn(&mut talk, "one", 0.5);
    turn(&mut talk, "two", 0.75);
    turn(&mut talk, "three", 0.75);
    assert_eq!(talk.costs(), [Some(0.5), Some(0.25), Some(0.0)]);
}

/// The sum is of turns that were paid for long ago; how much of it is new is not told.
#[test]
fn the_first_turn_of_a_session_that_goes_on_is_not_charged_with_all_before() {
    let mut talk = Talk::introduced(Talk::existing(Replayed::Discarded), "agent");
    let load = talk.written("session/load");
    talk.answer(&load, &json!({}));
    turn(&mut talk, "one", 9.5);
    turn(&mut talk, "two", 9.75);
    assert_eq!(talk.costs(), [None, Some(0.25)]);
}

#[test]
fn a_sum_that_is_told_while_the_session_is_loaded_is_what_it_cost_before() {
    for replayed in [Replayed::Discarded, Replayed::Told] {
        let mut talk = Talk::introduced(Talk::existing(replayed), "agent");
        talk.chunk("user_message", "old", None);
        talk.update(&paid(9.0));
        let load = talk.written("session/load");
        talk.answer(&load, &json!({}));
        turn(&mut talk, "one", 9.5);
        assert_eq!(talk.costs().last(), Some(&Some(0.5)), "{replayed:?}");
    }
}

#[test]
fn an_agent_that_counts_anew_is_not_believed_to_have_paid_something_back() {
    let mut talk = Talk::open();
    turn(&mut talk, "one", 3.0);
    turn(&mut talk, "two", 0.25);
    turn(&mut talk, "three", 0.5);
    assert_eq!(talk.costs(), [Some(3.0), None, Some(0.25)]);
}
