//! Whose turn it was: what we decided when it opened, against what the agent says when it ends.

use claude::{ReplayEvent, ReplayedThing};
use contract::{TurnEventKind, TurnId};
use serde_json::Value;

use crate::recordings::{self, Sample};

/// The results that end a turn, in order. The first of two notifications that came together ends in nothing.
fn results(sample: &Sample) -> Vec<Value> {
    let mut results = recordings::agent_lines(&sample.recording);
    results.retain(|line| line["type"] == "result");
    results.retain(|line| {
        let is_nothing = line["num_turns"] == 0 && line["user_message_uuids"].is_null();
        !is_nothing || line["origin"].is_null()
    });
    // A resume that failed has no turn.
    results.retain(|line| !line["errors"].to_string().contains("No conversation found"));
    results
}

/// The turns that ended, in order, each with those that joined it.
fn turns(events: &[ReplayEvent]) -> Vec<(TurnId, Vec<TurnId>)> {
    let mut turns: Vec<(TurnId, Vec<TurnId>)> = Vec::new();
    for event in events {
        let ReplayedThing::Turn(event) = &event.what else { continue };
        match &event.kind {
            TurnEventKind::TurnStarted { joined_turn_id: Some(joined), .. } => {
                let main = turns.iter_mut().find(|(id, _)| id == joined).unwrap();
                main.1.push(event.turn_id.clone());
            }
            TurnEventKind::TurnStarted { .. } => turns.push((event.turn_id.clone(), Vec::new())),
            _ => {}
        }
    }
    turns
}

#[test]
fn every_turn_has_the_owner_that_its_result_names() {
    let mut judged = 0;
    for sample in recordings::all() {
        let turns = turns(&recordings::replay(&sample.recording));
        for (result, (turn, joined)) in results(&sample).iter().zip(&turns) {
            let name = &sample.name;
            let named: Vec<&str> = result["user_message_uuids"]
                .as_array()
                .map(|uuids| uuids.iter().filter_map(Value::as_str).collect())
                .unwrap_or_default();
            let is_autonomous = turn.as_str().starts_with("auto-");
            if !result["origin"].is_null() {
                assert!(is_autonomous, "{name}: {turn} was the agent's own");
                assert_eq!(named, joined.iter().map(TurnId::as_str).collect::<Vec<_>>(), "{name}");
                judged += 1;
            } else if let [first, others @ ..] = named.as_slice() {
                assert_eq!(turn, first, "{name}");
                assert_eq!(others, joined.iter().map(TurnId::as_str).collect::<Vec<_>>(), "{name}");
                judged += 1;
            }
        }
    }
    assert!(judged > 200, "{judged} turns could be judged");
}
