//! What holds for every sequence of events, well-formed and mangled.

use std::collections::{HashMap, HashSet};

use contract::{EventPayload, FinalItem, ItemStatus, UpsertObject};
use pipeline::Emission;
use proptest::prelude::*;

use crate::support::*;

/// One thing that may happen to a processor.
#[derive(Clone, Debug)]
enum Step {
    Event(&'static str, EventPayload),
    Wait(u64),
    Destroy,
}

const TURNS: [&str; 3] = ["turn-1", "turn-2", "turn-3"];
const ITEMS: [&str; 4] = ["a", "b", "c", "d"];
const CALLS: [&str; 3] = ["x", "y", "z"];

fn text() -> impl Strategy<Value = String> {
    proptest::string::string_regex("([a-cé🦀]{0,3}[ \n]?){0,6}").unwrap()
}

fn payload() -> impl Strategy<Value = EventPayload> {
    let item = || proptest::sample::select(&ITEMS[..]);
    let call_id = || proptest::sample::select(&CALLS[..]);
    prop_oneof![
        2 => Just(response_start()),
        2 => item().prop_map(message),
        1 => (item(), text()).prop_map(|(item, text)| message_with(item, &text)),
        2 => item().prop_map(reasoning),
        2 => (item(), call_id()).prop_map(|(item, id)| call(item, id)),
        8 => (item(), text()).prop_map(|(item, text)| delta(item, &text)),
        2 => (item(), text()).prop_map(|(item, text)| message_done(item, &text)),
        1 => (item(), text()).prop_map(|(item, text)| reasoning_done(item, &text)),
        1 => (item(), call_id()).prop_map(|(item, id)| call_done(item, id, "p")),
        2 => (item(), call_id()).prop_map(|(item, id)| output(item, id, "out")),
        1 => item().prop_map(item_error),
        1 => item().prop_map(item_cancelled),
        1 => Just(completed()),
        1 => Just(cancelled()),
        1 => Just(response_error()),
    ]
}

/// Anything in any order.
fn mangled() -> impl Strategy<Value = Vec<Step>> {
    let turn = proptest::sample::select(&TURNS[..]);
    let step = prop_oneof![
        20 => (turn, payload()).prop_map(|(turn, payload)| Step::Event(turn, payload)),
        2 => (0..1500_u64).prop_map(Step::Wait),
        1 => Just(Step::Destroy),
    ];
    proptest::collection::vec(step, 0..60)
}

/// Turns as a sound producer sends them: start, an item at a time in pieces, a tool call beside it, an end.
fn well_formed() -> impl Strategy<Value = Vec<Step>> {
    let item = (any::<bool>(), proptest::collection::vec(text(), 0..8), 0..1500_u64);
    let turn = (proptest::collection::vec(item, 0..4), 0..3_usize);
    proptest::collection::vec(turn, 1..4).prop_map(|turns| {
        let turns = turns.into_iter().zip(TURNS).map(|((items, end), turn)| {
            let mut steps = vec![Step::Event(turn, response_start())];
            for ((thinks, pieces, wait), item) in items.into_iter().zip(ITEMS) {
                let item = format!("{turn}:{item}");
                let call_id = format!("{item}:call");
                steps.push(Step::Event(turn, call(&call_id, &call_id)));
                steps.extend(whole_item(turn, &item, thinks, &pieces));
                steps.push(Step::Event(turn, call_done(&call_id, &call_id, "p")));
                steps.push(Step::Event(turn, output(&format!("{item}:output"), &call_id, "out")));
                steps.insert(steps.len() - 1, Step::Wait(wait));
            }
            steps
                .push(Step::Event(turn, [completed(), cancelled(), response_error()][end].clone()));
            steps
        });
        turns.flatten().collect()
    })
}

fn whole_item(turn: &'static str, item: &str, thinks: bool, pieces: &[String]) -> Vec<Step> {
    let whole = pieces.concat();
    let start = if thinks { reasoning(item) } else { message(item) };
    let end = if thinks { reasoning_done(item, &whole) } else { message_done(item, &whole) };
    let deltas = pieces.iter().map(|piece| delta(item, piece));
    std::iter::once(start)
        .chain(deltas)
        .chain([end])
        .map(|payload| Step::Event(turn, payload))
        .collect()
}

fn run(steps: &[Step], gradient: &[usize]) -> Harness {
    let mut harness = Harness::new(gradient);
    for step in steps {
        match step {
            Step::Event(turn, payload) => harness.in_turn(turn).send(payload.clone()),
            Step::Wait(millis) => harness.wait(*millis),
            Step::Destroy => harness.destroy(Some(("GONE", "gone"))),
        };
    }
    harness
}

fn contents_only_grow_until_the_final_text(emissions: &[Emission]) -> Result<(), TestCaseError> {
    let mut last: HashMap<String, UpsertObject> = HashMap::new();
    for upsert in emissions.iter().filter_map(upsert) {
        let before = last.insert(upsert.item_id.to_string(), upsert.clone());
        let Some(before) = before else { continue };
        prop_assert!(
            !before.is_final(),
            "nothing follows the end of {}: {upsert:?}",
            upsert.item_id
        );
        prop_assert!(upsert.status != ItemStatus::Create, "an item is created once: {upsert:?}");
        if upsert.status != ItemStatus::Complete
            && let (Some(now), Some(then)) = (upsert.content(), before.content())
        {
            prop_assert!(now.starts_with(then), "{then:?} became {now:?}");
        }
        prop_assert_eq!(&before.turn_id, &upsert.turn_id);
    }
    Ok(())
}

fn a_turn_ends_once_and_nothing_of_it_follows(emissions: &[Emission]) -> Result<(), TestCaseError> {
    let mut ended = HashSet::new();
    let mut started = HashSet::new();
    for emission in emissions {
        let turn = match emission {
            Emission::Upsert(upsert) => &upsert.turn_id,
            Emission::Turn(event) => &event.turn_id,
        };
        prop_assert!(!ended.contains(turn), "after the end of {turn}: {emission:?}");
        if let Emission::Turn(event) = emission {
            if event.kind.is_terminal() {
                ended.insert(turn.clone());
            } else {
                prop_assert!(started.insert(turn.clone()), "{turn} starts once");
            }
        }
    }
    Ok(())
}

/// Every turn of which something was told has its terminal event once the processor is destroyed.
fn every_turn_was_ended(emissions: &[Emission]) -> Result<(), TestCaseError> {
    let mut open = HashSet::new();
    for emission in emissions {
        match emission {
            Emission::Turn(event) if event.kind.is_terminal() => {
                open.remove(&event.turn_id);
            }
            Emission::Turn(event) => {
                open.insert(event.turn_id.clone());
            }
            Emission::Upsert(upsert) => {
                open.insert(upsert.turn_id.clone());
            }
        }
    }
    prop_assert!(open.is_empty(), "left open: {open:?}");
    Ok(())
}

fn every_item_was_ended(emissions: &[Emission]) -> Result<(), TestCaseError> {
    let last: HashMap<_, _> =
        emissions.iter().filter_map(upsert).map(|upsert| (&upsert.item_id, upsert)).collect();
    for upsert in last.values() {
        prop_assert!(upsert.is_final(), "left open: {upsert:?}");
    }
    Ok(())
}

/// What was streamed of each item, or what it was said to be in the end.
fn streamed(steps: &[Step]) -> HashMap<String, String> {
    let mut texts: HashMap<String, String> = HashMap::new();
    for step in steps {
        let Step::Event(_, payload) = step else { continue };
        match payload {
            EventPayload::ItemDelta { item_id, delta_content } => {
                texts.entry(item_id.to_string()).or_default().push_str(delta_content);
            }
            EventPayload::ItemDone {
                item_id,
                final_item:
                    FinalItem::Message { content, .. } | FinalItem::Reasoning { content, .. },
            } => {
                texts.insert(item_id.to_string(), content.clone());
            }
            _ => {}
        }
    }
    texts
}

fn upsert(emission: &Emission) -> Option<&UpsertObject> {
    match emission {
        Emission::Upsert(upsert) => Some(upsert),
        Emission::Turn(_) => None,
    }
}

/// With ids that differ from turn to turn, as callers promise: whatever a mangled stream does within a turn.
fn with_ids_of_their_turn(steps: Vec<Step>) -> Vec<Step> {
    let own = |turn: &str, json: serde_json::Value| -> EventPayload {
        let mut json = json;
        for field in ["itemId", "callId"] {
            if let Some(id) =
                json.get(field).and_then(|id| id.as_str()).map(|id| format!("{turn}:{id}"))
            {
                json[field] = id.into();
            }
        }
        if let Some(id) = json
            .pointer("/finalItem/callId")
            .and_then(|id| id.as_str())
            .map(|id| format!("{turn}:{id}"))
        {
            json["finalItem"]["callId"] = id.into();
        }
        let kind = json["type"].clone();
        let envelope = serde_json::json!({"eventId": "e", "timestamp": "1970-01-01T00:00:00Z", "turnId": turn,
            "sessionId": "session-1", "type": kind, "payload": json});
        contract::StreamEventEnvelope::from_value(&envelope).unwrap().payload
    };
    steps
        .into_iter()
        .map(|step| match step {
            Step::Event(turn, payload) => {
                Step::Event(turn, own(turn, serde_json::to_value(payload).unwrap()))
            }
            Step::Wait(_) | Step::Destroy => step,
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn mangled_streams_keep_every_invariant(steps in mangled(), small in any::<bool>()) {
        let steps = with_ids_of_their_turn(steps);
        let mut harness = run(&steps, if small { &[0] } else { &[] });
        harness.destroy(None);
        contents_only_grow_until_the_final_text(&harness.emissions)?;
        a_turn_ends_once_and_nothing_of_it_follows(&harness.emissions)?;
        every_turn_was_ended(&harness.emissions)?;
        every_item_was_ended(&harness.emissions)?;
    }

    #[test]
    fn a_stream_that_breaks_off_anywhere_loses_no_text(steps in well_formed(), cut in 0..200_usize) {
        let steps = &steps[..cut.min(steps.len())];
        let mut harness = run(steps, &[]);
        harness.destroy(Some(("GONE", "gone")));
        let last: HashMap<_, _> =
            harness.upserts().into_iter().map(|upsert| (upsert.item_id.to_string(), upsert)).collect();
        for (item, text) in streamed(steps) {
            prop_assert_eq!(last[&item].content().unwrap(), text.as_str());
        }
    }

    #[test]
    fn ids_shared_between_turns_never_break_a_turn(steps in mangled()) {
        let harness = run(&steps, &[1]);
        a_turn_ends_once_and_nothing_of_it_follows(&harness.emissions)?;
    }

    #[test]
    fn well_formed_streams_lose_nothing(steps in well_formed(), small in any::<bool>()) {
        let harness = run(&steps, if small { &[1] } else { &[] });
        contents_only_grow_until_the_final_text(&harness.emissions)?;
        a_turn_ends_once_and_nothing_of_it_follows(&harness.emissions)?;
        every_turn_was_ended(&harness.emissions)?;
        every_item_was_ended(&harness.emissions)?;
        let last: HashMap<_, _> =
            harness.upserts().into_iter().map(|upsert| (upsert.item_id.to_string(), upsert)).collect();
        for step in &steps {
            let Step::Event(_, EventPayload::ItemDone { item_id, final_item }) = step else { continue };
            let (FinalItem::Message { content, .. } | FinalItem::Reasoning { content, .. }) = final_item
            else { continue };
            let shown = last[item_id.as_str()];
            prop_assert_eq!(shown.status, ItemStatus::Complete);
            prop_assert_eq!(shown.content().unwrap(), content.as_str());
        }
        prop_assert_eq!(harness.processor.ignored(), 0);
    }
}
