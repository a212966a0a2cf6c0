//! Items, made of what an agent says in the order it says it.
//!
//! The protocol names tool calls but, mostly, not messages. A message or thought is what comes in one piece: it ends with
//! the next update of another kind, with the id of another message, with the report of a model call, or with its turn.
//! An item is `${turnId}:${segment}:0`, a segment per message, thought or tool call.

mod emit;
mod text_item;
mod tool_facts;
mod tool_item;
mod tools;

use std::collections::VecDeque;

use agent_client_protocol_schema::v1::{ToolCall, ToolCallUpdate, ToolCallUpdateFields};
use contract::{
    CallId, ErrorCode, FileDiff, ItemId, ProviderId, SessionId, TurnEventKind, TurnId, TurnStatus,
    UpsertObject,
};
use pipeline::{BatchGradient, Batching, Moment, Now, Pace};

use crate::update::{Chunk, Speaker};
use emit::Emit;
pub(crate) use emit::Failure;
use text_item::TextItem;
pub(crate) use tool_facts::{arguments, diff, is_diff};
use tool_item::ToolItem;
use tools::Tools;

/// Calls without a result that are remembered after their turn, for an agent that reports late.
const LINGERING: usize = 64;

#[derive(Debug)]
pub(crate) struct Timeline {
    session: SessionId,
    provider: ProviderId,
    batching: Batching,
    turn: Option<TurnId>,
    segments: u32,
    text: Option<TextItem>,
    tools: Tools,
    /// Of turns that are over.
    lingering: VecDeque<ToolItem>,
    emitted: Vec<UpsertObject>,
}

/// How the items of a turn end with it.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Closing<'a> {
    Completed,
    Failed(Failure<'a>),
}

impl Closing<'_> {
    /// How the items of a turn end that ends so.
    pub(crate) fn of(end: &TurnEventKind) -> Self {
        match end {
            TurnEventKind::TurnComplete { status: TurnStatus::Cancelled, .. } => {
                Self::Failed(Failure {
                    code: &ErrorCode::CANCELLED,
                    message: "the turn was stopped",
                })
            }
            TurnEventKind::TurnError { .. } => {
                Self::Failed(Failure { code: &ErrorCode::INTERRUPTED, message: "the turn failed" })
            }
            TurnEventKind::TurnComplete { status: TurnStatus::Completed, .. }
            | TurnEventKind::TurnStarted { .. } => Self::Completed,
        }
    }
}

impl Timeline {
    pub(crate) fn new(session: SessionId, provider: ProviderId) -> Self {
        Self {
            session,
            provider,
            batching: Batching { gradient: BatchGradient::default(), pace: Pace::PROVIDER },
            turn: None,
            segments: 0,
            text: None,
            tools: Tools::default(),
            lingering: VecDeque::new(),
            emitted: Vec::new(),
        }
    }

    pub(crate) fn begin_turn(&mut self, turn: TurnId) {
        self.turn = Some(turn);
        self.segments = 0;
    }

    pub(crate) fn take_emitted(&mut self) -> Vec<UpsertObject> {
        std::mem::take(&mut self.emitted)
    }

    pub(crate) fn poll_timeout(&self) -> Option<Moment> {
        let text = self.text.as_ref().and_then(TextItem::deadline);
        text.into_iter().chain(self.tools.deadline()).min()
    }

    pub(crate) fn handle_timeout(&mut self, now: Now) {
        let (text, tools, mut emit) = self.parts(now);
        text.iter_mut().for_each(|text| text.handle_timeout(&mut emit));
        tools.handle_timeout(&mut emit);
    }

    /// Appends to the text that grows, or begins another one.
    pub(crate) fn say(&mut self, speaker: Speaker, chunk: &Chunk<'_>, now: Now) {
        let goes_on = self.text.as_ref().is_some_and(|text| text.takes(speaker, chunk));
        if !goes_on {
            self.end_text(now);
            let Some((turn, item)) = self.next_item() else { return };
            self.text = Some(TextItem::new(turn, item, speaker, chunk.message.clone()));
        }
        let (text, _, mut emit) = self.parts(now);
        if let Some(text) = text {
            text.push(&chunk.text, &mut emit);
        }
    }

    /// Something else came between, and so ends a message that the agent does not name.
    pub(crate) fn note_break(&mut self, now: Now) {
        if self.text.as_ref().is_some_and(|text| !text.is_named()) {
            self.end_text(now);
        }
    }

    pub(crate) fn end_text(&mut self, now: Now) {
        let (text, _, mut emit) = self.parts(now);
        if let Some(mut text) = text.take() {
            text.complete(&mut emit);
        }
    }

