//! What only a message of this API can say.

use serde_json::Value;

use super::Messages;
use crate::stand_in::{self, Ending};

/// One answer: blocks in order, and what happens on the way.
///
/// ```
/// use serde_json::json;
/// use testkit::model_api::{Gate, Reply};
///
/// let gate = Gate::new();
/// let asks = Reply::thinking("A shell knows.").then_tool("Bash", json!({"command": "date"}));
/// let held = Reply::words(200).words_per_delta(1).hold_after(20, &gate);
/// let busy = Reply::status(529, "overloaded_error").retry_after(1);
/// let broken = Reply::text("Never told to the end.").cut_after(1);
/// ```
pub type Reply = stand_in::Reply<Messages>;

#[derive(Clone, Debug, Default)]
pub struct MessageContent {
    pub(super) blocks: Vec<Block>,
    pub(super) stop_reason: Option<String>,
}

#[derive(Clone, Debug)]
pub(super) enum Block {
    Thinking(String),
    Text(String),
    Tool { name: String, input: Value },
}

impl Reply {
    pub fn thinking(text: &str) -> Self {
        Self::empty().then_thinking(text)
    }

    pub fn tool(name: &str, input: Value) -> Self {
        Self::empty().then_tool(name, input)
    }

    #[must_use]
    pub fn then_thinking(self, text: &str) -> Self {
        self.with(Block::Thinking(text.to_owned()))
    }

    #[must_use]
    pub fn then_tool(self, name: &str, input: Value) -> Self {
        self.with(Block::Tool { name: name.to_owned(), input })
    }

    /// In place of `tool_use` after a call and `end_turn` otherwise.
    #[must_use]
    pub fn stop_reason(mut self, reason: &str) -> Self {
        self.content.stop_reason = Some(reason.to_owned());
        self
    }

    /// The stream ends with an `error` event after this many deltas. Says nothing about an answer that is wanted
    /// whole.
    #[must_use]
    pub fn sse_error_after(mut self, deltas: usize) -> Self {
        self.ending = Ending::ErrorAfter(deltas);
        self
    }

    fn with(mut self, block: Block) -> Self {
        self.content.blocks.push(block);
        self
    }
}
