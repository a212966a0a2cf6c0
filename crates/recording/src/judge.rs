//! What holds for every conversation, whichever agent it was with and whatever happened in it.

use std::collections::HashMap;

use contract::{
    ItemId, ItemStatus, PermissionId, TurnEvent, TurnEventKind, TurnId, UpsertBody, UpsertObject,
};

use crate::replayed::{ReplayEvent, ReplayedThing};

/// Looks at a replay, event by event, and says what breaks a promise.
#[derive(Debug, Default)]
pub struct Judge<'a> {
    turns: HashMap<&'a TurnId, Life>,
    items: HashMap<&'a ItemId, &'a UpsertObject>,
    waiting: Vec<&'a PermissionId>,
    problems: Vec<String>,
}

#[derive(Debug, Default)]
struct Life {
    started: u32,
    ended: u32,
}

impl<'a> Judge<'a> {
    /// Everything that is wrong with a whole replay.
    pub fn problems(events: &'a [ReplayEvent]) -> Vec<String> {
        let mut judge = Self::default();
        events.iter().for_each(|event| judge.take(event));
        judge.end();
        judge.problems
    }

    fn take(&mut self, event: &'a ReplayEvent) {
        match &event.what {
            ReplayedThing::Upsert(upsert) => self.take_upsert(upsert),
            ReplayedThing::Turn(event) => self.take_turn(event),
            ReplayedThing::Permission(request) => {
                let id = &request.permission_id;
                let asked = self.waiting.iter().position(|waiting| *waiting == id);
                match (request.outcome, asked) {
                    (None, None) => self.waiting.push(id),
                    (Some(_), Some(index)) => drop(self.waiting.remove(index)),
                    (None, Some(_)) => self.note(format!("a permission is asked twice: {id}")),
                    (Some(_), None) => {
                        self.note(format!("a permission is resolved and was not asked: {id}"));
                    }
                }
            }
            ReplayedThing::Status(_) => {}
            ReplayedThing::Unknown(line) => self.note(format!("unknown line {line}")),
        }
    }

    fn take_turn(&mut self, event: &'a TurnEvent) {
        let life = self.turns.entry(&event.turn_id).or_default();
        match event.kind {
            TurnEventKind::TurnStarted { .. } => life.started += 1,
            TurnEventKind::TurnComplete { .. } | TurnEventKind::TurnError { .. } => life.ended += 1,
        }
        if life.started != 1 || life.ended > 1 {
            self.note(format!("a turn starts once and ends once: {event:?}"));
        }
    }

    fn take_upsert(&mut self, upsert: &'a UpsertObject) {
        if upsert.item_id == ItemId::of_user_message(&upsert.turn_id) {
            return;
        }
        let has_ended = self.turns.get(&upsert.turn_id).map(|life| life.ended > 0);
        let outlives =
            upsert.parent_item_id.is_some() || matches!(upsert.body, UpsertBody::ToolCall(_));
        match has_ended {
            None => self.note(format!("an item of a turn that did not start: {upsert:?}")),
            Some(true) if !outlives => self.note(format!("after its turn's end: {upsert:?}")),
            Some(_) => {}
        }
        match self.items.insert(&upsert.item_id, upsert) {
            None if matches!(upsert.status, ItemStatus::Create | ItemStatus::Error) => {}
            None => self.note(format!("an item that did not begin: {upsert:?}")),
            Some(before) => self.take_change(before, upsert),
        }
    }

    fn take_change(&mut self, before: &UpsertObject, after: &UpsertObject) {
        if before.is_final() {
            self.note(format!("a change of what had ended: {after:?}"));
        }
        if after.status == ItemStatus::Create {
            self.note(format!("an item that begins twice: {after:?}"));
        }
        if after.source_timestamp < before.source_timestamp {
            self.note(format!("an item that goes back in time: {after:?}"));
        }
        if let (Some(before), Some(text)) = (before.content(), after.content())
            && after.status == ItemStatus::Update
            && !text.starts_with(before)
        {
            self.note(format!("a text that does not only grow: {after:?}"));
        }
    }

    fn end(&mut self) {
        let endless = self.turns.iter().filter(|(_, life)| life.ended != 1);
        let endless = endless.map(|(turn, _)| format!("turn {turn} does not end"));
        let open = self.items.values().filter(|item| !item.is_final());
        let open = open.map(|item| format!("an item that was left open: {item:?}"));
        let waiting = self.waiting.iter().map(|id| format!("{id} still waits"));
        let problems: Vec<String> = endless.chain(open).chain(waiting).collect();
        self.problems.extend(problems);
    }

    fn note(&mut self, problem: String) {
        self.problems.push(problem);
    }
}
