//! What holds for every conversation, whatever happened in it.

use std::collections::HashMap;

use contract::{ItemId, ItemStatus, TurnEventKind, TurnId, UpsertBody, UpsertObject};
use recording::{ReplayEvent, ReplayedThing};

use crate::recordings;

#[derive(Default)]
struct Judge<'a> {
    turns: HashMap<&'a TurnId, Life>,
    items: HashMap<&'a ItemId, &'a UpsertObject>,
    waiting: Vec<&'a contract::PermissionId>,
}

#[derive(Default)]
struct Life {
    started: u32,
    ended: u32,
}

impl<'a> Judge<'a> {
    fn take(&mut self, event: &'a ReplayEvent) {
        match &event.what {
            ReplayedThing::Upsert(upsert) => self.take_upsert(upsert),
            ReplayedThing::Turn(event) => {
                let life = self.turns.entry(&event.turn_id).or_default();
                match event.kind {
                    TurnEventKind::TurnStarted { .. } => life.started += 1,
                    _ => life.ended += 1,
                }
                assert!(life.started <= 1 && life.ended <= 1, "{event:?} is told once");
            }
            ReplayedThing::Permission(request) if request.outcome.is_none() => {
                assert!(!self.waiting.contains(&&request.permission_id));
                self.waiting.push(&request.permission_id);
            }
            ReplayedThing::Permission(request) => {
                let asked = self.waiting.iter().position(|id| **id == request.permission_id);
                self.waiting.remove(asked.expect("what is resolved was asked"));
            }
            ReplayedThing::Status(_) => {}
            ReplayedThing::Unknown(line) => panic!("unknown line {line}"),
        }
    }

    fn take_upsert(&mut self, upsert: &'a UpsertObject) {
        let is_users = upsert.item_id == format!("{}:0:0", upsert.turn_id).as_str();
        if is_users {
            return;
        }
        let life = self.turns.get(&upsert.turn_id).expect("an item belongs to a turn that started");
        let outlives =
            upsert.parent_item_id.is_some() || matches!(upsert.body, UpsertBody::ToolCall(_));
        assert!(life.ended == 0 || outlives, "{upsert:?} after its turn's end");
        let before = self.items.insert(&upsert.item_id, upsert);
        match before {
            None => assert!(
                matches!(upsert.status, ItemStatus::Create | ItemStatus::Error),
                "an item begins: {upsert:?}"
            ),
            Some(before) => self.judge_change(before, upsert),
        }
    }

    fn judge_change(&self, before: &UpsertObject, after: &UpsertObject) {
        assert!(!before.is_final(), "{after:?} changes what had ended");
        assert_ne!(after.status, ItemStatus::Create, "{after:?} begins twice");
        assert!(after.source_timestamp >= before.source_timestamp);
        if let (Some(before), Some(after_text)) = (before.content(), after.content())
            && after.status == ItemStatus::Update
        {
            assert!(after_text.starts_with(before), "text only grows: {after:?}");
        }
    }

    fn end(&self) {
        for (turn, life) in &self.turns {
            assert_eq!(life.ended, 1, "turn {turn} ends");
        }
        for item in self.items.values() {
            assert!(item.is_final(), "{item:?} was left open");
        }
        assert!(self.waiting.is_empty(), "{:?} still wait", self.waiting);
    }
}

#[test]
fn every_recording_keeps_the_invariants() {
    let samples = recordings::all();
    assert!(samples.len() > 300, "{} recordings", samples.len());
    for sample in samples {
        let events = recordings::replay(&sample.recording);
        let judged = std::panic::catch_unwind(|| {
            let mut judge = Judge::default();
            events.iter().for_each(|event| judge.take(event));
            judge.end();
        });
        assert!(judged.is_ok(), "in {}", sample.name);
    }
}

#[test]
fn a_replay_is_the_same_every_time() {
    for sample in recordings::all().iter().step_by(10) {
        let once = || serde_json::to_string(&recordings::replay(&sample.recording)).unwrap();
        assert_eq!(once(), once(), "{}", sample.name);
    }
}

/// A terminal event belongs to a turn that was told as started; a message that never gets a turn yields only
/// its user item.
#[test]
fn no_turn_ends_that_did_not_start() {
    let mut bad = Vec::new();
    for sample in recordings::all() {
        let events = recordings::replay(&sample.recording);
        let mut started = std::collections::HashSet::new();
        for event in &events {
            if let ReplayedThing::Turn(event) = &event.what {
                match event.kind {
                    TurnEventKind::TurnStarted { .. } => drop(started.insert(&event.turn_id)),
                    _ if !started.contains(&event.turn_id) => bad.push(sample.name.clone()),
                    _ => {}
                }
            }
        }
    }
    assert!(bad.is_empty(), "{bad:?}");
}

/// Once the recording is over the agent is gone, so nothing runs.
#[test]
fn nothing_runs_after_the_end() {
    let mut bad = Vec::new();
    for sample in recordings::all() {
        let events = recordings::replay(&sample.recording);
        let last = events.iter().rev().find_map(|event| match &event.what {
            ReplayedThing::Status(status) => Some(status.activity),
            _ => None,
        });
        if matches!(last, Some("running" | "permission")) {
            bad.push(sample.name.clone());
        }
    }
    assert!(bad.is_empty(), "{bad:?}");
}

/// Every failure that the agent announced as overloaded is named so at its end.
#[test]
fn an_overloaded_api_is_named() {
    for sample in recordings::all() {
        if !sample.name.ends_with("err_529") {
            continue;
        }
        let events = recordings::replay(&sample.recording);
        let classes: Vec<_> = events
            .iter()
            .filter_map(|event| match &event.what {
                ReplayedThing::Turn(event) => match &event.kind {
                    TurnEventKind::TurnError { error_class, .. } => error_class.clone(),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        assert_eq!(classes, ["overloaded"], "{}", sample.name);
    }
}

/// Process death tells the last stderr lines, in a replay as live.
#[test]
fn a_crash_tells_the_last_words() {
    let mut bad = Vec::new();
    for sample in recordings::all() {
        if !sample.name.ends_with("malformed_midturn") {
            continue;
        }
        for event in recordings::replay(&sample.recording) {
            if let ReplayedThing::Turn(event) = event.what
                && let TurnEventKind::TurnError { error_message, .. } = event.kind
                && !error_message.contains("Error parsing streaming input line")
            {
                bad.push((sample.name.clone(), error_message));
            }
        }
    }
    assert!(bad.is_empty(), "{bad:?}");
}

/// A line that is not JSON is kept too, not only counted.
#[test]
fn a_line_that_is_not_json_is_kept() {
    let text = "{\"recording\":1,\"cli\":\"claude-code\"}\n{\"ms\":1,\"from\":\"agent\",\"line\":\"panic: oops\"}\n";
    let recording = recording::Recording::parse(text).unwrap();
    let events = recordings::replay(&recording);
    assert!(events.iter().any(|event| matches!(event.what, ReplayedThing::Unknown(_))));
}

/// The format's version is part of it.
#[test]
fn a_recording_of_a_later_format_is_none_of_ours() {
    assert!(recording::Recording::parse("{\"recording\":2,\"cli\":\"claude-code\"}\n").is_err());
}
