//! What holds for every conversation, whatever happened in it.

use std::collections::HashMap;

use claude::{ReplayEvent, ReplayedThing};
use contract::{ItemId, ItemStatus, TurnEventKind, TurnId, UpsertBody, UpsertObject};

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