    /// The model begins its answer anew: what it said of it so far does not hold.
    pub(crate) fn supersede_text(&mut self, now: Now) {
        let failure =
            Failure { code: &ErrorCode::SUPERSEDED, message: "the agent began its answer again" };
        let (text, _, mut emit) = self.parts(now);
        if let Some(mut text) = text.take() {
            text.fail(&failure, &mut emit);
        }
    }

    pub(crate) fn begin_tool(&mut self, call: ToolCall, now: Now) {
        let ToolCall { tool_call_id, title, name, kind, status, content, locations, .. } = call;
        self.forget_late(&tool_call_id.0);
        let fields = ToolCallUpdateFields::new()
            .title(title)
            .name(name)
            .kind(kind)
            .status(status)
            .content((!content.is_empty()).then_some(content))
            .locations((!locations.is_empty()).then_some(locations))
            .raw_input(call.raw_input)
            .raw_output(call.raw_output);
        self.update_tool(&ToolCallUpdate::new(tool_call_id, fields).meta(call.meta), now);
    }

    /// Changes a call, which need not have been announced. Returns where it stands.
    pub(crate) fn update_tool(
        &mut self,
        update: &ToolCallUpdate,
        now: Now,
    ) -> Option<(TurnId, ItemId)> {
        let call_id = CallId::from(&*update.tool_call_id.0);
        if let Some(index) = self.lingering.iter().position(|tool| tool.call_id == call_id) {
            return self.update_late(index, update, now);
        }
        self.end_text(now);
        if !self.tools.knows(call_id.as_str()) {
            let (turn, item) = self.next_item()?;
            self.tools.add(ToolItem::new(turn, item, call_id.clone()));
        }
        let (_, tools, mut emit) = self.parts(now);
        tools.update(&call_id, update, &mut emit)
    }

    /// Shows something in the shape of a call. A text that grows goes on beside it.
    pub(crate) fn add_aside(&mut self, shown: &ToolCallUpdate, now: Now) {
        let Some((turn, item)) = self.next_item() else { return };
        let call_id = CallId::from(&*shown.tool_call_id.0);
        self.tools.add(ToolItem::new(turn, item, call_id.clone()));
        let (_, tools, mut emit) = self.parts(now);
        tools.update(&call_id, shown, &mut emit);
    }

    /// Work that outlived its turn reports under its own item.
    fn update_late(
        &mut self,
        index: usize,
        update: &ToolCallUpdate,
        now: Now,
    ) -> Option<(TurnId, ItemId)> {
        let mut tool = self.lingering.remove(index)?;
        let place = (tool.turn_id.clone(), tool.item_id.clone());
        let (_, _, mut emit) = self.parts(now);
        tool.update_late(update, &mut emit);
        if !tool.has_reported() {
            self.lingering.push_back(tool);
        }
        Some(place)
    }

    /// A call begins. One of an earlier turn that has the same id can report no more: nobody could tell them apart.
    pub(crate) fn forget_late(&mut self, call: &str) {
        self.lingering.retain(|tool| tool.call_id != *call);
    }

    /// Whether a call of the turn has not reported.
    pub(crate) fn is_at_work(&self) -> bool {
        self.tools.are_at_work()
    }

    /// What an open call changes, where the agent tells the lines themselves. Shown with its next state.
    pub(crate) fn note_diff(&mut self, call: &CallId, diff: Vec<FileDiff>) {
        self.tools.note_diff(call, diff);
    }

    /// Whether a call is one of an earlier turn that has not reported.
    pub(crate) fn is_late(&self, call: &str) -> bool {
        self.lingering.iter().any(|tool| tool.call_id == *call)
    }

    /// Ends whatever is open. Calls that have not reported are remembered for a while.
    pub(crate) fn end_turn(&mut self, closing: Closing<'_>, now: Now) {
        let (text, tools, mut emit) = self.parts(now);
        if let Some(mut text) = text.take() {
            match closing {
                Closing::Completed => text.complete(&mut emit),
                Closing::Failed(failure) => text.fail(&failure, &mut emit),
            }
        }
        let silent = tools.close(closing, &mut emit);
        self.lingering.extend(silent);
        let excess = self.lingering.len().saturating_sub(LINGERING);
        self.lingering.drain(..excess);
        self.turn = None;
    }

    fn next_item(&mut self) -> Option<(TurnId, ItemId)> {
        let turn = self.turn.clone()?;
        self.segments += 1;
        let item = ItemId::from(format!("{turn}:{}:0", self.segments));
        Some((turn, item))
    }

    /// The open text, the tools, and what making upserts takes: apart, so that each may be worked on.
    fn parts(&mut self, now: Now) -> (&mut Option<TextItem>, &mut Tools, Emit<'_>) {
        let emit = Emit {
            session: &self.session,
            provider: &self.provider,
            batching: &self.batching,
            emitted: &mut self.emitted,
            now,
        };
        (&mut self.text, &mut self.tools, emit)
    }
}
