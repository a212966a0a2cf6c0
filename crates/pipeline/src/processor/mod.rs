//! The upsert stream processor: canonical events in, upserts and turn events out.
//!
//! Invariants, however mangled the events are:
//! - an item's text only grows until its final text, and an item that ended stays ended;
//! - an item that failed or was cancelled after it was shown never becomes `complete`;
//! - a turn has at most one terminal event and nothing of it follows; a turn that is destroyed has exactly one.

mod emit;
mod endings;
mod item;
mod items;
mod recent_turns;
mod room;
mod texts;
mod tools;
mod turns;

use std::collections::VecDeque;

use contract::{
    ErrorCode, EventPayload, FinalItem, ItemStart, ProviderId, SessionId, StreamEventEnvelope,
    TurnEvent, TurnId, UpsertObject,
};

use crate::gradient::BatchGradient;
use crate::growing_text::Batching;
use crate::moment::{Moment, Now};
use crate::pace::Pace;
use items::Items;
use recent_turns::RecentTurns;

/// What came out: in this order, each exactly once.
#[derive(Clone, Debug, PartialEq)]
pub enum Emission {
    Upsert(UpsertObject),
    Turn(TurnEvent),
}

/// Why a processor is given up.
#[derive(Clone, Debug)]
pub struct DestroyReason {
    pub code: ErrorCode,
    pub message: String,
}

/// After each call of `process`, `handle_timeout` or `destroy`, drain `poll_emission`, then ask `poll_timeout`.
#[derive(Debug)]
pub struct UpsertProcessor {
    batching: Batching,
    items: Items,
    turn: OpenTurn,
    /// Turns other than the open one that items were shown of: they end with it, if not before.
    guests: Vec<(TurnId, SessionId)>,
    /// Turns that ended lately: nothing may follow their terminal event, not even a second start.
    ended: RecentTurns,
    provider_id: ProviderId,
    emissions: VecDeque<Emission>,
    ignored: u64,
}

/// The turn that events belong to.
#[derive(Clone, Debug)]
enum OpenTurn {
    /// Nothing yet. Items work without a `response_start`.
    None,
    Open {
        turn_id: TurnId,
        session_id: SessionId,
        told: Told,
    },
    /// The last turn ended; only a `response_start` is heard.
    Ended,
}

/// What the outside knows of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Told {
    Nothing,
    /// Items were shown, but its start was not told.
    Items,
    Start,
}

/// What an event is about, besides its payload.
#[derive(Clone, Copy)]
struct Context<'a> {
    event: &'a StreamEventEnvelope,
    now: Now,
}

impl UpsertProcessor {
    pub fn new(gradient: BatchGradient, pace: Pace) -> Self {
        Self {
            batching: Batching { gradient, pace },
            items: Items::default(),
            turn: OpenTurn::None,
            guests: Vec::new(),
            ended: RecentTurns::default(),
            provider_id: ProviderId::from(""),
            emissions: VecDeque::new(),
            ignored: 0,
        }
    }

    /// Takes one event. What cannot be applied is counted, never an error.
    pub fn process(&mut self, event: &StreamEventEnvelope, now: Now) {
        let context = Context { event, now };
        if let EventPayload::ResponseStart { model_id, provider_id } = &event.payload {
            return self.start_turn(context, model_id, provider_id);
        }
        if matches!(self.turn, OpenTurn::Ended) || self.ended.contains(&event.turn_id) {
            return self.ignore();
        }
        self.join_turn(event);
        match &event.payload {
            EventPayload::ResponseStart { .. } => {}
            EventPayload::ItemStart { item_id, start } => match start {
                ItemStart::Message { .. } | ItemStart::Reasoning { .. } => {
                    self.start_text(context, item_id, start);
                }
                ItemStart::FunctionCall { name, call_id } => {
                    self.start_tool(context, item_id, name, call_id);
                }
                ItemStart::FunctionCallOutput { .. } => {}
            },
            EventPayload::ItemDelta { item_id, delta_content } => {
                self.grow(context, item_id, delta_content);
            }
            EventPayload::ItemDone { item_id, final_item } => match final_item {
                FinalItem::Message { .. } | FinalItem::Reasoning { .. } => {
                    self.finish_text(context, item_id, final_item);
                }
                FinalItem::FunctionCall { name, call_id, arguments } => {
                    self.settle_tool(context, item_id, name, call_id, arguments);
                }
                FinalItem::FunctionCallOutput { call_id, output, is_error } => {
                    self.finish_tool(context, call_id, output, *is_error);
                }
            },
            EventPayload::ItemError { item_id, error } => self.fail_item(context, item_id, error),
            EventPayload::ItemCancelled { item_id, reason } => {
                self.cancel_item(context, item_id, reason.as_deref());
            }
            EventPayload::ResponseDone(done) => self.finish_turn(context, done),
            EventPayload::ResponseError { error } => self.fail_turn(context, error.clone()),
        }
    }

    /// Shows text whose deadline has come.
    pub fn handle_timeout(&mut self, now: Now) {
        while let Some(item_id) = self.items.take_due(now.moment) {
            self.show_overdue(&item_id, now);
        }
    }

    /// Shows all text that was not shown yet, also what would not be worth it by its words.
    pub fn show_all(&mut self, now: Now) {
        for item_id in self.items.with_unshown_text() {
            self.show_text(&item_id, now);
        }
    }

    /// Gives up: open items end as errors, an open turn with one `turn_error`. A later `response_start` revives.
    pub fn destroy(&mut self, reason: Option<&DestroyReason>, now: Now) {
        self.destroy_items(reason, now);
        self.destroy_turns(reason);
    }

    pub fn poll_emission(&mut self) -> Option<Emission> {
        self.emissions.pop_front()
    }

    /// When to call `handle_timeout`; possibly too early, never too late.
    pub fn poll_timeout(&self) -> Option<Moment> {
        self.items.earliest_deadline()
    }

    /// How many events had no effect: unknown items, duplicates, anything after the end of a turn.
    pub fn ignored(&self) -> u64 {
        self.ignored
    }

    fn ignore(&mut self) {
        self.ignored += 1;
    }
}

impl Default for UpsertProcessor {
    fn default() -> Self {
        Self::new(BatchGradient::default(), Pace::CANONICAL)
    }
}
