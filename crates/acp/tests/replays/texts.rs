//! What the agent said stands in the timeline, word for word.

use std::collections::BTreeMap;

use contract::{MessageOrigin, UpsertBody};
use recording::{Direction, Recorded, ReplayEvent, ReplayedThing};
use serde_json::Value;

use crate::recordings::{self, Sample};

/// What the agent said or thought, whole.
fn told(sample: &Sample, kind: &str) -> String {
    let lines = sample.recording.entries.iter().filter_map(|entry| match &entry.what {
        Recorded::Line(line) if entry.from == Direction::Agent => {
            serde_json::from_str::<Value>(line).ok()
        }
        _ => None,
    });
    let updates = lines.map(|line| line["params"]["update"].clone());
    let chunks = updates.filter(|update| update["sessionUpdate"] == kind);
    chunks.map(|chunk| chunk["content"]["text"].as_str().unwrap().to_owned()).collect()
}

/// What items say in the end, in the order in which they began.
fn shown(events: &[ReplayEvent], is_thought: bool) -> String {
    let mut order = Vec::new();
    let mut last = BTreeMap::new();
    for event in events {
        let ReplayedThing::Upsert(upsert) = &event.what else { continue };
        let text = match &upsert.body {
            UpsertBody::Message { content, origin: MessageOrigin::Agent } if !is_thought => content,
            UpsertBody::Thinking { content, .. } if is_thought => content,
            _ => continue,
        };
        if last.insert(&upsert.item_id, text).is_none() {
            order.push(&upsert.item_id);
        }
    }
    order.into_iter().map(|item| last[item].to_string()).collect()
}

#[test]
fn all_that_is_said_is_shown() {
    let mut compared = 0;
    for sample in recordings::all() {
        let events = recordings::replay(&sample.recording);
        for (kind, is_thought) in [("agent_message_chunk", false), ("agent_thought_chunk", true)] {
            // Empty lines before a text are not a part of it.
            let told = told(&sample, kind).replace('\n', "");
            let shown = shown(&events, is_thought).replace('\n', "");
            assert_eq!(shown, told, "{}", sample.name);
            compared += told.len();
        }
    }
    assert!(compared > 10_000, "{compared} bytes");
}
