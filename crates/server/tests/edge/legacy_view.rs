//! What a client of the legacy family knows of one session: the rules of docs/API.md as a reducer.

use std::collections::BTreeMap;

use contract::{ErrorCode, ItemStatus, Text, UpsertBody, UpsertObject};
use serde_json::Value;

#[derive(Debug, Default)]
pub(crate) struct LegacyView {
    entries: BTreeMap<String, Entry>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Entry {
    kind: String,
    /// Its text, or what a call gave.
    text: String,
    /// How a call stands.
    status: String,
    /// Whether it changed since the last history, which does not say whether an entry has ended.
    was_told_live: bool,
    /// The message that it ended with.
    ending: Option<String>,
}

impl LegacyView {
    /// Told to have ended, or told whole by a history.
    pub(crate) fn has_ended(&self, id: &str) -> bool {
        self.entries.get(id).is_some_and(|entry| entry.ending.is_some() || !entry.was_told_live)
    }

    /// Takes in a message; those of other kinds change nothing.
    pub(crate) fn apply(&mut self, message: &Value) {
        match message["type"].as_str().unwrap_or_default() {
            "session:history" => {
                let entries = message["entries"].as_array().unwrap().iter();
                self.entries =
                    entries.map(|entry| (text(&entry["entryId"]), read(entry))).collect();
            }
            "session:update" => {
                let entry = Entry { was_told_live: true, ..read(&message["entry"]) };
                let before = self.entries.insert(text(&message["entry"]["entryId"]), entry);
                let ending = before.and_then(|before| before.ending);
                assert_eq!(ending, None, "what has ended does not change: {message}");
            }
            "session:chunk" => {
                let entry = self.known(message);
                entry.text.push_str(message["content"].as_str().unwrap());
                entry.was_told_live = true;
            }
            "session:complete" | "session:cancelled" => {
                let before = self.known(message).ending.replace(text(&message["type"]));
                assert_eq!(before, None, "an answer ends once: {message}");
            }
            _ => {}
        }
    }

    fn known(&mut self, message: &Value) -> &mut Entry {
        let id = message["entryId"].as_str().unwrap();
        self.entries.get_mut(id).expect("an entry that began")
    }

    /// Fails unless it has what the journal has: nothing else, and at least what a client has that came just now.
    pub(crate) fn shows(&self, journal: &[UpsertObject], fresh: &Self) {
        let journal: BTreeMap<_, _> =
            journal.iter().map(|item| (item.item_id.to_string(), item)).collect();
        for (id, entry) in &self.entries {
            entry.shows(journal.get(id).unwrap_or_else(|| panic!("{id} is not in the journal")));
        }
        for (id, entry) in &fresh.entries {
            assert!(self.entries.contains_key(id), "{id} is missing");
            let is_taken_back = journal[id].error_code == Some(ErrorCode::SUPERSEDED);
            assert!(!is_taken_back, "in a history: {entry:?}");
        }
    }
}

impl Entry {
    fn shows(&self, item: &UpsertObject) {
        let id = &item.item_id;
        assert_eq!((self.kind.as_str(), self.status.as_str()), kind_and_status(item), "{id}");
        // Of text that was taken back nothing more is told, not even its last character.
        let is_taken_back =
            item.error_code == Some(ErrorCode::SUPERSEDED) && self.kind != "tool-call";
        let shown = shown_text(item);
        let has_its_text =
            if is_taken_back { !self.text.ends_with('.') } else { self.text == shown };
        assert!(has_its_text, "{id} differs, {} bytes for {}", self.text.len(), shown.len());
        if self.was_told_live || self.ending.is_some() {
            assert_eq!(self.ending.as_deref(), ending(item), "how {id} ended");
        }
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn read(entry: &Value) -> Entry {
    let of_call = text(&entry["result"]) + &text(&entry["error"]);
    Entry {
        kind: text(&entry["type"]),
        text: text(&entry["content"]) + &of_call,
        status: text(&entry["status"]),
        ..Entry::default()
    }
}

fn kind_and_status(item: &UpsertObject) -> (&'static str, &'static str) {
    match (&item.body, item.status) {
        (UpsertBody::Message { .. }, _) => ("assistant", ""),
        (UpsertBody::Thinking { .. }, _) => ("thinking", ""),
        (UpsertBody::ToolCall(_), ItemStatus::Error) => ("tool-call", "error"),
        (UpsertBody::ToolCall(_), _) if item.is_final() => ("tool-call", "complete"),
        (UpsertBody::ToolCall(_), _) => ("tool-call", "running"),
    }
}

/// What a call gives is told once it has ended.
fn shown_text(item: &UpsertObject) -> String {
    let is_call = matches!(item.body, UpsertBody::ToolCall(_));
    let text = item.growing_text().filter(|_| !is_call || item.is_final());
    text.map(Text::to_string).unwrap_or_default()
}

/// Only answers have one.
fn ending(item: &UpsertObject) -> Option<&'static str> {
    match (&item.body, item.status) {
        (UpsertBody::Message { .. }, ItemStatus::Complete) => Some("session:complete"),
        (UpsertBody::Message { .. }, ItemStatus::Error) => Some("session:cancelled"),
        _ => None,
    }
}
