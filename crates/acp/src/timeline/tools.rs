//! The calls of a turn, however many there are: finding one costs the same among ten and among a hundred thousand.

use std::collections::{BTreeSet, HashMap};

use agent_client_protocol_schema::v1::ToolCallUpdate;
use contract::{CallId, FileDiff, ItemId, TurnId};
use pipeline::Moment;

use super::Closing;
use super::emit::Emit;
use super::tool_item::ToolItem;

#[derive(Debug, Default)]
pub(super) struct Tools {
    /// In the order in which they began.
    all: Vec<ToolItem>,
    places: HashMap<CallId, usize>,
    /// Those that have not reported.
    open: BTreeSet<usize>,
    /// Those of them that have something to show at a time of their own.
    due: BTreeSet<usize>,
}

impl Tools {
    pub(super) fn knows(&self, call: &str) -> bool {
        self.places.contains_key(call)
    }

    pub(super) fn add(&mut self, tool: ToolItem) {
        let place = self.all.len();
        self.places.insert(tool.call_id.clone(), place);
        self.open.insert(place);
        self.all.push(tool);
    }

    /// Changes a call and tells where it stands.
    pub(super) fn update(
        &mut self,
        call: &CallId,
        update: &ToolCallUpdate,
        emit: &mut Emit<'_>,
    ) -> Option<(TurnId, ItemId)> {
        let place = *self.places.get(call)?;
        let tool = self.all.get_mut(place)?;
        tool.update(update, emit);
        let told = (tool.turn_id.clone(), tool.item_id.clone());
        self.sort_in(place);
        Some(told)
    }

    fn sort_in(&mut self, place: usize) {
        let Some(tool) = self.all.get(place) else { return };
        if tool.has_reported() {
            self.open.remove(&place);
        }
        if tool.deadline().is_some() {
            self.due.insert(place);
        } else {
            self.due.remove(&place);
        }
    }

    pub(super) fn note_diff(&mut self, call: &CallId, diff: Vec<FileDiff>) {
        let place = self.places.get(call);
        if let Some(tool) = place.and_then(|place| self.all.get_mut(*place)) {
            tool.note_diff(diff);
        }
    }

    pub(super) fn are_at_work(&self) -> bool {
        !self.open.is_empty()
    }

    pub(super) fn deadline(&self) -> Option<Moment> {
        self.due.iter().filter_map(|place| self.all.get(*place)?.deadline()).min()
    }

    pub(super) fn handle_timeout(&mut self, emit: &mut Emit<'_>) {
        let is_due = |place: &&usize| {
            let deadline = self.all.get(**place).and_then(ToolItem::deadline);
            deadline.is_none_or(|deadline| deadline <= emit.now.moment)
        };
        let due: Vec<usize> = self.due.iter().filter(is_due).copied().collect();
        for place in due {
            if let Some(tool) = self.all.get_mut(place) {
                tool.handle_timeout(emit);
            }
            self.sort_in(place);
        }
    }

    /// Ends the calls that have not reported, and gives them out; the others are forgotten.
    pub(super) fn close(&mut self, closing: Closing<'_>, emit: &mut Emit<'_>) -> Vec<ToolItem> {
        let Self { all, .. } = std::mem::take(self);
        let mut silent: Vec<_> = all.into_iter().filter(|tool| !tool.has_reported()).collect();
        silent.iter_mut().for_each(|tool| tool.close(closing, emit));
        silent
    }
}
