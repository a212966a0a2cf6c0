//! What the model answers, and how it comes across.

use std::time::Duration;

use serde_json::Value;

use super::api::Api;
use super::gate::Gate;
use super::pace::{Ending, Pace, Place};

/// Text comes in deltas of this many words unless told otherwise.
const WORDS_PER_DELTA: usize = 4;

/// One answer: its content in order, and what happens on the way.
#[derive(Clone, Debug)]
pub struct Reply<A: Api> {
    pub(crate) content: A::Content,
    pub(crate) usage: Usage,
    pub(crate) words_per_delta: usize,
    pub(crate) ending: Ending,
    pub(super) outcome: Outcome,
    pub(super) pace: Pace,
}

#[derive(Clone, Debug)]
pub(super) enum Outcome {
    Answer,
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

#[derive(Clone, Copy, Debug)]
pub(crate) struct Usage {
    pub(crate) input: u64,
    pub(crate) output: u64,
}

/// What the model says.
impl<A: Api> Reply<A> {
    /// An answer without content.
    pub fn empty() -> Self {
        Self::of(Outcome::Answer)
    }

    pub fn text(text: &str) -> Self {
        Self::empty().then_text(text)
    }

    /// A text of this many words: `word1 word2 …`.
    pub fn words(count: usize) -> Self {
        let words: Vec<String> = (1..=count).map(|number| format!("word{number}")).collect();
        Self::text(&words.join(" "))
    }

    #[must_use]
    pub fn then_text(mut self, text: &str) -> Self {
        A::add_text(&mut self.content, text);
        self
    }

    #[must_use]
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        self.usage = Usage { input, output };
        self
    }
}

/// What goes wrong.
impl<A: Api> Reply<A> {
    /// An error in place of an answer: 401, 429, 500 and so on, with the API's name for it.
    pub fn status(status: u16, kind: &str) -> Self {
        let message = format!("{kind} of the script");
        Self::of(Outcome::Failure { status, kind: kind.to_owned(), message, retry_after: None })
    }

    pub(super) fn refused(message: &str) -> Self {
        let (status, kind) = A::REFUSAL;
        Self::status(status, kind).error_message(message)
    }

    /// A good status and a body that cannot be read.
    pub fn malformed() -> Self {
        Self::of(Outcome::Malformed)
    }

    pub(crate) fn json(body: Value) -> Self {
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
}

/// How fast it comes.
impl<A: Api> Reply<A> {
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

    /// Falls silent after this many deltas, or after the last one, until the gate is open. An answer that is wanted
    /// whole waits before it is given.
    #[must_use]
    pub fn hold_after(mut self, deltas: usize, gate: &Gate) -> Self {
        self.pace.hold(Place::Deltas(deltas), gate);
        self
    }

    fn of(outcome: Outcome) -> Self {
        Self {
            content: A::Content::default(),
            usage: Usage { input: 100, output: 10 },
            words_per_delta: WORDS_PER_DELTA,
            ending: Ending::Whole,
            outcome,
            pace: Pace::default(),
        }
    }
}
