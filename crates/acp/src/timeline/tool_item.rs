//! A tool call from its announcement to its result.

use agent_client_protocol_schema::v1::{ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields};
use contract::{
    CallId, FileDiff, ItemId, ItemStatus, Location, Text, Timestamp, ToolArguments, ToolCall,
    ToolKind, TurnId, UpsertBody,
};
use pipeline::{GrowingText, Moment};

use super::Closing;
use super::emit::{Emit, Place};
use super::tool_facts::{self, Output};
use crate::bounds::{TITLE, shorten};

/// As much of a running command's output as is shown before its end.
const LIVE: usize = 256 * 1024;

#[derive(Debug)]
pub(super) struct ToolItem {
    pub(super) turn_id: TurnId,
    pub(super) item_id: ItemId,
    pub(super) call_id: CallId,
    facts: Facts,
    state: State,
    was_shown: bool,
    /// What a running command wrote so far, where the agent tells.
    live: GrowingText,
    live_bytes: usize,
    output: Option<Output>,
    source: Timestamp,
}

/// What is shown of a call besides its output.
#[derive(Clone, Debug, Default, PartialEq)]
struct Facts {
    title: String,
    arguments: ToolArguments,
    kind: Option<ToolKind>,
    locations: Option<Vec<Location>>,
    diff: Option<Vec<FileDiff>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Pending,
    Running,
    Reported {
        failed: bool,
    },
    /// Its turn ended before it reported.
    Closed,
}

impl Facts {
    /// Takes what an update tells, and says whether any of it is new.
    fn take(&mut self, told: &ToolCallUpdateFields) -> bool {
        let title = told.title.as_deref().map(|title| shorten(title, TITLE));
        let title = title.filter(|title| *title != self.title);
        let arguments = told.raw_input.as_ref().map(tool_facts::arguments);
        let arguments = arguments.filter(|arguments| *arguments != self.arguments);
        let is_new = title.is_some() || arguments.is_some();
        self.title = title.unwrap_or(std::mem::take(&mut self.title));
        self.arguments = arguments.unwrap_or(std::mem::take(&mut self.arguments));
        let diff = told.content.as_deref().and_then(tool_facts::diff);
        set(&mut self.kind, told.kind.map(tool_facts::kind))
            | set(&mut self.locations, told.locations.as_deref().map(tool_facts::locations))
            | set(&mut self.diff, diff)
            | is_new
    }
}

/// Sets what is told, and says whether that is new.
fn set<T: PartialEq>(known: &mut Option<T>, told: Option<T>) -> bool {
    let is_new = told.is_some() && *known != told;
    if is_new {
        *known = told;
    }
    is_new
}

impl ToolItem {
    pub(super) fn new(turn_id: TurnId, item_id: ItemId, call_id: CallId) -> Self {
        Self {
            turn_id,
            item_id,
            call_id,
            facts: Facts::default(),
            state: State::Pending,
            was_shown: false,
            live: GrowingText::default(),
            live_bytes: 0,
            output: None,
            source: Timestamp::default(),
        }
    }

    pub(super) fn has_reported(&self) -> bool {
        matches!(self.state, State::Reported { .. })
    }

    pub(super) fn note_diff(&mut self, diff: Vec<FileDiff>) {
        self.facts.diff = Some(diff);
    }

    pub(super) fn update(&mut self, update: &ToolCallUpdate, emit: &mut Emit<'_>) {
        self.source = emit.now.wall;
        let live = tool_facts::live_output(update.meta.as_ref());
        let has_changed = self.take_fields(&update.fields);
        if !self.was_shown {
            self.was_shown = true;
            self.push(ItemStatus::Create, None, emit);
            if self.state == State::Pending {
                return;
            }
        } else if !has_changed {
            return self.push_live(live.as_deref(), emit);
        }
        match self.state {
            State::Pending => self.push(ItemStatus::Update, None, emit),
            // What it wrote so far stays.
            State::Running if self.live.was_shown() => {
                self.show_live(emit);
                self.push_live(live.as_deref(), emit);
            }
            // Its arguments hold, and it is at work.
            State::Running => {
                self.push(ItemStatus::Complete, None, emit);
                self.push_live(live.as_deref(), emit);
            }
            State::Reported { .. } | State::Closed => self.report(emit),
        }
    }

