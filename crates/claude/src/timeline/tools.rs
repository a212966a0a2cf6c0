//! Tool calls by their ids. A result finds its call in whichever turn that was.

use std::collections::{HashMap, VecDeque};

use contract::{
    CallId, FileDiff, ItemId, ItemStatus, Text, Timestamp, ToolArguments, ToolCall, TurnId,
    UpsertBody,
};
use serde_json::value::RawValue;

use super::{Emit, Failure, Place, tool_facts};

/// Ended calls that stay known, because their subagents' work may still come. Past it the oldest is forgotten, and work
/// that comes for it stands on its own.
const REMEMBERED: usize = 256;

#[derive(Debug, Default)]
pub(super) struct ToolBook {
    /// Boxed, because a map keeps room for twice as many as it holds.
    calls: HashMap<CallId, Box<Tool>>,
    /// Calls of subagents that have their result, oldest first.
    ended_parents: VecDeque<CallId>,
}

#[derive(Debug)]
pub(super) struct Tool {
    pub(super) turn_id: TurnId,
    pub(super) item_id: ItemId,
    parent: Option<ItemId>,
    /// The call whose subagent made this one.
    runner: Option<CallId>,
    name: String,
    arguments: ToolArguments,
    has_arguments: bool,
    life: Life,
    /// Items of the subagent that it runs.
    children: u32,
    source: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Runs,
    Ended,
    /// Ended, and one of the ended parents.
    Remembered,
}

/// What came back from a tool.
pub(super) struct ToolOutcome<'a> {
    pub(super) output: Text,
    pub(super) is_error: bool,
    /// The CLI's own account of what was done.
    pub(super) account: Option<&'a RawValue>,
}

impl ToolBook {
    pub(super) fn get(&self, call_id: &str) -> Option<&Tool> {
        self.calls.get(call_id).map(Box::as_ref)
    }

    pub(super) fn begin(
        &mut self,
        call_id: &CallId,
        name: &str,
        place: &Place<'_>,
        emit: &mut Emit<'_>,
    ) {
        if self.calls.contains_key(call_id.as_str()) {
            return;
        }
        let tool = Tool::new(place, name, emit);
        tool.tell(call_id, ItemStatus::Create, None, emit);
        self.calls.insert(call_id.clone(), Box::new(tool));
    }

    pub(super) fn set_arguments(
        &mut self,
        call_id: &CallId,
        raw: Option<&RawValue>,
        emit: &mut Emit<'_>,
    ) {
        self.complete_arguments(call_id, || tool_facts::arguments(raw), emit);
    }

    pub(super) fn parse_arguments(&mut self, call_id: &CallId, json: &str, emit: &mut Emit<'_>) {
        self.complete_arguments(call_id, || tool_facts::parse_arguments(json), emit);
    }

    /// Arguments that lost their end are no object any more; they are told as the text they are.
    pub(super) fn set_cut_arguments(&mut self, call_id: &CallId, text: &str, emit: &mut Emit<'_>) {
        self.complete_arguments(call_id, || tool_facts::cut_arguments(text), emit);
    }

    fn complete_arguments(
        &mut self,
        call_id: &CallId,
        arguments: impl FnOnce() -> ToolArguments,
        emit: &mut Emit<'_>,
    ) {
        let Some(tool) = self.calls.get_mut(call_id) else { return };
        if tool.has_arguments || tool.has_ended() {
            return;
        }
        tool.arguments = arguments();
        tool.has_arguments = true;
        tool.source = emit.now.wall;
        tool.tell(call_id, ItemStatus::Complete, None, emit);
    }

    /// Ends a call with its result. One that nobody made known is told all the same, at `unknown`.
    pub(super) fn end(
        &mut self,
        call_id: &CallId,
        outcome: ToolOutcome<'_>,
        unknown: &Place<'_>,
        emit: &mut Emit<'_>,
    ) {
        let tool = self.calls.entry(call_id.clone()).or_insert_with(|| {
            let tool = Tool::new(unknown, "unknown_tool", emit);
            Box::new(Tool { has_arguments: true, ..tool })
        });
        if tool.has_ended() {
            return;
        }
        tool.source = emit.now.wall;
        tool.tell(call_id, ItemStatus::Complete, Some(outcome), emit);
        self.note_end(call_id);
    }

    /// Its turn completed and it said nothing.
    pub(super) fn end_without_result(&mut self, call_id: &CallId, emit: &mut Emit<'_>) {
        let Some(tool) = self.calls.get(call_id) else { return };
        let (turn, item) = (tool.turn_id.clone(), tool.item_id.clone());
        let nothing = ToolOutcome { output: Text::default(), is_error: false, account: None };
        self.end(call_id, nothing, &Place { turn: &turn, item: &item, parent: None }, emit);
    }

