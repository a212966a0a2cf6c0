//! What an agent's failure is called.

use contract::{ErrorCode, TurnEventKind};
use serde_json::Value;

use crate::bounds::{WORDS, shorten};
use crate::rpc::RpcError;

/// The words for people: agents put them into `data` and leave "Internal error" in the message.
pub(crate) fn words(error: &RpcError) -> String {
    let data = error.data.as_ref();
    let detail = data.and_then(|data| match data {
        Value::String(text) => Some(text.as_str()),
        Value::Object(members) => {
            ["message", "details", "error"].iter().find_map(|name| members.get(*name)?.as_str())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
    });
    let words = match (detail, error.message.as_str()) {
        (Some(detail), "" | "Internal error") => detail.to_owned(),
        (Some(detail), message) if !message.contains(detail) => format!("{message}: {detail}"),
        (_, "") => format!("error {}", error.code),
        (_, message) => message.to_owned(),
    };
    shorten(&words, WORDS)
}

/// The end of a turn whose prompt was answered with an error.
pub(crate) fn turn_error(error: &RpcError) -> TurnEventKind {
    let error_message = words(error);
    TurnEventKind::TurnError {
        error_code: ErrorCode::RESPONSE_ERROR,
        error_class: class(error, &error_message),
        error_message,
    }
}

pub(crate) fn refusal() -> TurnEventKind {
    TurnEventKind::TurnError {
        error_code: ErrorCode::RESPONSE_ERROR,
        error_message: "the model refused to answer".to_owned(),
        error_class: Some("refusal".to_owned()),
    }
}

/// The end of a turn whose prompt cannot be written, because too much waits for the agent's answers already.
pub(crate) fn unanswered() -> TurnEventKind {
    given_up("the agent answers nothing that it is asked")
}

/// The end of a turn whose prompt hung twice.
pub(crate) fn silent() -> TurnEventKind {
    given_up("the agent does not answer")
}

fn given_up(message: &str) -> TurnEventKind {
    TurnEventKind::TurnError {
        error_code: ErrorCode::RESPONSE_ERROR,
        error_message: message.to_owned(),
        error_class: None,
    }
}

fn class(error: &RpcError, words: &str) -> Option<String> {
    if error.code == -32000 {
        return Some("authentication_failed".to_owned());
    }
    let info = error.data.as_ref().and_then(|data| data.get("codex_error_info"));
    let named = match info {
        Some(Value::String(name)) => of_name(name),
        Some(Value::Object(members)) => {
            let status = members.values().find_map(|value| value.get("http_status_code")?.as_u64());
            status.and_then(of_status).or_else(|| members.keys().find_map(|name| of_name(name)))
        }
        Some(_) | None => None,
    };
    named.or_else(|| status_in(words).and_then(of_status))
}

fn of_name(name: &str) -> Option<String> {
    let class = match name {
        "other" => return None,
        "usage_limit_exceeded" => "rate_limit",
        "server_overloaded" => "overloaded",
        "unauthorized" => "authentication_failed",
        "internal_server_error" => "server_error",
        other => other,
    };
    Some(class.to_owned())
}

fn of_status(status: u64) -> Option<String> {
    let class = match status {
        400 => "invalid_request",
        401 | 403 => "authentication_failed",
        402 => "billing_error",
        429 => "rate_limit",
        503 | 529 => "overloaded",
        500..=599 => "server_error",
        _ => return None,
    };
    Some(class.to_owned())
}

/// `… status 401 Unauthorized …`: agents that name no class mostly quote the answer of the model's API.
fn status_in(words: &str) -> Option<u64> {
    let rest = words.split_once("status")?.1;
    let digits: String =
        rest.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(code: i64, message: &str, data: Value) -> (String, Option<String>) {
        let error = RpcError { code, message: message.to_owned(), data: Some(data) };
        match turn_error(&error) {
            TurnEventKind::TurnError { error_message, error_class, .. } => {
                (error_message, error_class)
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn an_error_has_its_words_and_its_class() {
        let class = |class: &str| Some(class.to_owned());
        let data = json!({"message": "too many", "codex_error_info":
            {"response_too_many_failed_attempts": {"http_status_code": 429}}});
        assert_eq!(
            told(-32603, "Internal error", data),
            ("too many".to_owned(), class("rate_limit"))
        );
        let data = json!({"message": "unexpected status 401 Unauthorized: x", "codex_error_info": "other"});
        assert_eq!(told(-32603, "Internal error", data).1, class("authentication_failed"));
        let data = json!({"message": "no", "codex_error_info": "context_window_exceeded"});
        assert_eq!(told(-32603, "Internal error", data).1, class("context_window_exceeded"));
        assert_eq!(
            told(-32000, "Authentication required", json!(null)).1,
            class("authentication_failed")
        );
        assert_eq!(told(7, "", json!({})), ("error 7".to_owned(), None));
        assert_eq!(told(7, "bad", json!("why")), ("bad: why".to_owned(), None));
    }
}
