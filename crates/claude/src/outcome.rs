//! How a turn ended, read from its `result`.

use contract::ErrorCode;

use crate::event::TurnResult;
use crate::timeline::Closing;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Completed,
    Cancelled,
    Failed(TurnFailure),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TurnFailure {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
    pub(crate) class: Option<String>,
}

/// A failure that the CLI worded as a message of its own. Alone it means nothing: the turn may still succeed.
#[derive(Clone, Debug, Default)]
pub(crate) struct WordedFailure {
    pub(crate) class: Option<String>,
    pub(crate) text: String,
}

impl Outcome {
    pub(crate) fn closing(&self) -> Closing {
        match self {
            Self::Completed => Closing::Completed,
            Self::Cancelled => Closing::Cancelled,
            Self::Failed(_) => Closing::Failed,
        }
    }

    pub(crate) fn of(
        result: &TurnResult<'_>,
        worded: Option<&WordedFailure>,
        was_refused: bool,
    ) -> Self {
        // A user's stop is reported as a failed execution, and preemption as a success; both were aborted.
        if result.terminal_reason.starts_with("aborted_") {
            return Self::Cancelled;
        }
        if !result.is_error {
            return Self::Completed;
        }
        Self::Failed(TurnFailure {
            code: ErrorCode::RESPONSE_ERROR,
            message: message(result, worded),
            class: class(result, worded, was_refused),
        })
    }
}

fn message(result: &TurnResult<'_>, worded: Option<&WordedFailure>) -> String {
    let worded = worded.map(|failure| failure.text.as_str()).filter(|text| !text.is_empty());
    // Diagnostics for the CLI's own makers.
    let errors = result.errors.iter().map(|error| error.as_str());
    let errors: Vec<_> = errors.filter(|error| !error.starts_with("[ede_diagnostic]")).collect();
    match (worded, result.text.given()) {
        (Some(text), _) | (None, Some(text)) => text.to_owned(),
        (None, None) if !errors.is_empty() => errors.join("\n"),
        (None, None) => "the agent reported a failure and gave no reason".to_owned(),
    }
}

fn class(
    result: &TurnResult<'_>,
    worded: Option<&WordedFailure>,
    was_refused: bool,
) -> Option<String> {
    if was_refused || result.stop_reason.as_str() == "refusal" {
        return Some("refusal".to_owned());
    }
    // The CLI files this one under its server errors.
    if result.api_error_status == Some(529) {
        return Some("overloaded".to_owned());
    }
    if result.subtype.as_str() == "error_max_turns" {
        return Some("max_turns".to_owned());
    }
    worded.and_then(|failure| failure.class.clone())
}
