//! A translator, lines to feed it, and what comes out.

use claude::{ClaudeTranslator, Output};
use contract::{TurnEvent, TurnId, UpsertObject};
use pipeline::{Moment, Now};
use serde_json::{Value, json};

pub(crate) struct Story {
    pub(crate) translator: ClaudeTranslator,
    pub(crate) outputs: Vec<Output>,
    ms: u64,
}

impl Story {
    pub(crate) fn new() -> Self {
        let mut count = 0;
        let translator = ClaudeTranslator::new("session".into(), move || {
            count += 1;
            TurnId::from(format!("auto-{count}"))
        });
        Self { translator, outputs: Vec::new(), ms: 0 }
    }

    pub(crate) fn send(&mut self, turn: &str) {
        self.translator.note_sent(TurnId::from(turn), true);
    }

    pub(crate) fn say(&mut self, lines: impl IntoIterator<Item = Value>) {
        for line in lines {
            self.ms += 10;
            let now = Now { moment: Moment::from_millis(self.ms), ..Now::default() };
            self.translator.handle_line(&line.to_string(), now);
            self.outputs.extend(std::iter::from_fn(|| self.translator.poll_output()));
        }
    }

    pub(crate) fn turns(&self) -> Vec<&TurnEvent> {
        let turns = self.outputs.iter().filter_map(|output| match output {
            Output::Turn(event) => Some(&**event),
            _ => None,
        });
        turns.collect()
    }

    pub(crate) fn upserts(&self) -> Vec<&UpsertObject> {
        let upserts = self.outputs.iter().filter_map(|output| match output {
            Output::Upsert(upsert) => Some(&**upsert),
            _ => None,
        });
        upserts.collect()
    }

    /// The last state of an item's text.
    pub(crate) fn text(&self, item: &str) -> String {
        let of_item = self.upserts().into_iter().rfind(|upsert| upsert.item_id == item);
        of_item.and_then(|upsert| upsert.content()).map(ToString::to_string).unwrap_or_default()
    }
}

pub(crate) fn init(turns: &[&str]) -> Value {
    json!({
        "type": "system", "subtype": "init", "session_id": "s", "model": "m",
        "capabilities": ["msg_lifecycle_v1"], "user_message_uuids": turns,
    })
}

pub(crate) fn old_init() -> Value {
    json!({ "type": "system", "subtype": "init", "session_id": "s", "model": "m" })
}

fn event(event: &Value) -> Value {
    json!({ "type": "stream_event", "event": event, "parent_tool_use_id": null })
}

pub(crate) fn message_start(id: &str) -> Value {
    event(&json!({ "type": "message_start", "message": { "id": id, "model": "m" } }))
}

pub(crate) fn block_start(index: u32) -> Value {
    event(
        &json!({ "type": "content_block_start", "index": index, "content_block": { "type": "text", "text": "" } }),
    )
}

pub(crate) fn delta(index: u32, text: &str) -> Value {
    event(
        &json!({ "type": "content_block_delta", "index": index, "delta": { "type": "text_delta", "text": text } }),
    )
}

/// A block of any kind that begins.
pub(crate) fn start_of(index: u32, block: &Value) -> Value {
    event(&json!({ "type": "content_block_start", "index": index, "content_block": block }))
}

/// Growth of any kind.
pub(crate) fn growth(index: u32, delta: &Value) -> Value {
    event(&json!({ "type": "content_block_delta", "index": index, "delta": delta }))
}

pub(crate) fn block_stop(index: u32) -> Value {
    event(&json!({ "type": "content_block_stop", "index": index }))
}

pub(crate) fn message_stop() -> Value {
    event(&json!({ "type": "message_stop" }))
}

pub(crate) fn snapshot(id: &str, text: &str) -> Value {
    let content = json!([{ "type": "text", "text": text }]);
    json!({
        "type": "assistant", "parent_tool_use_id": null,
        "message": { "id": id, "model": "m", "content": content },
    })
}

pub(crate) fn notification() -> Value {
    json!({
        "type": "system", "subtype": "task_notification", "task_id": "t", "status": "completed",
        "output_file": "/tmp/out",
    })
}

pub(crate) fn result() -> Value {
    json!({ "type": "result", "subtype": "success", "is_error": false, "num_turns": 1 })
}
