//! One line of a transcript, with what it takes to place it. Its bodies stay unread until somebody asks for them.

use contract::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::line::{ApiUsage, Content, Message, Word};

/// Bodies are borrowed as they stand: most of a transcript is never looked into, and some lines are 60 KB of it.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct Line<'a> {
    #[serde(rename = "type", borrow)]
    kind: Word<'a>,
    #[serde(borrow)]
    pub(super) subtype: Word<'a>,
    #[serde(borrow)]
    pub(super) uuid: Word<'a>,
    #[serde(borrow)]
    parent_uuid: Word<'a>,
    /// Where the conversation goes on behind a summary of it.
    #[serde(borrow)]
    logical_parent_uuid: Word<'a>,
    #[serde(borrow)]
    pub(super) leaf_uuid: Word<'a>,
    #[serde(borrow)]
    pub(super) session_id: Word<'a>,
    #[serde(borrow)]
    pub(super) timestamp: Word<'a>,
    #[serde(borrow)]
    pub(super) cwd: Word<'a>,
    pub(super) is_sidechain: Option<bool>,
    pub(super) is_meta: Option<bool>,
    pub(super) is_compact_summary: Option<bool>,
    pub(super) is_api_error_message: Option<bool>,
    pub(super) is_aborted_mid_stream: Option<bool>,
    pub(super) api_error_status: Option<u16>,
    pub(super) api_block_index: Option<u32>,
    #[serde(borrow)]
    pub(super) prompt_source: Word<'a>,
    #[serde(borrow)]
    pub(super) merged_send_uuids: Option<Vec<Word<'a>>>,
    #[serde(rename = "sourceToolAssistantUUID", borrow)]
    pub(super) source_tool_assistant_uuid: Word<'a>,
    #[serde(borrow)]
    pub(super) error: Word<'a>,
    /// The words of a `system` line.
    #[serde(borrow)]
    pub(super) content: Word<'a>,
    #[serde(borrow)]
    origin: Option<&'a RawValue>,
    #[serde(borrow)]
    message: Option<&'a RawValue>,
    #[serde(borrow)]
    attachment: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(super) tool_use_result: Option<&'a RawValue>,
}

/// The kinds that mean something to us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    User,
    Assistant,
    Attachment,
    System,
    /// Names the end of the conversation as it stands.
    LastPrompt,
    Other,
}

/// A message without what it says.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MessageHead<'a> {
    #[serde(borrow)]
    pub(super) id: Word<'a>,
    #[serde(borrow)]
    pub(super) model: Word<'a>,
    #[serde(borrow)]
    pub(super) stop_reason: Word<'a>,
    pub(super) usage: Option<ApiUsage>,
}

/// A message of the user's that the agent took into its running turn.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct QueuedCommand<'a> {
    #[serde(rename = "type", borrow)]
    kind: Word<'a>,
    #[serde(borrow)]
    pub(super) prompt: Content<'a>,
    #[serde(borrow)]
    pub(super) source_uuid: Word<'a>,
    #[serde(rename = "commandMode", borrow)]
    mode: Word<'a>,
    #[serde(rename = "isMeta")]
    is_meta: Option<bool>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Origin<'a> {
    #[serde(borrow)]
    kind: Word<'a>,
}

impl<'a> Line<'a> {
    /// `None` if it is broken, or cut off.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    pub(super) fn kind(&self) -> Kind {
        match self.kind.as_str() {
            "user" => Kind::User,
            "assistant" => Kind::Assistant,
            "attachment" => Kind::Attachment,
            "system" => Kind::System,
            "last-prompt" => Kind::LastPrompt,
            _ => Kind::Other,
        }
    }

    /// Whether it has a place in the tree of the main conversation. Lines of every kind do, if only as links.
    pub(super) fn is_placed(&self) -> bool {
        self.uuid.given().is_some() && !self.is_sidechain.unwrap_or_default()
    }

    pub(super) fn parent(&self) -> Option<&str> {
        self.parent_uuid.given().or_else(|| self.logical_parent_uuid.given())
    }

    pub(super) fn time(&self) -> Option<Timestamp> {
        self.timestamp.given()?.parse().ok()
    }

    /// Whether the CLI says that something other than a person is behind it.
    pub(super) fn is_of_agent(&self) -> bool {
        let origin = self.origin.and_then(|raw| serde_json::from_str::<Origin<'_>>(raw.get()).ok());
        origin.is_some_and(|origin| origin.kind.given().is_some_and(|kind| kind != "human"))
    }

    pub(super) fn head(&self) -> MessageHead<'a> {
        self.message.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
    }

    pub(super) fn message(&self) -> Option<Message<'a>> {
        self.message.and_then(|raw| serde_json::from_str(raw.get()).ok())
    }

    /// A message that a person sent while a turn ran. The CLI's own news of its tasks come the same way.
    pub(super) fn queued_command(&self) -> Option<QueuedCommand<'a>> {
        // Looked at before it is read: attachments are the bulk of a transcript.
        let raw = self.attachment.filter(|raw| raw.get().contains("queued_command"))?;
        let command: QueuedCommand<'_> = serde_json::from_str(raw.get()).ok()?;
        let is_prompt = command.mode.given().is_none_or(|mode| mode == "prompt");
        let is_persons = is_prompt && !command.is_meta.unwrap_or_default() && !self.is_of_agent();
        (command.kind.as_str() == "queued_command" && is_persons).then_some(command)
    }
}
