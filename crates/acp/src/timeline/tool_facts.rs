//! What a tool call touches and what came of it, read from the agent's fields.

use agent_client_protocol_schema::v1::{
    Meta, ToolCallContent, ToolCallLocation, ToolCallUpdateFields, ToolKind as AcpKind,
};
use contract::{FileDiff, Location, ToolArguments, ToolKind};
use serde_json::{Map, Value};

use crate::content::to_text;
use crate::line_diff::file_diff;

/// What a call gave, from the surest to the least sure source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Output {
    /// Everything that a command wrote, as Codex gives it.
    Aggregated(String),
    Text(String),
    Raw(String),
}

impl Output {
    pub(super) fn of(fields: &ToolCallUpdateFields) -> Option<Self> {
        let raw = fields.raw_output.as_ref();
        let aggregated = raw.and_then(|raw| raw.get("aggregated_output")).and_then(Value::as_str);
        if let Some(text) = aggregated {
            return Some(Self::Aggregated(text.to_owned()));
        }
        if let Some(text) = fields.content.as_deref().and_then(text) {
            return Some(Self::Text(text));
        }
        match raw? {
            Value::Null => None,
            Value::String(text) => Some(Self::Raw(text.clone())),
            Value::Object(members) => Some(Self::Raw(of_members(members))),
            other => Some(Self::Raw(other.to_string())),
        }
    }

    pub(super) fn text(&self) -> &str {
        match self {
            Self::Aggregated(text) | Self::Text(text) | Self::Raw(text) => text,
        }
    }
}

/// Agents that give an object mostly have the words for people in one of these.
fn of_members(members: &Map<String, Value>) -> String {
    let worded = ["formatted_output", "output", "stdout", "text", "message", "error"];
    let words = worded.iter().find_map(|name| members.get(*name)?.as_str());
    words.map_or_else(|| Value::Object(members.clone()).to_string(), str::to_owned)
}

fn text(content: &[ToolCallContent]) -> Option<String> {
    let texts = content.iter().filter_map(|content| match content {
        ToolCallContent::Content(content) => Some(to_text(&content.content)),
        _ => None,
    });
    let texts: Vec<String> = texts.collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

pub(crate) fn is_diff(content: &ToolCallContent) -> bool {
    matches!(content, ToolCallContent::Diff(_))
}

/// The changes that a call makes or proposes.
pub(crate) fn diff(content: &[ToolCallContent]) -> Option<Vec<FileDiff>> {
    let files = content.iter().filter_map(|content| match content {
        ToolCallContent::Diff(diff) => {
            let path = diff.path.to_string_lossy().into_owned();
            Some(file_diff(path, diff.old_text.as_deref().unwrap_or_default(), &diff.new_text))
        }
        _ => None,
    });
    let files: Vec<FileDiff> = files.collect();
    (!files.is_empty()).then_some(files)
}

/// Arguments are an object; an agent that gives something else is believed all the same.
pub(crate) fn arguments(input: &Value) -> ToolArguments {
    let named = |value: &Value| Map::from_iter([("input".to_owned(), value.clone())]);
    let members = match input {
        Value::Object(members) => members.clone(),
        Value::Null => Map::new(),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Object(members)) => members,
            Ok(_) | Err(_) => named(input),
        },
        other => named(other),
    };
    ToolArguments::from(members)
}

pub(super) fn locations(locations: &[ToolCallLocation]) -> Vec<Location> {
    let location = |location: &ToolCallLocation| Location {
        path: location.path.to_string_lossy().into_owned(),
        line: location.line,
    };
    locations.iter().map(location).collect()
}

pub(super) fn kind(kind: AcpKind) -> ToolKind {
    match kind {
        AcpKind::Read => ToolKind::Read,
        AcpKind::Edit => ToolKind::Edit,
        AcpKind::Delete => ToolKind::Delete,
        AcpKind::Move => ToolKind::Move,
        AcpKind::Search => ToolKind::Search,
        AcpKind::Execute => ToolKind::Execute,
        AcpKind::Think => ToolKind::Think,
        AcpKind::Fetch => ToolKind::Fetch,
        _ => ToolKind::Other,
    }
}

/// What a running command just wrote: an extension that we ask for and Codex speaks.
pub(super) fn live_output(meta: Option<&Meta>) -> Option<String> {
    let data = meta?.get("terminal_output")?.get("data")?.as_str()?;
    Some(data.to_owned())
}
