//! Whose turn it was: what we decided when it opened, against what the agent says when it ends.

use contract::{TurnEventKind, TurnId};
use recording::{ReplayEvent, ReplayedThing};
use serde_json::Value;

use crate::recordings::{self, Sample};

/// The results that end a turn, in order. A turn of the agent's own in which it said nothing is none.
fn results(sample: &Sample) -> Vec<Value> {
    let mut results = Vec::new();
    let mut has_spoken = false;
    for line in recordings::agent_lines(&sample.recording) {
        has_spoken |= line["type"] == "assistant" || line["type"] == "stream_event";
        let is_joined = !line["user_message_uuids"].is_null();
        if line["type"] == "result" {
            if has_spoken || is_joined || line["origin"].is_null() {
                results.push(line);
            }
            has_spoken = false;
        }
    }
    // A resume that failed has no turn.
    let refusals = ["No conversation found", "is not a UUID"];
    results.retain(|line| !refusals.iter().any(|words| line["errors"].to_string().contains(words)));
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

fn has_failed(events: &[ReplayEvent], turn: &TurnId) -> bool {
    events.iter().any(|event| {
        matches!(&event.what, ReplayedThing::Turn(event)
            if event.turn_id == *turn && matches!(event.kind, TurnEventKind::TurnError { .. }))
    })
}

#[test]
fn every_turn_has_the_owner_that_its_result_names() {
    let mut judged = 0;
    for sample in recordings::all() {
        let events = recordings::replay(&sample.recording);
        let turns = turns(&events);
        let results = results(&sample);
        let name = &sample.name;
        assert!(results.len() <= turns.len(), "{name}: a result without a turn");
        for (turn, _) in turns.iter().skip(results.len()) {
            assert!(has_failed(&events, turn), "{name}: {turn} ended well without a result");
        }
        for (result, (turn, joined)) in results.iter().zip(&turns) {
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
