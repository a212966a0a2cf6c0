//! The bare event stream of the Agent SDK: the model's events in camelCase, without the brackets around turns.
//!
//! The brackets are made here: a `message_start` with no turn open begins the next turn that was sent, and the stop
//! reason of a message ends it, unless it stopped for a tool. From then on it is the same machine as for the CLI.

use contract::{ErrorCode, TurnEventKind, TurnId, Usage};
use pipeline::Now;
use serde::Deserialize;
use serde_json::Value;

use crate::event::{Event, Init, UserLine};
use crate::line::{Block, Content, Delta, Word};
use crate::outcome::{Outcome, TurnFailure};
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

/// What stands in for the brackets that this stream lacks.
#[derive(Debug, Default)]
pub(crate) struct SdkBrackets {
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

/// The second input of the translator.
impl ClaudeTranslator {
    pub fn handle_sdk_event(&mut self, event: &SdkEvent, now: Now) {
        self.expect_no_snapshots();
        if self.sdk.is_skipping && !matches!(event, SdkEvent::MessageStart { .. }) {
            return;
        }
        match event {
            SdkEvent::MessageStart { message } => self.start_sdk_message(message, now),
            SdkEvent::MessageDelta { delta } => {
                let sdk = &mut self.sdk;
                sdk.stop_reason = delta.stop_reason.clone().or(sdk.stop_reason.take());
                sdk.usage = delta.usage.clone().or(sdk.usage.take());
            }
            SdkEvent::MessageStop => self.stop_sdk_message(now),
            SdkEvent::ContentBlockStart { index, content_block } => {
                self.handle(Event::BlockStart { index: *index, block: block(content_block) }, now);
            }
            SdkEvent::ContentBlockDelta { index, delta } => {
                self.handle(Event::BlockDelta { index: *index, delta: self::delta(delta) }, now);
            }
            SdkEvent::ContentBlockStop { index } => {
                self.handle(Event::BlockStop { index: *index }, now);
            }
            SdkEvent::UserToolResult { tool_use_id, content, is_error } => {
                if self.sdk.after_tool_use == AfterToolUse::NoResult {
                    self.sdk.after_tool_use = AfterToolUse::HasResult;
                }
                self.handle(tool_result(tool_use_id, content, *is_error), now);
            }
        }
    }

    fn start_sdk_message(&mut self, message: &SdkMessage, now: Now) {
        self.sdk.is_skipping = false;
        self.sdk.stop_reason = None;
        if self.sdk.after_tool_use == AfterToolUse::NoResult && self.has_waiting() {
            self.close_sdk_turn(&Outcome::Completed, now);
        }
        self.sdk.after_tool_use = AfterToolUse::No;
        if self.turn_state() == TurnState::Idle {
            if !self.has_waiting() {
                return self.refuse_sdk_message();
            }
            let init = Init { model: Word::from(message.model.as_str()), ..Init::default() };
            self.handle(Event::Init(init), now);
        }
        let event = Event::MessageStart {
            id: Word::from(message.id.as_str()),
            model: Word::from(message.model.as_str()),
            usage: None,
            messages: Vec::new(),
        };
        self.handle(event, now);
    }

    fn refuse_sdk_message(&mut self) {
        self.sdk.is_skipping = true;
        let kind = TurnEventKind::TurnError {
            error_code: ErrorCode::PROTOCOL_ERROR,
            error_message: "message_start with no pending turn".to_owned(),
            error_class: None,
        };
        self.tell(TurnId::from("unknown-turn"), kind);
    }

    fn stop_sdk_message(&mut self, now: Now) {
        self.handle(Event::MessageStop { abandoned_from: None }, now);
        let outcome = match self.sdk.stop_reason.as_deref() {
            Some("tool_use") => {
                self.sdk.after_tool_use = AfterToolUse::NoResult;
                return;
            }
            Some("end_turn") => Outcome::Completed,
            Some("error") => Outcome::Failed(crash("Claude SDK reported stopReason=error")),
            Some(_) | None => Outcome::Cancelled,
        };
        self.close_sdk_turn(&outcome, now);
    }

    fn close_sdk_turn(&mut self, outcome: &Outcome, now: Now) {
        let sdk = std::mem::take(&mut self.sdk);
        self.close(outcome, sdk.usage, now);
    }

    /// The stream ended. A turn that stopped for a tool is complete; any other was cut off.
    pub(crate) fn complete_stopped_sdk_turn(&mut self, now: Now) {
        if self.sdk.after_tool_use != AfterToolUse::No {
            self.close_sdk_turn(&Outcome::Completed, now);
        }
    }
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
