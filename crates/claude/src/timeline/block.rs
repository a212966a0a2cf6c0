//! One content block and the item it becomes.

use contract::{CallId, ItemId, ItemStatus, MessageOrigin, Text, Timestamp, TurnId, UpsertBody};
use pipeline::{GrowingText, Moment};

use super::tools::ToolBook;
use super::{Emit, Failure, Place};
use crate::line::{Block as BlockLine, Delta};

/// Bytes after which what streams is cut. All of a block is in memory while it grows, and an agent that never ends one must not
/// fill it. A snapshot, which is one line, still brings the rest.
const LONGEST: usize = 1024 * 1024;

/// Stands where it was cut.
const MARK: &str = "\n[cut here: longer than 1 MiB]";

#[derive(Debug)]
pub(super) struct Block {
    pub(super) index: u32,
    turn_id: TurnId,
    item_id: ItemId,
    content: Content,
    is_cut: bool,
    state: State,
    /// When the last of its lines arrived.
    source: Timestamp,
}

#[derive(Debug)]
enum Content {
    Text(GrowingText),
    Thinking(GrowingText),
    Tool {
        call_id: CallId,
        arguments: String,
    },
    /// Arguments whose tool is not known yet.
    Arguments(String),
    /// Nothing that is shown.
    Other,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Open,
    /// Its snapshot came; for text with the authoritative words.
    Final(Option<Text>),
    /// It was stopped without a snapshot, so it may still be taken back.
    Stopped,
    Ended,
}

impl Block {
    pub(super) fn new(index: u32, turn_id: TurnId, item_id: ItemId) -> Self {
        let source = Timestamp::default();
        let (content, state) = (Content::Other, State::Open);
        Self { index, turn_id, item_id, content, is_cut: false, state, source }
    }

    /// Fills in what the block is. Text that came before its start is kept.
    pub(super) fn start(
        &mut self,
        line: &BlockLine<'_>,
        tools: &mut ToolBook,
        emit: &mut Emit<'_>,
    ) {
        self.source = emit.now.wall;
        match (line.kind.as_str(), &mut self.content) {
            ("text", Content::Text(_))
            | ("thinking", Content::Thinking(_))
            | (_, Content::Tool { .. }) => {}
            ("text", _) => self.content = Content::Text(GrowingText::default()),
            ("thinking", _) => self.content = Content::Thinking(GrowingText::default()),
            ("tool_use" | "server_tool_use" | "mcp_tool_use", _) => {
                self.start_tool(line, tools, emit);
            }
            _ => {}
        }
        let initial = if line.kind.as_str() == "thinking" { &line.thinking } else { &line.text };
        if !initial.is_empty() {
            self.push_text(initial, emit);
        }
    }

    fn start_tool(&mut self, line: &BlockLine<'_>, tools: &mut ToolBook, emit: &mut Emit<'_>) {
        let Some(call_id) = line.id.given().map(CallId::from) else { return };
        let arguments = match std::mem::replace(&mut self.content, Content::Other) {
            Content::Arguments(arguments) => arguments,
            Content::Text(_) | Content::Thinking(_) | Content::Tool { .. } | Content::Other => {
                String::new()
            }
        };
        let place = Place { turn: &self.turn_id, item: &self.item_id, parent: None };
        tools.begin(&call_id, &line.name, &place, emit);
        self.content = Content::Tool { call_id, arguments };
    }

    /// Takes what fits in `room`, which is what its message may still hold.
    pub(super) fn grow(&mut self, delta: &Delta<'_>, room: usize, emit: &mut Emit<'_>) {
        if self.state != State::Open || self.is_cut {
            return;
        }
        self.source = emit.now.wall;
        let words = match delta.kind.as_str() {
            "text_delta" => &delta.text,
            "thinking_delta" => &delta.thinking,
            "input_json_delta" => &delta.partial_json,
            _ => return,
        };
        let room = room.min(LONGEST.saturating_sub(self.held()));
        self.is_cut = words.len() > room;
        let fits = words.get(..words.floor_char_boundary(room)).unwrap_or_default();
        self.take(&delta.kind, fits, emit);
        if self.is_cut {
            self.take(&delta.kind, MARK, emit);
        }
    }

