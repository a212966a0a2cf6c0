//! Stable error codes: what a program may rely on. Messages are for people and may change.

use std::borrow::Cow;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::ProjectId;

/// One of the codes below, or a code that an agent or an envelope brought along.
#[derive(Clone, PartialEq, Eq, Hash, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "string"))]
pub struct ErrorCode(Cow<'static, str>);

macro_rules! known_codes {
    ($($(#[$doc:meta])* $name:ident)*) => {
        impl ErrorCode {
            $($(#[$doc])* pub const $name: Self = Self(Cow::Borrowed(stringify!($name)));)*

            /// Whether it is one of ours, not one that somebody brought along.
            pub fn is_known(&self) -> bool {
                [$(stringify!($name)),*].contains(&self.as_str())
            }
        }
    };
}

known_codes! {
    // Providers.
    UNSUPPORTED_CLI_TYPE
    SESSION_NOT_FOUND
    /// The agent's process or its output ended.
    PROCESS_CRASH
    /// The agent broke its own order so that a turn cannot be attributed.
    PROTOCOL_ERROR
    INVALID_STREAM_EVENT
    INTERRUPT_FAILED
    SESSION_CREATE_FAILED
    // Turns and items.
    /// A living agent reported failure; `errorClass` says of which kind.
    RESPONSE_ERROR
    /// Cut short by a failure, or by the end of our server.
    INTERRUPTED
    /// Cut short by the user.
    CANCELLED
    /// The agent took this text back.
    SUPERSEDED
    /// Taken out of the queue before it began.
    REMOVED
    // The edge.
    UNAUTHORIZED
    FORBIDDEN_HOST
    FORBIDDEN_ORIGIN
    /// Who asks may not ask this way, whatever it knows.
    FORBIDDEN_PEER
    /// The settings let no agent be in a mode in which it never asks.
    MODE_FORBIDDEN
    INVALID_REQUEST
    INVALID_PROJECT_DIR
    INVALID_PATH
    DUPLICATE_PROJECT
    PROJECT_NOT_FOUND
    PROJECT_ID_REQUIRED
    ITEM_NOT_FOUND
    TURN_NOT_FOUND
    TURN_ALREADY_STARTED
    PERMISSION_NOT_FOUND
    PERMISSION_ALREADY_ANSWERED
    NOT_FOUND
    METHOD_NOT_ALLOWED
    NOT_SUPPORTED
    PAYLOAD_TOO_LARGE
    TOO_MANY_REQUESTS
    STORE_UNAVAILABLE
    SHUTTING_DOWN
    /// The cause is only in the log.
    INTERNAL_ERROR
}

impl ErrorCode {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for ErrorCode {
    fn from(code: String) -> Self {
        Self(Cow::Owned(code))
    }
}

impl From<&str> for ErrorCode {
    fn from(code: &str) -> Self {
        Self(Cow::Owned(code.to_owned()))
    }
}

impl PartialEq<&str> for ErrorCode {
    fn eq(&self, other: &&str) -> bool {
        self.0 == *other
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ErrorCode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

/// The body of every HTTP error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct ErrorBody {
    pub code: ErrorCode,
    pub message: String,
    /// The project that is there already (`DUPLICATE_PROJECT`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
}
