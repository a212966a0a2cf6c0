//! What can be found of an item, and how a hit is shown.

use contract::{ItemId, SessionId, UpsertBody, UpsertObject};

/// Of one item, in bytes. A log of many megabytes is found by its beginning.
const SEARCHED: usize = 256 * 1024;
/// Characters shown around the first word that was found.
const AROUND: usize = 60;

/// An item that has the words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    pub session_id: SessionId,
    pub item_id: ItemId,
    /// The place where the words are, on one line.
    pub snippet: String,
}

/// The words that are looked for: all of them, in any order, each the beginning of a word; in a session, or in all.
#[derive(Clone, Debug)]
pub struct Wanted {
    words: Vec<String>,
    session: Option<SessionId>,
}

impl Wanted {
    /// None if there is nothing to look for.
    pub fn parse(query: &str) -> Option<Self> {
        let words = query.split(|char: char| !char.is_alphanumeric());
        let words: Vec<_> = words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect();
        (!words.is_empty()).then_some(Self { words, session: None })
    }

    /// Only what this session has; everywhere, where none is named.
    #[must_use]
    pub fn within(self, session: Option<SessionId>) -> Self {
        Self { session, ..self }
    }

    pub(crate) fn session(&self) -> Option<&SessionId> {
        self.session.as_ref()
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = &str> {
        self.words.iter().map(String::as_str)
    }
}

/// What a reader sees of the item: its words, or a call's name, arguments and output.
pub(crate) fn searched_text(item: &UpsertObject) -> String {
    let text = match &item.body {
        UpsertBody::Message { content, .. } | UpsertBody::Thinking { content, .. } => {
            content.to_string()
        }
        UpsertBody::ToolCall(tool) => {
            let arguments = serde_json::to_string(&tool.tool_arguments).unwrap_or_default();
            let output = tool.tool_output.as_ref().map(ToString::to_string).unwrap_or_default();
            format!("{} {arguments} {output}", tool.tool_name)
        }
    };
    text.get(..text.floor_char_boundary(SEARCHED)).unwrap_or_default().to_owned()
}

/// The surroundings of the first word that was found.
pub(crate) fn snippet(text: &str, wanted: &Wanted) -> String {
    let lower = text.to_lowercase();
    let found = wanted.words().filter_map(|word| lower.find(word)).min().unwrap_or_default();
    // Lower case may be longer or shorter than what it was made of: near enough, and at a whole character.
    let at = text.floor_char_boundary(found.min(text.len()));
    let (head, tail) = text.split_at_checked(at).unwrap_or(("", text));
    let start = head.char_indices().rev().take(AROUND).last().map_or(at, |(index, _)| index);
    let end = tail.char_indices().nth(2 * AROUND).map_or(text.len(), |(index, _)| at + index);
    let shown = text.get(start..end).unwrap_or_default();
    let words: Vec<&str> = shown.split_whitespace().collect();
    let before = if start > 0 { "…" } else { "" };
    let after = if end < text.len() { "…" } else { "" };
    format!("{before}{}{after}", words.join(" "))
}
