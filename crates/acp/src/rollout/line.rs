//! One line of a rollout.

use std::borrow::Cow;

use contract::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

pub(super) struct Line {
    pub(super) time: Option<Timestamp>,
    pub(super) what: What,
}

pub(super) enum What {
    Meta(Box<Meta>),
    Context(TurnContext),
    Event(Event),
    Item(Item),
    /// Known, and nothing to show.
    Nothing,
    Unknown,
}

#[derive(Deserialize)]
struct Outer<'a> {
    #[serde(default)]
    timestamp: Option<String>,
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    payload: &'a RawValue,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Meta {
    #[serde(default)]
    pub(super) id: String,
    #[serde(default)]
    pub(super) timestamp: Option<String>,
    #[serde(default)]
    pub(super) cwd: Option<String>,
    /// A name, or an object for a session that an agent started for itself.
    #[serde(default)]
    pub(super) source: Value,
}

#[derive(Debug, Deserialize)]
pub(super) struct TurnContext {
    #[serde(default)]
    pub(super) turn_id: Option<String>,
    #[serde(default)]
    pub(super) cwd: Option<String>,
    #[serde(default)]
    pub(super) model: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Event {
    #[serde(alias = "turn_started")]
    TaskStarted {
        #[serde(default)]
        turn_id: Option<String>,
    },
    #[serde(alias = "turn_complete")]
    TaskComplete {
        #[serde(default)]
        turn_id: Option<String>,
        #[serde(default)]
        last_agent_message: Option<String>,
        #[serde(default)]
        error: Option<Value>,
    },
    TurnAborted {
        #[serde(default)]
        turn_id: Option<String>,
    },
    UserMessage {
        message: String,
        #[serde(default)]
        images: Option<Vec<Value>>,
        #[serde(default)]
        local_images: Vec<Value>,
    },
    AgentMessage {
        message: String,
    },
    AgentReasoning {
        text: String,
    },
    TokenCount {
        #[serde(default)]
        info: Option<TokenInfo>,
    },
    PatchApplyEnd {
        call_id: String,
        #[serde(default)]
        stdout: String,
        #[serde(default)]
        stderr: String,
        #[serde(default)]
        success: bool,
        #[serde(default)]
        changes: Map<String, Value>,
    },
    McpToolCallEnd {
        call_id: String,
        #[serde(default)]
        result: Value,
    },
    ContextCompacted,
    ExitedReviewMode,
    ThreadRolledBack {
        num_turns: usize,
    },
    // Told by the lines around them.
    #[serde(alias = "agent_reasoning_raw_content")]
    #[serde(alias = "entered_review_mode")]
    #[serde(alias = "web_search_end")]
    #[serde(alias = "item_completed")]
    #[serde(alias = "thread_settings_applied")]
    #[serde(alias = "thread_goal_updated")]
    Beside,
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Deserialize)]
pub(super) struct TokenInfo {
    pub(super) total_token_usage: Tokens,
    #[serde(default)]
    pub(super) last_token_usage: Option<Tokens>,
    #[serde(default)]
    pub(super) model_context_window: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct Tokens {
    pub(super) input_tokens: u64,
    pub(super) cached_input_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) total_tokens: u64,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Item {
    Message {
        role: String,
        #[serde(default)]
        content: Value,
    },
    Reasoning {
        #[serde(default)]
        summary: Value,
    },
    FunctionCall {
        name: String,
        #[serde(default)]
        arguments: Value,
        call_id: String,
    },
    CustomToolCall {
        name: String,
        #[serde(default)]
        input: Value,
        call_id: String,
    },
    LocalShellCall {
        call_id: String,
        #[serde(default)]
        action: Value,
    },
    #[serde(alias = "custom_tool_call_output")]
    FunctionCallOutput {
        call_id: String,
        #[serde(default)]
        output: Value,
    },
    WebSearchCall {
        #[serde(default)]
        id: Option<String>,
        #[serde(default)]
        action: Value,
    },
    // For the model's eyes, or told by other lines.
    #[serde(alias = "agent_message")]
    #[serde(alias = "compaction")]
    #[serde(alias = "context_compaction")]
    #[serde(alias = "ghost_snapshot")]
    #[serde(alias = "image_generation_call")]
    #[serde(alias = "tool_search_call")]
    #[serde(alias = "tool_search_output")]
    Beside,
    #[serde(other)]
    Unknown,
}

impl Line {
    /// `None` if it is broken, or cut off.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let outer: Outer<'_> = serde_json::from_str(text).ok()?;
        let time = outer.timestamp.and_then(|time| time.parse().ok());
        let raw = outer.payload.get();
        let what = match &*outer.kind {
            "session_meta" => read(raw).map(Box::new).map(What::Meta),
            "turn_context" => read(raw).map(What::Context),
            "event_msg" => read(raw).map(|event| match event {
                Event::Unknown => What::Unknown,
                Event::Beside => What::Nothing,
                event => What::Event(event),
            }),
            "response_item" => read(raw).map(|item| match item {
                Item::Unknown => What::Unknown,
                Item::Beside => What::Nothing,
                item => What::Item(item),
            }),
            "compacted" | "world_state" | "ghost_snapshot" => Some(What::Nothing),
            _ => None,
        };
        Some(Self { time, what: what.unwrap_or(What::Unknown) })
    }
}

impl Meta {
    /// Whether an agent started the session for a task of its own.
    pub(super) fn is_of_agent(&self) -> bool {
        self.source.as_object().is_some_and(|source| {
            source.contains_key("subagent") || source.contains_key("sub_agent")
        })
    }
}

fn read<'a, T: Deserialize<'a>>(raw: &'a str) -> Option<T> {
    serde_json::from_str(raw).ok()
}
