//! What the model answers, and how it comes across.

use std::time::Duration;

use serde_json::Value;

use crate::stand_in::{Ending, Gate, Pace, Place};

/// Text comes in deltas of this many words unless told otherwise.
const WORDS_PER_DELTA: usize = 4;

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
#[derive(Clone, Debug)]
pub struct Reply {
    pub(super) outcome: Outcome,
    pub(super) blocks: Vec<Block>,
    pub(super) stop_reason: Option<String>,
    pub(super) usage: Usage,
    pub(super) words_per_delta: usize,
    pub(super) pace: Pace,
    pub(super) ending: Ending,
}

#[derive(Clone, Debug)]
pub(super) enum Outcome {
    Message,
    Failure {
        status: u16,
        kind: String,
        message: String,
        retry_after: Option<u64>,
    },
    /// An answer with a good status that is not in the shape of one.
    Malformed,
    /// A body for what is no question to a model.
    Json(Value),
}

#[derive(Clone, Debug)]
pub(super) enum Block {
    Thinking(String),
    Text(String),
    Tool { name: String, input: Value },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Usage {
    pub(super) input: u64,
    pub(super) output: u64,
}

/// What the model says.
impl Reply {
    /// A message without content.
    pub fn empty() -> Self {
        Self::of(Outcome::Message)
    }

    pub fn text(text: &str) -> Self {
        Self::empty().then_text(text)
    }

    /// A text of this many words: `word1 word2 …`.
    pub fn words(count: usize) -> Self {
        let words: Vec<String> = (1..=count).map(|number| format!("word{number}")).collect();
        Self::text(&words.join(" "))
    }

    pub fn thinking(text: &str) -> Self {
        Self::empty().then_thinking(text)
    }

    pub fn tool(name: &str, input: Value) -> Self {
        Self::empty().then_tool(name, input)
    }

    #[must_use]
    pub fn then_text(self, text: &str) -> Self {
        self.with(Block::Text(text.to_owned()))
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
        self.stop_reason = Some(reason.to_owned());
        self
    }

    #[must_use]
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        self.usage = Usage { input, output };
        self
    }
}

/// What goes wrong.
impl Reply {
    /// An error in place of a message: 401, 429, 500, 529 and so on, with the API's name for it.
    pub fn status(status: u16, kind: &str) -> Self {
        let message = format!("{kind} of the script");
        Self::of(Outcome::Failure { status, kind: kind.to_owned(), message, retry_after: None })
    }

    /// The one error that no agent answers with another try: at 400 some ask again with fewer features of the API.
    pub(super) fn refused(message: &str) -> Self {
        Self::status(403, "permission_error").error_message(message)
    }

    /// A good status and a body that cannot be read.
    pub fn malformed() -> Self {
        Self::of(Outcome::Malformed)
    }

    pub(super) fn json(body: Value) -> Self {
        Self::of(Outcome::Json(body))
    }

    #[must_use]
    pub fn error_message(mut self, text: &str) -> Self {
        if let Outcome::Failure { message, .. } = &mut self.outcome {
            text.clone_into(message);
        }
        self
    }

    /// Seconds that an error asks the agent to wait.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        if let Outcome::Failure { retry_after, .. } = &mut self.outcome {
            *retry_after = Some(seconds);
        }
        self
    }

    /// The connection breaks after this many deltas. Says nothing about an answer that is wanted whole.
    #[must_use]
    pub fn cut_after(mut self, deltas: usize) -> Self {
        self.ending = Ending::CutAfter(deltas);
        self
    }

    /// The stream ends with an `error` event after this many deltas. Says nothing about an answer that is wanted
    /// whole.
    #[must_use]
    pub fn sse_error_after(mut self, deltas: usize) -> Self {
        self.ending = Ending::ErrorAfter(deltas);
        self
    }
}

/// How fast it comes.
impl Reply {
    #[must_use]
    pub fn words_per_delta(mut self, words: usize) -> Self {
        self.words_per_delta = words.max(1);
        self
    }

    /// Waits before anything is said.
    #[must_use]
    pub fn delay_first(mut self, delay: Duration) -> Self {
        self.pace.first = delay;
        self
    }

    /// Waits before each delta.
    #[must_use]
    pub fn delay_each(mut self, delay: Duration) -> Self {
        self.pace.each = delay;
        self
    }

    /// Says nothing until the gate is open.
    #[must_use]
    pub fn hold_before(self, gate: &Gate) -> Self {
        self.hold(Place::Start, gate)
    }

    /// Falls silent after this many deltas, or after the last one, until the gate is open. An answer that is wanted
    /// whole waits before it is given.
    #[must_use]
    pub fn hold_after(self, deltas: usize, gate: &Gate) -> Self {
        self.hold(Place::Deltas(deltas), gate)
    }

    fn hold(mut self, place: Place, gate: &Gate) -> Self {
        self.pace.hold(place, gate);
        self
    }

    fn of(outcome: Outcome) -> Self {
        Self {
            outcome,
            blocks: Vec::new(),
            stop_reason: None,
            usage: Usage { input: 100, output: 10 },
            words_per_delta: WORDS_PER_DELTA,
            pace: Pace::default(),
            ending: Ending::Whole,
        }
    }

    fn with(mut self, block: Block) -> Self {
        self.blocks.push(block);
        self
    }
}