    fn take(&mut self, kind: &str, words: &str, emit: &mut Emit<'_>) {
        match (kind, &mut self.content) {
            ("text_delta", Content::Text(_)) | ("thinking_delta", Content::Thinking(_)) => {
                self.push_text(words, emit);
            }
            (
                "input_json_delta",
                Content::Tool { arguments, .. } | Content::Arguments(arguments),
            ) => {
                arguments.push_str(words);
            }
            ("text_delta", Content::Other) => {
                self.content = Content::Text(GrowingText::default());
                self.push_text(words, emit);
            }
            ("thinking_delta", Content::Other) => {
                self.content = Content::Thinking(GrowingText::default());
                self.push_text(words, emit);
            }
            ("input_json_delta", Content::Other) => {
                self.content = Content::Arguments(words.to_owned());
            }
            _ => {}
        }
    }

    /// The bytes that it keeps in memory.
    pub(super) fn held(&self) -> usize {
        match &self.content {
            Content::Text(growing) | Content::Thinking(growing) => growing.len(),
            Content::Tool { arguments, .. } | Content::Arguments(arguments) => arguments.len(),
            Content::Other => 0,
        }
    }

    /// Ends it. All has been told of it, so nothing of it is kept.
    fn end(&mut self) {
        self.state = State::Ended;
        match &mut self.content {
            Content::Text(growing) | Content::Thinking(growing) => {
                *growing = GrowingText::default();
            }
            Content::Tool { arguments, .. } | Content::Arguments(arguments) => {
                *arguments = String::new();
            }
            Content::Other => {}
        }
    }

    fn push_text(&mut self, text: &str, emit: &mut Emit<'_>) {
        let (Content::Text(growing) | Content::Thinking(growing)) = &mut self.content else {
            return;
        };
        if growing.push(text, emit.now.moment, emit.batching) {
            self.show(emit);
        }
    }

    fn show(&mut self, emit: &mut Emit<'_>) {
        let (status, body) = match &mut self.content {
            Content::Text(growing) => {
                let (status, text) = growing.show(&emit.batching.gradient);
                (status, message(text))
            }
            Content::Thinking(growing) => {
                let (status, text) = growing.show(&emit.batching.gradient);
                (status, thinking(text, emit))
            }
            Content::Tool { .. } | Content::Arguments(_) | Content::Other => return,
        };
        emit.push(&self.place(), status, self.source, body);
    }

    pub(super) fn deadline(&self) -> Option<Moment> {
        match &self.content {
            Content::Text(growing) | Content::Thinking(growing) if self.is_growing() => {
                growing.deadline()
            }
            Content::Text(_)
            | Content::Thinking(_)
            | Content::Tool { .. }
            | Content::Arguments(_)
            | Content::Other => None,
        }
    }

    pub(super) fn handle_timeout(&mut self, emit: &mut Emit<'_>) {
        if self.deadline().is_none_or(|deadline| deadline > emit.now.moment) {
            return;
        }
        let pace = emit.batching.pace;
        if let Content::Text(growing) | Content::Thinking(growing) = &mut self.content {
            if growing.has_news(pace) {
                self.show(emit);
            } else {
                growing.disarm();
            }
        }
    }

    /// Whether the authoritative `line` is about this block.
    pub(super) fn matches(&self, line: &BlockLine<'_>) -> bool {
        let same_kind = match (&self.content, line.kind.as_str()) {
            (Content::Tool { call_id, .. }, "tool_use" | "server_tool_use" | "mcp_tool_use") => {
                *call_id == *line.id
            }
            (Content::Text(_), "text") | (Content::Thinking(_), "thinking") => true,
            (Content::Arguments(_), kind) => kind.ends_with("tool_use"),
            (Content::Other, kind) => !matches!(kind, "text" | "thinking" | "tool_use"),
            (Content::Text(_) | Content::Thinking(_) | Content::Tool { .. }, _) => false,
        };
        same_kind && matches!(self.state, State::Open | State::Stopped)
    }

