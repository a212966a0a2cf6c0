//! What a client of the legacy family knows of one session: the rules of docs/API.md as a reducer.

use std::collections::BTreeMap;

use contract::UpsertObject;
use serde_json::Value;

#[derive(Debug, Default)]
pub(crate) struct LegacyView {
    pub(crate) texts: BTreeMap<String, String>,
    /// How often each was told to have ended since the last history.
    endings: BTreeMap<String, usize>,
}

impl LegacyView {
    /// Takes in a message; those of other kinds change nothing.
    pub(crate) fn apply(&mut self, message: &Value) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        match message["type"].as_str().unwrap_or_default() {
            "session:history" => {
                let entries = message["entries"].as_array().unwrap().iter();
                let told = entries.map(|entry| (text(&entry["entryId"]), text(&entry["content"])));
                *self = Self { texts: told.collect(), endings: BTreeMap::new() };
            }
            "session:update" => {
                let entry = &message["entry"];
                self.texts.insert(text(&entry["entryId"]), text(&entry["content"]));
            }
            "session:chunk" => {
                let known = self.texts.get_mut(&text(&message["entryId"]));
                known.expect("an entry that began").push_str(&text(&message["content"]));
            }
            "session:complete" | "session:cancelled" => {
                let endings = self.endings.entry(text(&message["entryId"])).or_default();
                *endings += 1;
                assert_eq!(*endings, 1, "an answer ends once: {message}");
            }
            _ => {}
        }
    }

    /// Fails unless it has what the journal has: nothing else, and at least what a client has that came just now.
    pub(crate) fn shows(&self, journal: &[UpsertObject], fresh: &Self) {
        let kept =
            |item: &UpsertObject| Some((item.item_id.to_string(), item.content()?.to_string()));
        let journal: BTreeMap<_, _> = journal.iter().filter_map(kept).collect();
        for (id, text) in &self.texts {
            assert!(journal.get(id) == Some(text), "{id} differs, {} bytes", text.len());
        }
        for id in fresh.texts.keys() {
            assert!(self.texts.contains_key(id), "{id} is missing");
        }
    }
}
