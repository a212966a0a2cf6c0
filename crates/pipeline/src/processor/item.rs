//! One item of the open turn.

use contract::{
    CallId, ItemId, MessageOrigin, ProviderId, SessionId, Text, Timestamp, ToolArguments, ToolCall,
    TurnId, UpsertBody,
};

use super::room::Share;
use crate::growing_text::GrowingText;
use crate::moment::Moment;

/// Where an item stands.
#[derive(Debug)]
pub(super) enum Item {
    Text(TextItem),
    Tool(ToolItem),
    /// Cancelled before any of it was shown: it left no trace and may be started again.
    Cancelled,
    /// Its end was told; nothing more is heard of it in its turn.
    Ended(TurnId),
}

/// Whose an item is and what it is called.
#[derive(Clone, Debug)]
pub(super) struct Identity {
    pub(super) turn_id: TurnId,
    pub(super) session_id: SessionId,
    pub(super) item_id: ItemId,
    /// Counts up with each item that opens: the order of closing, and what tells a deadline of an earlier item apart.
    pub(super) ordinal: u64,
}

#[derive(Debug)]
pub(super) struct TextItem {
    pub(super) identity: Identity,
    pub(super) kind: TextKind,
    pub(super) text: GrowingText,
    /// When the last of its text arrived.
    pub(super) source_timestamp: Timestamp,
    /// The earliest moment at which the deadlines hold an entry for it.
    pub(super) queued: Option<Moment>,
    pub(super) share: Share,
}

#[derive(Clone, Debug)]
pub(super) enum TextKind {
    Message,
    Thinking { provider_id: ProviderId },
}

#[derive(Debug)]
pub(super) struct ToolItem {
    pub(super) identity: Identity,
    pub(super) name: String,
    pub(super) arguments: ToolArguments,
    pub(super) call_id: CallId,
    pub(super) source_timestamp: Timestamp,
    pub(super) share: Share,
}

impl Item {
    /// Whose it is, while it is open.
    pub(super) fn identity(&self) -> Option<&Identity> {
        match self {
            Self::Text(item) => Some(&item.identity),
            Self::Tool(tool) => Some(&tool.identity),
            Self::Cancelled | Self::Ended(_) => None,
        }
    }
}

impl Item {
    /// Whose it is or was.
    pub(super) fn turn(&self) -> Option<&TurnId> {
        match self {
            Self::Ended(turn) => Some(turn),
            Self::Text(_) | Self::Tool(_) | Self::Cancelled => {
                self.identity().map(|identity| &identity.turn_id)
            }
        }
    }
}

impl TextKind {
    pub(super) fn body(&self, content: Text) -> UpsertBody {
        match self {
            Self::Message => UpsertBody::Message { content, origin: MessageOrigin::Agent },
            Self::Thinking { provider_id } => {
                UpsertBody::Thinking { content, provider_id: provider_id.clone() }
            }
        }
    }
}

impl ToolItem {
    pub(super) fn body(&self, output: Option<(Text, bool)>) -> UpsertBody {
        call_body(self.name.clone(), self.arguments.clone(), self.call_id.clone(), output)
    }
}

pub(super) fn call_body(
    tool_name: String,
    tool_arguments: ToolArguments,
    call_id: CallId,
    output: Option<(Text, bool)>,
) -> UpsertBody {
    let (tool_output, tool_output_is_error) = output.unzip();
    UpsertBody::ToolCall(ToolCall {
        tool_name,
        tool_arguments,
        call_id,
        tool_output,
        tool_output_is_error,
        kind: None,
        locations: None,
        diff: None,
    })
}