    /// Takes the authoritative content. The item itself ends with its block, or its message.
    pub(super) fn finalize(
        &mut self,
        line: &BlockLine<'_>,
        tools: &mut ToolBook,
        emit: &mut Emit<'_>,
    ) {
        self.source = emit.now.wall;
        let was_stopped = self.state == State::Stopped;
        match &self.content {
            Content::Tool { call_id, .. } => {
                tools.set_arguments(call_id, line.input, emit);
                self.end();
            }
            Content::Text(_) => self.state = State::Final(Some(Text::from(line.text.as_str()))),
            Content::Thinking(_) => {
                self.state = State::Final(Some(Text::from(line.thinking.as_str())));
            }
            Content::Arguments(_) | Content::Other => self.state = State::Final(None),
        }
        if was_stopped {
            self.complete(tools, emit);
        }
    }

    pub(super) fn is_open(&self) -> bool {
        self.state == State::Open
    }

    fn is_growing(&self) -> bool {
        matches!(self.state, State::Open | State::Stopped)
    }

    /// Whether its words are settled: by a snapshot, or by having ended.
    pub(super) fn is_settled(&self) -> bool {
        matches!(self.state, State::Final(_) | State::Ended)
    }

    pub(super) fn is_settled_tool(&self) -> bool {
        matches!(self.content, Content::Tool { .. }) && self.is_settled()
    }

    pub(super) fn note_stop(&mut self) {
        if self.state == State::Open {
            self.state = State::Stopped;
        }
    }

    /// Ends the item well.
    pub(super) fn complete(&mut self, tools: &mut ToolBook, emit: &mut Emit<'_>) {
        if let Content::Tool { call_id, arguments } = &self.content {
            if self.state != State::Ended && self.is_cut {
                tools.set_cut_arguments(call_id, arguments, emit);
            } else if self.state != State::Ended {
                tools.parse_arguments(call_id, arguments, emit);
            }
            self.end();
            return;
        }
        let Some((body, was_shown)) = self.last_body(emit) else { return };
        // Text that was never shown is told as created first, so that every item has a beginning.
        if !was_shown && has_words(&body) {
            emit.push(&self.place(), ItemStatus::Create, self.source, body.clone());
        }
        emit.push(&self.place(), ItemStatus::Complete, self.source, body);
    }

    /// Ends the item badly, with all its text. One that never showed anything and holds nothing leaves no trace.
    pub(super) fn fail(
        &mut self,
        failure: &Failure<'_>,
        tools: &mut ToolBook,
        emit: &mut Emit<'_>,
    ) {
        if let Content::Tool { call_id, .. } = &self.content {
            tools.fail(call_id, failure, emit);
            self.end();
            return;
        }
        let Some((body, was_shown)) = self.last_body(emit) else { return };
        if was_shown || has_words(&body) {
            emit.push_error(&self.place(), self.source, body, failure);
        }
    }

    /// The last state of a text item, and whether an earlier one was shown. Ends it.
    fn last_body(&mut self, emit: &Emit<'_>) -> Option<(UpsertBody, bool)> {
        let state = std::mem::replace(&mut self.state, State::Ended);
        if state == State::Ended {
            return None;
        }
        let last = |growing: &mut GrowingText| match state {
            State::Final(Some(text)) => (text, growing.was_shown()),
            State::Final(None) | State::Open | State::Stopped | State::Ended => {
                (growing.whole(), growing.was_shown())
            }
        };
        let body = match &mut self.content {
            Content::Text(growing) => {
                let (text, was_shown) = last(growing);
                Some((message(text), was_shown))
            }
            Content::Thinking(growing) => {
                let (text, was_shown) = last(growing);
                Some((thinking(text, emit), was_shown))
            }
            Content::Tool { .. } | Content::Arguments(_) | Content::Other => None,
        };
        self.end();
        body
    }

    fn place(&self) -> Place<'_> {
        Place { turn: &self.turn_id, item: &self.item_id, parent: None }
    }
}

fn has_words(body: &UpsertBody) -> bool {
    match body {
        UpsertBody::Message { content, .. } | UpsertBody::Thinking { content, .. } => {
            !content.is_empty()
        }
        UpsertBody::ToolCall(_) => true,
    }
}

pub(super) fn message(content: Text) -> UpsertBody {
    UpsertBody::Message { content, origin: MessageOrigin::Agent }
}

pub(super) fn thinking(content: Text, emit: &Emit<'_>) -> UpsertBody {
    UpsertBody::Thinking { content, provider_id: emit.provider.clone() }
}
