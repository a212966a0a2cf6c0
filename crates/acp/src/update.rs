//! What a `session/update` says. The tag is looked at first, so that a kind that is not known here is kept, not lost.

use std::borrow::Cow;

use agent_client_protocol_schema::v1::{
    AvailableCommandsUpdate, CompactionUpdate, ConfigOptionUpdate, ContentBlock, ContentChunk,
    CurrentModeUpdate, MessageId, Notice, Plan, ToolCall, ToolCallUpdate, UsageUpdate,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::content::to_text;

/// The parameters of a `session/update`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Notification<'a> {
    #[serde(borrow)]
    pub(crate) session_id: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) update: &'a RawValue,
}

#[derive(Debug)]
pub(crate) enum Update<'a> {
    Text(Speaker, Chunk<'a>),
    ToolCall(Box<ToolCall>),
    ToolChange(Box<ToolCallUpdate>),
    Plan(Plan),
    Commands(AvailableCommandsUpdate),
    Mode(CurrentModeUpdate),
    Config(ConfigOptionUpdate),
    Usage(UsageUpdate),
    Notice(Notice),
    Compaction(CompactionUpdate),
    /// Facts about the session that are not shown here.
    Info,
    /// Of a kind that is not known here, or of a known one that lacks something.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaker {
    User,
    Agent,
    Thought,
}

/// A piece of a text.
#[derive(Debug)]
pub(crate) struct Chunk<'a> {
    pub(crate) text: Cow<'a, str>,
    /// Which message it belongs to, where the agent tells.
    pub(crate) message: Option<MessageId>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tag<'a> {
    #[serde(borrow)]
    session_update: Cow<'a, str>,
}

/// A chunk of plain text, which most updates are.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlainChunk<'a> {
    #[serde(borrow)]
    content: PlainContent<'a>,
    #[serde(default)]
    message_id: Option<MessageId>,
}

#[derive(Deserialize)]
struct PlainContent<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    text: Cow<'a, str>,
}

impl<'a> Update<'a> {
    pub(crate) fn parse(raw: &'a RawValue) -> Self {
        let raw = raw.get();
        let Ok(tag) = serde_json::from_str::<Tag<'_>>(raw) else { return Self::Unknown };
        let parsed = match &*tag.session_update {
            "agent_message_chunk" => chunk(raw).map(|chunk| Self::Text(Speaker::Agent, chunk)),
            "agent_thought_chunk" => chunk(raw).map(|chunk| Self::Text(Speaker::Thought, chunk)),
            "user_message_chunk" => chunk(raw).map(|chunk| Self::Text(Speaker::User, chunk)),
            "tool_call" => read(raw).map(Box::new).map(Self::ToolCall),
            "tool_call_update" => read(raw).map(Box::new).map(Self::ToolChange),
            "plan" => read(raw).map(Self::Plan),
            "available_commands_update" => read(raw).map(Self::Commands),
            "current_mode_update" => read(raw).map(Self::Mode),
            "config_option_update" => read(raw).map(Self::Config),
            "usage_update" => read(raw).map(Self::Usage),
            "notice" => read(raw).map(Self::Notice),
            "compaction_update" => read(raw).map(Self::Compaction),
            "session_info_update" => Some(Self::Info),
            _ => None,
        };
        parsed.unwrap_or(Self::Unknown)
    }

    /// Whether it is a part of what a turn does, and so shows that the turn has begun.
    pub(crate) fn is_work(&self) -> bool {
        match self {
            Self::Text(..)
            | Self::ToolCall(_)
            | Self::ToolChange(_)
            | Self::Plan(_)
            | Self::Usage(_)
            | Self::Compaction(_) => true,
            Self::Commands(_)
            | Self::Mode(_)
            | Self::Config(_)
            | Self::Notice(_)
            | Self::Info
            | Self::Unknown => false,
        }
    }
}

fn read<'a, T: Deserialize<'a>>(raw: &'a str) -> Option<T> {
    serde_json::from_str(raw).ok()
}

fn chunk(raw: &str) -> Option<Chunk<'_>> {
    if let Ok(plain) = serde_json::from_str::<PlainChunk<'_>>(raw)
        && plain.content.kind == "text"
    {
        return Some(Chunk { text: plain.content.text, message: plain.message_id });
    }
    let chunk: ContentChunk = read(raw)?;
    let ContentChunk { content, message_id, .. } = chunk;
    Some(Chunk { text: Cow::Owned(text_of(&content)), message: message_id })
}

fn text_of(content: &ContentBlock) -> String {
    to_text(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(json: &str) -> String {
        let raw = RawValue::from_string(json.to_owned()).unwrap();
        match Update::parse(&raw) {
            Update::Text(speaker, chunk) => format!("{speaker:?} {}", chunk.text),
            Update::Unknown => "unknown".to_owned(),
            other => format!("{other:?}").split(['(', ' ']).next().unwrap().to_owned(),
        }
    }

    #[test]
    fn a_chunk_is_its_text() {
        let text = |content: &str| {
            format!(r#"{{"sessionUpdate":"agent_message_chunk","content":{content}}}"#)
        };
        assert_eq!(parse(&text(r#"{"type":"text","text":"a\nb"}"#)), "Agent a\nb");
        let image = r#"{"type":"image","data":"eA==","mimeType":"image/png"}"#;
        assert_eq!(parse(&text(image)), "Agent [image]");
        let link = r#"{"type":"resource_link","name":"n","uri":"file:///x"}"#;
        assert_eq!(parse(&text(link)), "Agent [n](file:///x)");
    }

    #[test]
    fn what_is_not_known_is_unknown_and_nothing_worse() {
        for json in [
            r#"{"sessionUpdate":"weather","content":1}"#,
            r#"{"sessionUpdate":"agent_message_chunk","content":{"type":"smell"}}"#,
            r#"{"sessionUpdate":"tool_call"}"#,
            r#"{"sessionUpdate":7}"#,
            "[]",
        ] {
            assert_eq!(parse(json), "unknown", "{json}");
        }
        let odd = r#"{"sessionUpdate":"tool_call","toolCallId":"c","title":"t","kind":"dance","status":9,"content":[{"type":"?"}]}"#;
        assert_eq!(parse(odd), "ToolCall", "odd fields cost no call");
    }
}
