//! The bare event stream of the Agent SDK: the model's events in camelCase, without the brackets around turns.
//!
//! The brackets are made here: a `message_start` with no turn open begins the next turn that was sent, and the stop
//! reason of a message ends it, unless it stopped for a tool. From then on it is the same machine as for the CLI.

use contract::{ErrorCode, SessionId, TurnEventKind, TurnId, Usage};
use pipeline::{Moment, Now};
use serde::Deserialize;
use serde_json::Value;

use crate::event::{Event, Init, UserLine};
use crate::line::{Block, Content, Delta, Word};
use crate::outcome::{Outcome, TurnFailure};
use crate::output::Output;
use crate::routing::TurnState;
use crate::translator::ClaudeTranslator;

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum SdkEvent {
    MessageStart { message: SdkMessage },
    MessageDelta { delta: SdkMessageDelta },
    MessageStop,
    ContentBlockStart { index: u32, content_block: SdkBlock },
    ContentBlockDelta { index: u32, delta: SdkDelta },
    ContentBlockStop { index: u32 },
    UserToolResult { tool_use_id: String, content: String, is_error: bool },
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SdkMessage {
    pub id: String,
    pub model: String,
}

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SdkMessageDelta {
    pub stop_reason: Option<String>,
    pub usage: Option<Usage>,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SdkBlock {
    Text {
        #[serde(default)]
        text: String,
    },
    Thinking {
        #[serde(default)]
        thinking: String,
    },
    ToolUse {
        id: String,
        name: String,
        #[serde(default)]
        input: Value,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum SdkDelta {
    TextDelta { text: String },
    ThinkingDelta { thinking: String },
    InputJsonDelta { partial_json: String },
}

/// The second input of the translator.
#[derive(Debug)]
pub struct SdkTranslator {
    inner: ClaudeTranslator,
    stop_reason: Option<String>,
    usage: Option<Usage>,
    after_tool_use: AfterToolUse,
    /// The stream broke its order; everything is skipped up to the next message.
    is_skipping: bool,
}

/// What a `message_start` means while a turn is open that stopped for a tool.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum AfterToolUse {
    /// The turn did not stop for a tool.
    #[default]
    No,
    /// It did, and has had no result since: the next message is another turn's.
    NoResult,
    /// It had a result since: the next message goes on.
    HasResult,
}

impl SdkTranslator {
    pub fn new(session: SessionId) -> Self {
        // This stream never opens a turn that nobody asked for.
        let fresh_turn = Box::new(unknown_turn);
        Self {
            inner: ClaudeTranslator::build(session, fresh_turn, false),
            stop_reason: None,
            usage: None,
            after_tool_use: AfterToolUse::No,
            is_skipping: false,
        }
    }

    pub fn note_sent(&mut self, turn: TurnId) {
        self.inner.note_sent(turn, false);
    }

    pub fn handle_event(&mut self, event: &SdkEvent, now: Now) {
        if self.is_skipping && !matches!(event, SdkEvent::MessageStart { .. }) {
            return;
        }
        match event {
            SdkEvent::MessageStart { message } => self.start_message(message, now),
            SdkEvent::MessageDelta { delta } => {
                self.stop_reason = delta.stop_reason.clone().or(self.stop_reason.take());
                self.usage = delta.usage.clone().or(self.usage.take());
            }
            SdkEvent::MessageStop => self.stop_message(now),
            SdkEvent::ContentBlockStart { index, content_block } => {
                self.inner
                    .handle(Event::BlockStart { index: *index, block: block(content_block) }, now);
            }
            SdkEvent::ContentBlockDelta { index, delta } => {
                self.inner
                    .handle(Event::BlockDelta { index: *index, delta: self::delta(delta) }, now);
            }
            SdkEvent::ContentBlockStop { index } => {
                self.inner.handle(Event::BlockStop { index: *index }, now);
            }
            SdkEvent::UserToolResult { tool_use_id, content, is_error } => {
                if self.after_tool_use == AfterToolUse::NoResult {
                    self.after_tool_use = AfterToolUse::HasResult;
                }
                self.inner.handle(tool_result(tool_use_id, content, *is_error), now);
            }
        }
    }

    fn start_message(&mut self, message: &SdkMessage, now: Now) {
        self.is_skipping = false;
        self.stop_reason = None;
        if self.after_tool_use == AfterToolUse::NoResult && self.inner.has_waiting() {
            self.close(&Outcome::Completed, now);
        }
        self.after_tool_use = AfterToolUse::No;
        if self.inner.turn_state() == TurnState::Idle {
            if !self.inner.has_waiting() {
                return self.refuse_message();
            }
            let init = Init { model: Word::from(message.model.as_str()), ..Init::default() };
            self.inner.handle(Event::Init(init), now);
        }
        let event = Event::MessageStart {
            id: Word::from(message.id.as_str()),
            model: Word::from(message.model.as_str()),
            usage: None,
            messages: Vec::new(),
        };
        self.inner.handle(event, now);
    }

    fn refuse_message(&mut self) {
        self.is_skipping = true;
        let kind = TurnEventKind::TurnError {
            error_code: ErrorCode::PROTOCOL_ERROR,
            error_message: "message_start with no pending turn".to_owned(),
            error_class: None,
        };
        self.inner.tell_turn(unknown_turn(), kind);
    }

    fn stop_message(&mut self, now: Now) {
        self.inner.handle(Event::MessageStop { abandoned_from: None }, now);
        let outcome = match self.stop_reason.as_deref() {
            Some("tool_use") => {
                self.after_tool_use = AfterToolUse::NoResult;
                return;
            }
            Some("end_turn") => Outcome::Completed,
            Some("error") => Outcome::Failed(crash("Claude SDK reported stopReason=error")),
            Some(_) | None => Outcome::Cancelled,
        };
        self.close(&outcome, now);
    }

    fn close(&mut self, outcome: &Outcome, now: Now) {
        self.stop_reason = None;
        self.after_tool_use = AfterToolUse::No;
        let usage = self.usage.take();
        self.inner.close(outcome, usage, now);
    }

    /// The stream ended. A turn that stopped for a tool is complete; any other was cut off.
    pub fn end(&mut self, reason: &str, now: Now) -> Vec<TurnId> {
        if self.after_tool_use != AfterToolUse::No {
            self.close(&Outcome::Completed, now);
        }
        self.inner.end(reason, now)
    }

    pub fn poll_output(&mut self) -> Option<Output> {
        self.inner.poll_output()
    }

    pub fn poll_timeout(&self) -> Option<Moment> {
        self.inner.poll_timeout()
    }

    pub fn handle_timeout(&mut self, now: Now) {
        self.inner.handle_timeout(now);
    }
}

fn unknown_turn() -> TurnId {
    TurnId::from("unknown-turn")
}

fn crash(message: &str) -> TurnFailure {
    TurnFailure { code: ErrorCode::PROCESS_CRASH, message: message.to_owned(), class: None }
}

fn block(block: &SdkBlock) -> Block<'_> {
    match block {
        SdkBlock::Text { text } => {
            Block { kind: Word::from("text"), text: Word::from(text.as_str()), ..Block::default() }
        }
        SdkBlock::Thinking { thinking } => Block {
            kind: Word::from("thinking"),
            thinking: Word::from(thinking.as_str()),
            ..Block::default()
        },
        SdkBlock::ToolUse { id, name, .. } => Block {
            kind: Word::from("tool_use"),
            id: Word::from(id.as_str()),
            name: Word::from(name.as_str()),
            ..Block::default()
        },
    }
}

fn delta(delta: &SdkDelta) -> Delta<'_> {
    match delta {
        SdkDelta::TextDelta { text } => Delta {
            kind: Word::from("text_delta"),
            text: Word::from(text.as_str()),
            ..Delta::default()
        },
        SdkDelta::ThinkingDelta { thinking } => Delta {
            kind: Word::from("thinking_delta"),
            thinking: Word::from(thinking.as_str()),
            ..Delta::default()
        },
        SdkDelta::InputJsonDelta { partial_json } => Delta {
            kind: Word::from("input_json_delta"),
            partial_json: Word::from(partial_json.as_str()),
            ..Delta::default()
        },
    }
}

fn tool_result<'a>(call: &'a str, content: &'a str, is_error: bool) -> Event<'a> {
    let block = Block {
        kind: Word::from("tool_result"),
        tool_use_id: Word::from(call),
        content: Content::Text(Word::from(content)),
        is_error: Some(is_error),
        ..Block::default()
    };
    Event::User(UserLine {
        parent: Word::default(),
        content: Content::Blocks(vec![block]),
        tool_use_result: None,
    })
}
