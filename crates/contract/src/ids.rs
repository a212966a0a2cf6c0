//! Ids that cannot be swapped: each is its own type around a shared string, opaque to clients.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! string_ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
        #[cfg_attr(test, derive(ts_rs::TS), ts(type = "string"))]
        pub struct $name(Arc<str>);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(Arc::from(text))
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(Arc::from(text))
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                &*self.0 == other
            }
        }

        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                &*self.0 == *other
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", &*self.0)
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer).map(Self::from)
            }
        }
    )*};
}

string_ids! {
    /// Names one tool call as the agent knows it; its result carries the same id.
    CallId
    /// Names a kind of agent, as the settings do: `claude-code`, `codex`, `external`, or one of the user's own.
    CliType
    /// Chosen by a client for one send, so that a retry sends nothing twice.
    ClientMessageId
    /// Names one unbroken numbering of `seq` for a session.
    Epoch
    /// Names one canonical envelope.
    EventId
    /// Names one item of a session: `${turnId}:${messageOrdinal}:${blockIndex}`, or the caller's own.
    ItemId
    /// Names a permission mode of an agent.
    ModeId
    /// Names a model of an agent, `unknown` where the agent does not tell.
    ModelId
    /// Names one of the answers offered by a permission request.
    OptionId
    /// Names one permission request.
    PermissionId
    /// Names a project directory.
    ProjectId
    /// Names who produced something; the `cliType` for agents that we run.
    ProviderId
    /// Chosen by a WebSocket client for one message; answers and errors echo it.
    RequestId
    /// Names one session; made by the server.
    SessionId
    /// Names one background task of an agent.
    TaskId
    /// Names one request/answer exchange inside a session.
    TurnId
}

impl ItemId {
    /// The user's own message of a turn.
    pub fn of_user_message(turn: &TurnId) -> Self {
        Self::from(format!("{turn}:0:0"))
    }

    /// What the server has to say to a turn stands behind the message that it answers.
    pub fn of_system_message(turn: &TurnId) -> Self {
        Self::from(format!("{turn}:0:1"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_its_string_on_the_wire() {
        let id = TurnId::from("turn-1");
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"turn-1\"");
        assert_eq!(serde_json::from_str::<TurnId>("\"turn-1\"").unwrap(), id);
    }

    #[test]
    fn the_users_message_comes_before_every_message_of_the_agent() {
        assert_eq!(ItemId::of_user_message(&TurnId::from("turn-1")), "turn-1:0:0");
    }
}
