//! Harmless answers to what is no conversation.

use serde_json::{Map, Value, json};

use super::reply::Reply;
use super::request::{ModelRequest, RequestKind};

pub(super) fn reply_to(request: &ModelRequest) -> Reply {
    match request.kind {
        RequestKind::CountTokens => {
            let tokens = request.body.to_string().len() / 4;
            Reply::json(json!({"input_tokens": tokens}))
        }
        RequestKind::Side => Reply::text(&side_text(request)),
        RequestKind::Main | RequestKind::Subagent | RequestKind::Other => {
            Reply::status(404, "not_found_error").error_message(&request.path)
        }
    }
}

/// A word, or an object with a word for each required property where a schema is given.
fn side_text(request: &ModelRequest) -> String {
    let schema = &request.body["output_config"]["format"]["schema"];
    let Some(required) = schema["required"].as_array() else {
        return "Fine".to_owned();
    };
    let names = required.iter().filter_map(Value::as_str);
    let object: Map<String, Value> = names.map(|name| (name.to_owned(), "Fine".into())).collect();
    Value::Object(object).to_string()
}
