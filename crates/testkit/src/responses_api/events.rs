//! A response in the API's two shapes: as one JSON body, and as the events of a stream.

use serde_json::{Value, json};

use super::reply::{Part, ResponsesReply};
use crate::stand_in::{Events, Ids, Usage, in_pieces, in_words};

/// What stands for thoughts that only the model can read; agents hand it back.
const ENCRYPTED: &str = "c2VjcmV0";

/// A reply that has got its ids.
pub(super) struct Answer {
    id: String,
    model: String,
    /// Whole items in the API's shape.
    output: Vec<Value>,
    usage: Usage,
    words_per_delta: usize,
}

impl Answer {
    pub(super) fn new(reply: &ResponsesReply, model: &str, ids: &Ids) -> Self {
        Self {
            id: ids.next("resp"),
            model: model.to_owned(),
            output: reply.content.parts.iter().map(|part| whole(part, ids)).collect(),
            usage: reply.usage,
            words_per_delta: reply.words_per_delta,
        }
    }

    /// The answer to a request that does not stream.
    pub(super) fn whole(&self) -> Value {
        let Usage { input, output } = self.usage;
        let mut response = self.head("completed");
        response["output"] = self.output.clone().into();
        response["usage"] = json!({
            "input_tokens": input,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": output,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": input + output,
        });
        response
    }

    pub(super) fn events(&self, reply: &ResponsesReply) -> Events {
        let failure = &reply.content.failure;
        let mut failed = self.head("failed");
        failed["error"] = json!({"code": failure.code, "message": failure.message});
        Events {
            all: self.good_events(),
            failure: json!({"type": "response.failed", "response": failed}),
        }
    }

    fn good_events(&self) -> Vec<Value> {
        let running = self.head("in_progress");
        let mut events = vec![
            json!({"type": "response.created", "response": running}),
            json!({"type": "response.in_progress", "response": running}),
        ];
        for (index, item) in self.output.iter().enumerate() {
            events.extend(self.item_events(index, item));
        }
        events.push(json!({"type": "response.completed", "response": self.whole()}));
        for (number, event) in events.iter_mut().enumerate() {
            event["sequence_number"] = number.into();
        }
        events
    }

    fn head(&self, status: &str) -> Value {
        json!({
            "id": self.id,
            "object": "response",
            "created_at": 0,
            "status": status,
            "model": self.model,
            "error": null,
            "incomplete_details": null,
            "output": [],
            "usage": null,
        })
    }

    fn item_events(&self, index: usize, item: &Value) -> Vec<Value> {
        let (opening, between) = self.opened(item);
        let mut events = vec![json!({"type": "response.output_item.added", "item": opening})];
        events.extend(between);
        events.push(json!({"type": "response.output_item.done", "item": item}));
        for event in &mut events {
            event["output_index"] = index.into();
            if event.get("item").is_none() {
                event["item_id"] = item["id"].clone();
            }
        }
        events
    }

    /// An item as it is when it begins, and what is added to it.
    fn opened(&self, item: &Value) -> (Value, Vec<Value>) {
        let mut opening = item.clone();
        let events = match item["type"].as_str() {
            Some("message") => {
                opening["status"] = "in_progress".into();
                opening["content"] = json!([]);
                self.text_events(&item["content"][0])
            }
            Some("reasoning") => {
                opening["summary"] = json!([]);
                self.summary_events(&item["summary"][0])
            }
            Some("function_call") => {
                opening["status"] = "in_progress".into();
                opening["arguments"] = "".into();
                call_events("function_call_arguments", "arguments", &item["arguments"])
            }
            _ => {
                opening["status"] = "in_progress".into();
                opening["input"] = "".into();
                call_events("custom_tool_call_input", "input", &item["input"])
            }
        };
        (opening, events)
    }

    fn text_events(&self, part: &Value) -> Vec<Value> {
        let mut empty = part.clone();
        empty["text"] = "".into();
        let mut events = vec![json!({"type": "response.content_part.added", "part": empty})];
        let pieces = in_words(&part["text"], self.words_per_delta).into_iter();
        let deltas =
            pieces.map(|piece| json!({"type": "response.output_text.delta", "delta": piece}));
        events.extend(deltas);
        events.push(json!({"type": "response.output_text.done", "text": part["text"]}));
        events.push(json!({"type": "response.content_part.done", "part": part}));
        with_field(events, "content_index")
    }

    fn summary_events(&self, part: &Value) -> Vec<Value> {
        let (empty, name) =
            (json!({"type": "summary_text", "text": ""}), "response.reasoning_summary");
        let mut events = vec![json!({"type": format!("{name}_part.added"), "part": empty})];
        let pieces = in_words(&part["text"], self.words_per_delta).into_iter();
        let deltas =
            pieces.map(|piece| json!({"type": format!("{name}_text.delta"), "delta": piece}));
        events.extend(deltas);
        events.push(json!({"type": format!("{name}_text.done"), "text": part["text"]}));
        events.push(json!({"type": format!("{name}_part.done"), "part": part}));
        with_field(events, "summary_index")
    }
}

/// An item has one part here, so that its number is always the same.
fn with_field(mut events: Vec<Value>, name: &str) -> Vec<Value> {
    for event in &mut events {
        event[name] = 0.into();
    }
    events
}

fn call_events(name: &str, field: &str, input: &Value) -> Vec<Value> {
    let pieces = in_pieces(input.as_str().unwrap_or_default()).into_iter();
    let deltas =
        pieces.map(|piece| json!({"type": format!("response.{name}.delta"), "delta": piece}));
    let mut events: Vec<Value> = deltas.collect();
    events.push(json!({"type": format!("response.{name}.done"), field: input}));
    events
}

fn whole(part: &Part, ids: &Ids) -> Value {
    match part {
        Part::Reasoning(text) => json!({
            "type": "reasoning",
            "id": ids.next("rs"),
            "summary": [{"type": "summary_text", "text": text}],
            "encrypted_content": ENCRYPTED,
        }),
        Part::Text(text) => json!({
            "type": "message",
            "id": ids.next("msg"),
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }),
        Part::Function { name, arguments } => json!({
            "type": "function_call",
            "id": ids.next("fc"),
            "call_id": ids.next("call"),
            "name": name,
            "arguments": arguments.to_string(),
            "status": "completed",
        }),
        Part::Custom { name, input } => json!({
            "type": "custom_tool_call",
            "id": ids.next("ctc"),
            "call_id": ids.next("call"),
            "name": name,
            "input": input,
            "status": "completed",
        }),
    }
}
