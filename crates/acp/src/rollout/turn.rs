//! A turn while its lines are read, and how it ends.

use contract::{ErrorCode, TurnEventKind, TurnId, TurnStatus};
use serde_json::{Value, json};

use super::usage::TurnCost;
use crate::failure;
use crate::rpc::RpcError;

#[derive(Debug)]
pub(super) struct ReadTurn {
    pub(super) id: TurnId,
    /// Turns of messages that came while it ran.
    pub(super) joined: Vec<TurnId>,
    /// Whether the rollout tells its beginning, and so its end.
    pub(super) is_told: bool,
    /// Where its start stands among the events, once it was told.
    pub(super) started: Option<usize>,
    pub(super) has_prompt: bool,
    /// Whether the agent had the last word.
    pub(super) has_answer: bool,
    pub(super) cost: TurnCost,
}

impl ReadTurn {
    pub(super) fn new(id: TurnId, is_told: bool) -> Self {
        Self {
            id,
            joined: Vec::new(),
            is_told,
            started: None,
            has_prompt: false,
            has_answer: false,
            cost: TurnCost::default(),
        }
    }

    /// Whether a line that names a turn means this one.
    pub(super) fn is_named(&self, turn: Option<&str>) -> bool {
        !self.is_told || turn.is_none_or(|turn| self.id == *turn)
    }

    pub(super) fn completed(&self) -> TurnEventKind {
        TurnEventKind::TurnComplete { status: TurnStatus::Completed, usage: self.cost.usage() }
    }

    pub(super) fn cancelled(&self) -> TurnEventKind {
        TurnEventKind::TurnComplete { status: TurnStatus::Cancelled, usage: self.cost.usage() }
    }

    /// The end that a `task_complete` tells. Codex completes failed turns too, and older versions do not say why.
    pub(super) fn ended(&self, error: Option<&Value>, has_message: bool) -> TurnEventKind {
        match error {
            Some(error) => {
                let words = error.get("message").and_then(Value::as_str).unwrap_or_default();
                let info = error.get("codex_error_info").cloned().unwrap_or_default();
                failure::turn_error(&RpcError {
                    code: 0,
                    message: String::new(),
                    data: Some(json!({ "message": words, "codex_error_info": info })),
                })
            }
            None if self.has_prompt && !self.has_answer && !has_message => {
                TurnEventKind::TurnError {
                    error_code: ErrorCode::RESPONSE_ERROR,
                    error_message: "the turn ended without an answer; Codex does not keep why"
                        .to_owned(),
                    error_class: None,
                }
            }
            None => self.completed(),
        }
    }

    /// The end of a turn of which none is told.
    pub(super) fn cut_off(&self) -> TurnEventKind {
        if !self.is_told && self.has_answer {
            return self.completed();
        }
        TurnEventKind::TurnError {
            error_code: ErrorCode::PROCESS_CRASH,
            error_message: "the rollout ends before the turn does".to_owned(),
            error_class: None,
        }
    }
}
