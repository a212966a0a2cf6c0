//! What the agent said stands in the timeline, word for word.

use std::collections::HashMap;

use contract::{ItemId, UpsertObject};
use recording::{ReplayEvent, ReplayedThing};

use crate::recordings;

pub(crate) fn last_states(events: &[ReplayEvent]) -> HashMap<&ItemId, &UpsertObject> {
    let upserts = events.iter().filter_map(|event| match &event.what {
        ReplayedThing::Upsert(upsert) => Some((&upsert.item_id, &**upsert)),
        _ => None,
    });
    upserts.collect()
}

#[test]
fn every_snapshot_of_the_agent_is_the_last_state_of_an_item() {
    let mut compared = 0;
    for sample in recordings::all() {
        let events = recordings::replay(&sample.recording);
        let mut texts: Vec<String> = last_states(&events)
            .values()
            .filter_map(|item| item.content().map(ToString::to_string))
            .collect();
        for line in recordings::agent_lines(&sample.recording) {
            if line["type"] != "assistant" || !line["error"].is_null() {
                continue;
            }
            for block in line["message"]["content"].as_array().unwrap() {
                let Some(said) = block["text"].as_str().or(block["thinking"].as_str()) else {
                    continue;
                };
                let found = texts.iter().position(|text| text == said);
                // Each item stands for one snapshot.
                texts.remove(found.unwrap_or_else(|| panic!("{}: {said:?}", sample.name)));
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "{compared} snapshots were compared");
}

/// Without the snapshots, what streamed is the same text.
#[test]
fn text_accumulated_from_deltas_equals_the_snapshot() {
    let mut compared = 0;
    for mut sample in recordings::all() {
        let with = recordings::replay(&sample.recording);
        sample.recording.entries.retain(|entry| !recordings::is_main_snapshot(entry));
        let without = recordings::replay(&sample.recording);
        let (with, without) = (last_states(&with), last_states(&without));
        for (id, item) in without {
            let (Some(streamed), Some(snapshot)) = (item.content(), with.get(id)) else { continue };
            if item.status == snapshot.status {
                assert_eq!(Some(streamed), snapshot.content(), "{}: {id}", sample.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 500, "{compared} texts were compared");
}
