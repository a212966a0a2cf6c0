//! What the model answers, and how it comes across.

use std::time::Duration;

use serde_json::{Value, json};

use crate::stand_in::{Ending, Gate, Pace, Place};

/// Text comes in deltas of this many words unless told otherwise.
const WORDS_PER_DELTA: usize = 4;

/// One answer: its items in order, and what happens on the way.
///
/// ```
/// use testkit::responses_api::{Gate, ResponsesReply};
///
/// let gate = Gate::new();
/// let asks = ResponsesReply::reasoning("A shell knows.").then_shell("date").then_shell("uptime");
/// let edits = ResponsesReply::patch("*** Begin Patch\n*** Add File: new\n+line\n*** End Patch\n");
/// let held = ResponsesReply::words(200).words_per_delta(1).hold_after(20, &gate);
/// let busy = ResponsesReply::status(429, "rate_limit_exceeded").retry_after(1);
/// let failed = ResponsesReply::text("Half of it.").failed_after(1, "server_error", "no");
/// let broken = ResponsesReply::text("Never told to the end.").cut_after(1);
/// ```
#[derive(Clone, Debug)]
pub struct ResponsesReply {
    pub(super) outcome: Outcome,
    pub(super) parts: Vec<Part>,
    pub(super) usage: Usage,
    pub(super) words_per_delta: usize,
    pub(super) pace: Pace,
    pub(super) ending: Ending,
    pub(super) failure: Failure,
}

#[derive(Clone, Debug)]
pub(super) enum Outcome {
    Response,
    Error {
        status: u16,
        kind: String,
        message: String,
        retry_after: Option<u64>,
    },
    /// A good status and a stream that nobody can read.
    Malformed,
    /// A body for what is no question to a model.
    Json(Value),
}

#[derive(Clone, Debug)]
pub(super) enum Part {
    /// A summary of what the model thought.
    Reasoning(String),
    Text(String),
    Function {
        name: String,
        arguments: Value,
    },
    /// A call whose input is plain text.
    Custom {
        name: String,
        input: String,
    },
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Usage {
    pub(super) input: u64,
    pub(super) output: u64,
}

/// What `response.failed` says.
#[derive(Clone, Debug, Default)]
pub(super) struct Failure {
    pub(super) code: String,
    pub(super) message: String,
}

/// What the model says.
impl ResponsesReply {
    /// A response without items.
    pub fn empty() -> Self {
        Self::of(Outcome::Response)
    }

    pub fn text(text: &str) -> Self {
        Self::empty().then_text(text)
    }

    /// A text of this many words: `word1 word2 …`.
    pub fn words(count: usize) -> Self {
        let words: Vec<String> = (1..=count).map(|number| format!("word{number}")).collect();
        Self::text(&words.join(" "))
    }

    pub fn reasoning(summary: &str) -> Self {
        Self::empty().then_reasoning(summary)
    }

    pub fn function(name: &str, arguments: Value) -> Self {
        Self::empty().then_function(name, arguments)
    }

    /// Codex's shell.
    pub fn shell(command: &str) -> Self {
        Self::empty().then_shell(command)
    }

    /// Codex's editor, with a patch in its own format.
    pub fn patch(patch: &str) -> Self {
        Self::empty().then_custom("apply_patch", patch)
    }

    /// Codex's plan: steps, each `pending`, `in_progress` or `completed`.
    pub fn plan(steps: &[(&str, &str)]) -> Self {
        let steps = steps.iter().map(|(step, status)| json!({"step": step, "status": status}));
        Self::function("update_plan", json!({"plan": steps.collect::<Vec<_>>()}))
    }

    #[must_use]
    pub fn then_text(self, text: &str) -> Self {
        self.with(Part::Text(text.to_owned()))
    }

    #[must_use]
    pub fn then_reasoning(self, summary: &str) -> Self {
        self.with(Part::Reasoning(summary.to_owned()))
    }

    #[must_use]
    pub fn then_function(self, name: &str, arguments: Value) -> Self {
        self.with(Part::Function { name: name.to_owned(), arguments })
    }

    #[must_use]
    pub fn then_custom(self, name: &str, input: &str) -> Self {
        self.with(Part::Custom { name: name.to_owned(), input: input.to_owned() })
    }

    #[must_use]
    pub fn then_shell(self, command: &str) -> Self {
        self.then_function("exec_command", json!({"cmd": command}))
    }

    #[must_use]
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        self.usage = Usage { input, output };
        self
    }
}

/// What goes wrong.
impl ResponsesReply {
    /// An error in place of a response: 400, 401, 429, 500 and so on, with the API's name for it.
    pub fn status(status: u16, kind: &str) -> Self {
        let message = format!("{kind} of the script");
        Self::of(Outcome::Error { status, kind: kind.to_owned(), message, retry_after: None })
    }

    /// The error that ends a turn at once.
    pub(super) fn refused(message: &str) -> Self {
        Self::status(400, "invalid_request_error").error_message(message)
    }

    /// A good status and a stream that cannot be read.
    pub fn malformed() -> Self {
        Self::of(Outcome::Malformed)
    }

    pub(super) fn json(body: Value) -> Self {
        Self::of(Outcome::Json(body))
    }

    #[must_use]
    pub fn error_message(mut self, text: &str) -> Self {
        if let Outcome::Error { message, .. } = &mut self.outcome {
            text.clone_into(message);
        }
        self
    }

    /// Seconds that an error asks the agent to wait.
    #[must_use]
    pub fn retry_after(mut self, seconds: u64) -> Self {
        if let Outcome::Error { retry_after, .. } = &mut self.outcome {
            *retry_after = Some(seconds);
        }
        self
    }

    /// The connection breaks after this many deltas.
    #[must_use]
    pub fn cut_after(mut self, deltas: usize) -> Self {
        self.ending = Ending::CutAfter(deltas);
        self
    }

    /// The stream ends with `response.failed` after this many deltas.
    #[must_use]
    pub fn failed_after(mut self, deltas: usize, code: &str, message: &str) -> Self {
        self.ending = Ending::ErrorAfter(deltas);
        self.failure = Failure { code: code.to_owned(), message: message.to_owned() };
        self
    }
}

/// How fast it comes.
impl ResponsesReply {
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
    pub fn hold_before(mut self, gate: &Gate) -> Self {
        self.pace.hold(Place::Start, gate);
        self
    }

    /// Falls silent after this many deltas, or after the last one, until the gate is open.
    #[must_use]
    pub fn hold_after(mut self, deltas: usize, gate: &Gate) -> Self {
        self.pace.hold(Place::Deltas(deltas), gate);
        self
    }

    fn of(outcome: Outcome) -> Self {
        Self {
            outcome,
            parts: Vec::new(),
            usage: Usage { input: 100, output: 10 },
            words_per_delta: WORDS_PER_DELTA,
            pace: Pace::default(),
            ending: Ending::Whole,
            failure: Failure::default(),
        }
    }

    fn with(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }
}
