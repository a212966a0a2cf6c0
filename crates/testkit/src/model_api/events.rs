//! A message in the API's two shapes: as one JSON body, and as the events of a stream.

use serde_json::{Value, json};

use super::reply::{Block, Reply};
use crate::stand_in::{Events, Ids, Usage, in_pieces, in_words};

/// What a thought is signed with; agents hand it back unread.
const SIGNATURE: &str = "c2lnbmF0dXJl";

/// A reply that has got its ids.
pub(super) struct Message {
    id: String,
    model: String,
    /// Whole blocks in the API's shape.
    content: Vec<Value>,
    stop_reason: String,
    usage: Usage,
    words_per_delta: usize,
}

impl Message {
    pub(super) fn new(reply: &Reply, model: &str, ids: &Ids) -> Self {
        let content = &reply.content;
        let calls = content.blocks.iter().any(|block| matches!(block, Block::Tool { .. }));
        let usual = if calls { "tool_use" } else { "end_turn" };
        Self {
            id: ids.next("msg"),
            model: model.to_owned(),
            content: content.blocks.iter().map(|block| whole(block, ids)).collect(),
            stop_reason: content.stop_reason.clone().unwrap_or_else(|| usual.to_owned()),
            usage: reply.usage,
            words_per_delta: reply.words_per_delta,
        }
    }

    /// The answer to a request that does not stream.
    pub(super) fn whole(&self) -> Value {
        let mut message = self.head();
        message["content"] = self.content.clone().into();
        message["stop_reason"] = self.stop_reason.clone().into();
        message["usage"]["output_tokens"] = self.usage.output.into();
        message
    }

    pub(super) fn events(&self) -> Events {
        let mut events =
            vec![json!({"type": "message_start", "message": self.head()}), json!({"type": "ping"})];
        for (index, block) in self.content.iter().enumerate() {
            events.extend(self.block_events(index, block));
        }
        events.push(json!({
            "type": "message_delta",
            "delta": {"stop_reason": self.stop_reason, "stop_sequence": null},
            "usage": {"output_tokens": self.usage.output},
        }));
        events.push(json!({"type": "message_stop"}));
        let error = json!({"type": "overloaded_error", "message": "Overloaded"});
        Events { all: events, failure: json!({"type": "error", "error": error}) }
    }

    fn head(&self) -> Value {
        json!({
            "id": self.id,
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": [],
            "stop_reason": null,
            "stop_sequence": null,
            "usage": {
                "input_tokens": self.usage.input,
                "cache_creation_input_tokens": 0,
                "cache_read_input_tokens": 0,
                "output_tokens": 1,
            },
        })
    }

    fn block_events(&self, index: usize, block: &Value) -> Vec<Value> {
        let (opening, deltas) = self.opened(block);
        let start =
            json!({"type": "content_block_start", "index": index, "content_block": opening});
        let deltas = deltas
            .into_iter()
            .map(|delta| json!({"type": "content_block_delta", "index": index, "delta": delta}));
        let stop = json!({"type": "content_block_stop", "index": index});
        std::iter::once(start).chain(deltas).chain([stop]).collect()
    }

    /// A block as it is when it begins, and what is added to it.
    fn opened(&self, block: &Value) -> (Value, Vec<Value>) {
        let mut opening = block.clone();
        let deltas = match block["type"].as_str() {
            Some("thinking") => {
                opening["thinking"] = "".into();
                opening["signature"] = "".into();
                let pieces = in_words(&block["thinking"], self.words_per_delta).into_iter();
                let thoughts =
                    pieces.map(|text| json!({"type": "thinking_delta", "thinking": text}));
                let signature = json!({"type": "signature_delta", "signature": SIGNATURE});
                thoughts.chain([signature]).collect()
            }
            Some("text") => {
                opening["text"] = "".into();
                let pieces = in_words(&block["text"], self.words_per_delta).into_iter();
                pieces.map(|text| json!({"type": "text_delta", "text": text})).collect()
            }
            _ => {
                opening["input"] = json!({});
                let pieces = input_pieces(&block["input"]).into_iter();
                pieces
                    .map(|part| json!({"type": "input_json_delta", "partial_json": part}))
                    .collect()
            }
        };
        (opening, deltas)
    }
}

fn whole(block: &Block, ids: &Ids) -> Value {
    match block {
        Block::Thinking(text) => {
            json!({"type": "thinking", "thinking": text, "signature": SIGNATURE})
        }
        Block::Text(text) => json!({"type": "text", "text": text}),
        Block::Tool { name, input } => {
            json!({"type": "tool_use", "id": ids.next("toolu"), "name": name, "input": input})
        }
    }
}

/// An empty piece comes first, as the API does it.
fn input_pieces(input: &Value) -> Vec<String> {
    let mut pieces = vec![String::new()];
    pieces.extend(in_pieces(&input.to_string()));
    pieces
}