    pub(super) fn fail(&mut self, call_id: &CallId, failure: &Failure<'_>, emit: &mut Emit<'_>) {
        let Some(tool) = self.calls.get(call_id) else { return };
        if tool.has_ended() {
            return;
        }
        let body = tool.body(call_id, None);
        emit.push_error(&tool.place(), tool.source, body, failure);
        self.note_end(call_id);
    }

    /// The place for the next piece of work of the subagent that a call runs.
    pub(super) fn next_child(&mut self, call_id: &str) -> Option<(TurnId, ItemId, ItemId)> {
        let tool = self.calls.get_mut(call_id)?;
        let item = ItemId::from(format!("{}:{call_id}:{}", tool.turn_id, tool.children));
        tool.children += 1;
        Some((tool.turn_id.clone(), item, tool.item_id.clone()))
    }

    /// The calls of a turn, of its main loop or its subagents, that have no result yet.
    pub(super) fn unended(&self, turn: &TurnId) -> Vec<CallId> {
        self.unended_where(|tool| tool.turn_id == *turn)
    }

    fn unended_where(&self, is_meant: impl Fn(&Tool) -> bool) -> Vec<CallId> {
        let meant = self.calls.iter().filter(|(_, tool)| !tool.has_ended() && is_meant(tool));
        let mut calls: Vec<_> = meant.map(|(id, _)| id.clone()).collect();
        // A map has no order; what is told has.
        calls.sort_by(|a, b| self.item_of(a).cmp(&self.item_of(b)));
        calls
    }

    pub(super) fn set_runner(&mut self, call_id: &CallId, runner: &str) {
        if let Some(tool) = self.calls.get_mut(call_id) {
            tool.runner = Some(CallId::from(runner));
        }
    }

    pub(super) fn runner(&self, call_id: &CallId) -> Option<&CallId> {
        self.calls.get(call_id)?.runner.as_ref()
    }

    /// Calls without a result that a subagent made, of whichever turn.
    pub(super) fn unended_of(&self, runner: &CallId) -> Vec<CallId> {
        self.unended_where(|tool| tool.runner.as_ref() == Some(runner))
    }

    pub(super) fn all_unended(&self) -> Vec<CallId> {
        self.unended_where(|_| true)
    }

    fn item_of(&self, call_id: &CallId) -> Option<&ItemId> {
        self.calls.get(call_id).map(|tool| &tool.item_id)
    }

    fn note_end(&mut self, call_id: &CallId) {
        let Some(tool) = self.calls.get_mut(call_id) else { return };
        tool.life = Life::Ended;
        // All has been told of it; only its place may still be asked for.
        tool.arguments = ToolArguments::default();
        if tool.children > 0 || matches!(tool.name.as_str(), "Agent" | "Task") {
            tool.life = Life::Remembered;
            self.ended_parents.push_back(call_id.clone());
        }
        if self.ended_parents.len() > REMEMBERED
            && let Some(oldest) = self.ended_parents.pop_front()
        {
            self.calls.remove(&oldest);
        }
    }

    /// Forgets the ended calls that nothing more can come for.
    pub(super) fn forget_ended(&mut self) {
        self.calls.retain(|_, tool| tool.life != Life::Ended);
    }
}

impl Tool {
    fn new(place: &Place<'_>, name: &str, emit: &Emit<'_>) -> Self {
        Self {
            turn_id: place.turn.clone(),
            item_id: place.item.clone(),
            parent: place.parent.cloned(),
            runner: None,
            name: name.to_owned(),
            arguments: ToolArguments::default(),
            has_arguments: false,
            life: Life::Runs,
            children: 0,
            source: emit.now.wall,
        }
    }

    fn tell(
        &self,
        call_id: &CallId,
        status: ItemStatus,
        outcome: Option<ToolOutcome<'_>>,
        emit: &mut Emit<'_>,
    ) {
        emit.push(&self.place(), status, self.source, self.body(call_id, outcome));
    }

    fn body(&self, call_id: &CallId, outcome: Option<ToolOutcome<'_>>) -> UpsertBody {
        let kind = tool_facts::kind(&self.name);
        let diff = || -> Option<Vec<FileDiff>> {
            let account = outcome.as_ref()?.account;
            (kind == Some(contract::ToolKind::Edit)).then(|| tool_facts::diff(account))?
        };
        UpsertBody::ToolCall(ToolCall {
            tool_name: self.name.clone(),
            tool_arguments: self.arguments.clone(),
            call_id: call_id.clone(),
            diff: diff(),
            kind,
            locations: tool_facts::locations(&self.arguments),
            tool_output_is_error: outcome.as_ref().map(|outcome| outcome.is_error),
            tool_output: outcome.map(|outcome| outcome.output),
        })
    }

    fn has_ended(&self) -> bool {
        self.life != Life::Runs
    }

    fn place(&self) -> Place<'_> {
        Place { turn: &self.turn_id, item: &self.item_id, parent: self.parent.as_ref() }
    }
}
