//! What only a response of this API can say.

use serde_json::{Value, json};

use super::Responses;
use crate::stand_in::{self, Ending};

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
pub type ResponsesReply = stand_in::Reply<Responses>;

#[derive(Clone, Debug, Default)]
pub struct ResponseContent {
    pub(super) parts: Vec<Part>,
    pub(super) failure: Failure,
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

/// What `response.failed` says.
#[derive(Clone, Debug, Default)]
pub(super) struct Failure {
    pub(super) code: String,
    pub(super) message: String,
}

impl ResponsesReply {
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

    /// The stream ends with `response.failed` after this many deltas.
    #[must_use]
    pub fn failed_after(mut self, deltas: usize, code: &str, message: &str) -> Self {
        self.ending = Ending::ErrorAfter(deltas);
        self.content.failure = Failure { code: code.to_owned(), message: message.to_owned() };
        self
    }

    fn with(mut self, part: Part) -> Self {
        self.content.parts.push(part);
        self
    }
}
