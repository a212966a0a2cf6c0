//! Turn events: a turn starts, and ends exactly once.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ErrorCode, ModelId, ProviderId, SessionId, Timestamp, TurnId};

/// Grows by one with every change of a session and never repeats within an epoch.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(transparent)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "number"))]
pub struct Seq(pub u64);

impl Seq {
    #[must_use]
    pub fn next(self) -> Self {
        // A client may name any number; ours never come near the end.
        Self(self.0.saturating_add(1))
    }
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct TurnEvent {
    pub turn_id: TurnId,
    pub session_id: SessionId,
    /// Present once journalled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seq: Option<Seq>,
    /// When it was journalled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Timestamp>,
    #[serde(flatten)]
    pub kind: TurnEventKind,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub enum TurnEventKind {
    TurnStarted {
        model_id: ModelId,
        provider_id: ProviderId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<TurnOrigin>,
        /// The running turn that the agent folded this one into.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        joined_turn_id: Option<TurnId>,
    },
    TurnComplete {
        status: TurnStatus,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    TurnError {
        error_code: ErrorCode,
        error_message: String,
        /// Which kind of failure a living agent reported: `rate_limit`, `overloaded`, …; or that it was none:
        /// `ended_by_user`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error_class: Option<String>,
    },
}

/// The class of `turn_error(INTERRUPTED)` for a turn whose agent somebody ended: that is no failure.
pub const ENDED_BY_USER: &str = "ended_by_user";

impl TurnEventKind {
    /// Whether the turn failed, rather than being done or ended by somebody.
    pub fn is_failure(&self) -> bool {
        match self {
            Self::TurnStarted { .. } | Self::TurnComplete { .. } => false,
            // Both: an agent names the classes of its own failures.
            Self::TurnError { error_code, error_class, .. } => {
                *error_code != ErrorCode::INTERRUPTED
                    || error_class.as_deref() != Some(ENDED_BY_USER)
            }
        }
    }

    /// Whether this event ends its turn.
    pub fn is_terminal(&self) -> bool {
        match self {
            Self::TurnStarted { .. } => false,
            Self::TurnComplete { .. } | Self::TurnError { .. } => true,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum TurnOrigin {
    User,
    /// Nobody asked for it: the agent woke up by itself.
    Autonomous,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum TurnStatus {
    Completed,
    Cancelled,
}

/// What a turn consumed; optional where the agent does not tell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct Usage {
    #[cfg_attr(test, ts(type = "number"))]
    pub input_tokens: u64,
    #[cfg_attr(test, ts(type = "number"))]
    pub output_tokens: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "number"))]
    pub cache_read_input_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "number"))]
    pub cache_creation_input_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "number"))]
    pub context_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "number"))]
    pub context_window: Option<u64>,
}
