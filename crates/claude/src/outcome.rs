//! How a turn ended, read from its `result`.

use contract::ErrorCode;

use crate::event::TurnResult;
use crate::timeline::Closing;
use crate::turn::OpenTurn;

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

    pub(crate) fn of(result: &TurnResult<'_>, turn: &OpenTurn) -> Self {
        // A user's stop is reported as a failed execution, and preemption as a success; both were aborted.
        if result.terminal_reason.starts_with("aborted_") {
            return Self::Cancelled;
        }
        if !result.is_error {
            return Self::Completed;
        }
        Self::Failed(TurnFailure {
            code: ErrorCode::RESPONSE_ERROR,
            message: message(result, turn.failure.as_ref()),
            class: class(result, turn),
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

fn class(result: &TurnResult<'_>, turn: &OpenTurn) -> Option<String> {
    if turn.was_refused || result.stop_reason.as_str() == "refusal" {
        return Some("refusal".to_owned());
    }
    if result.subtype.as_str() == "error_max_turns" {
        return Some("max_turns".to_owned());
    }
    let told = turn.failure.as_ref().and_then(|failure| failure.class.clone());
    // The CLI files overload under its server errors; what it retried, or the status, says better.
    let is_vague = told.as_deref().is_none_or(|class| class == "server_error");
    let was_overloaded =
        result.api_error_status == Some(529) || turn.last_retry.as_deref() == Some("overloaded");
    if is_vague && was_overloaded { Some("overloaded".to_owned()) } else { told }
}