    /// A report after the end of the turn. Only a result counts: what ran then was told to have ended.
    pub(super) fn update_late(&mut self, update: &ToolCallUpdate, emit: &mut Emit<'_>) {
        self.source = emit.now.wall;
        self.take_fields(&update.fields);
        if self.has_reported() {
            self.report(emit);
        }
    }

    /// Whether anything is new. What an update does not tell costs nothing, however large it is.
    fn take_fields(&mut self, fields: &ToolCallUpdateFields) -> bool {
        let has_new_facts = self.facts.take(fields);
        let output = Output::of(fields).filter(|output| self.output.as_ref() != Some(output));
        let has_new_output = output.is_some();
        self.output = output.or(self.output.take());
        let state = self.state_after(fields.status);
        let has_new_state = std::mem::replace(&mut self.state, state) != state;
        has_new_facts || has_new_output || has_new_state
    }

    fn state_after(&self, status: Option<ToolCallStatus>) -> State {
        let is_silent = !self.was_shown && self.output.is_none();
        match (status, self.state) {
            // Announced as done but without a word: in histories, what came of it follows.
            (Some(ToolCallStatus::Completed), _) if is_silent => State::Running,
            (Some(ToolCallStatus::Completed), _) => State::Reported { failed: false },
            (Some(ToolCallStatus::Failed), _) => State::Reported { failed: true },
            (Some(ToolCallStatus::InProgress), State::Pending) => State::Running,
            (_, state) => state,
        }
    }

    fn push_live(&mut self, text: Option<&str>, emit: &mut Emit<'_>) {
        let Some(text) = text.filter(|_| self.state == State::Running) else { return };
        // Up to there and no further: what came after a gap would seem to follow.
        let text = text.get(..text.floor_char_boundary(LIVE - self.live_bytes)).unwrap_or_default();
        if text.is_empty() {
            return;
        }
        self.live_bytes += text.len();
        if self.live.push(text, emit.now.moment, emit.batching) {
            self.show_live(emit);
        }
    }

    pub(super) fn deadline(&self) -> Option<Moment> {
        self.live.deadline().filter(|_| self.state == State::Running)
    }

    pub(super) fn handle_timeout(&mut self, emit: &mut Emit<'_>) {
        if self.deadline().is_none_or(|deadline| deadline > emit.now.moment) {
            return;
        }
        if self.live.has_news(emit.batching.pace) {
            self.show_live(emit);
        } else {
            self.live.disarm();
        }
    }

    /// It still runs, so its state is an update, whatever its output.
    fn show_live(&mut self, emit: &mut Emit<'_>) {
        let (_, text) = self.live.show(&emit.batching.gradient);
        self.push(ItemStatus::Update, Some((text, None)), emit);
    }

    fn report(&mut self, emit: &mut Emit<'_>) {
        let failed = self.state == State::Reported { failed: true };
        let output = self.final_output();
        self.push(ItemStatus::Complete, Some((output, failed.then_some(true))), emit);
    }

    fn final_output(&mut self) -> Text {
        match &self.output {
            Some(output) => Text::from(output.text()),
            None => self.live.whole(),
        }
    }

    /// Ends a call that never reported.
    pub(super) fn close(&mut self, closing: Closing<'_>, emit: &mut Emit<'_>) {
        self.state = State::Closed;
        let output = self.final_output();
        match closing {
            Closing::Completed => self.push(ItemStatus::Complete, Some((output, None)), emit),
            Closing::Failed(failure) => {
                let output = (!output.is_empty()).then_some((output, None));
                let body = self.body(output);
                emit.push_error(&self.place(), body, &failure);
            }
        }
    }

    fn push(&self, status: ItemStatus, output: Option<(Text, Option<bool>)>, emit: &mut Emit<'_>) {
        emit.push(&self.place(), status, self.body(output));
    }

    fn body(&self, output: Option<(Text, Option<bool>)>) -> UpsertBody {
        let (tool_output, tool_output_is_error) = output.unzip();
        UpsertBody::ToolCall(ToolCall {
            tool_name: self.facts.title.clone(),
            tool_arguments: self.facts.arguments.clone(),
            call_id: self.call_id.clone(),
            tool_output,
            tool_output_is_error: tool_output_is_error.flatten(),
            kind: self.facts.kind,
            locations: self.facts.locations.clone(),
            diff: self.facts.diff.clone(),
        })
    }

    fn place(&self) -> Place<'_> {
        Place { turn: &self.turn_id, item: &self.item_id, source: self.source }
    }
}
