//! Why an agent asked, and the parts of a request that scripts decide by.

use serde_json::Value;

use super::Responses;
use crate::stand_in::{Request, list, text_of};

pub type ResponsesRequest = Request<Responses>;

/// Why the agent asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResponsesRequestKind {
    /// A turn that the user sees.
    Turn,
    /// For a summary that takes the conversation's place.
    Compaction,
    /// A question on the side to the same model.
    Side,
    /// Which models there are.
    Models,
    /// Anything else.
    #[default]
    Other,
}

impl ResponsesRequest {
    pub(super) fn recognise(&self) -> ResponsesRequestKind {
        match (self.method.as_str(), self.path.as_str()) {
            ("POST", "/v1/responses") if self.purpose().as_deref() == Some("compaction") => {
                ResponsesRequestKind::Compaction
            }
            ("POST", "/v1/responses") if list(&self.body["tools"]).is_empty() => {
                ResponsesRequestKind::Side
            }
            ("POST", "/v1/responses") => ResponsesRequestKind::Turn,
            ("GET", "/v1/models") => ResponsesRequestKind::Models,
            _ => ResponsesRequestKind::Other,
        }
    }

    /// What Codex says that the request is for.
    fn purpose(&self) -> Option<String> {
        let metadata: Value = serde_json::from_str(self.header("x-codex-turn-metadata")?).ok()?;
        metadata["request_kind"].as_str().map(str::to_owned)
    }

    /// Whether a script is asked.
    pub fn is_turn(&self) -> bool {
        self.kind == ResponsesRequestKind::Turn
    }

    /// The agent's session, for agents that serve several in one process.
    pub fn session(&self) -> Option<&str> {
        self.header("session-id")
    }

    /// The names of the tools on offer, or their types where the API runs them by itself.
    pub fn tools(&self) -> Vec<&str> {
        let tools = list(&self.body["tools"]).iter();
        tools.filter_map(|tool| tool["name"].as_str().or(tool["type"].as_str())).collect()
    }

    /// The conversation in the API's own shape.
    pub fn input(&self) -> &[Value] {
        list(&self.body["input"])
    }

    /// The user's words that the answer is wanted for. Empty when the agent only hands in outputs of tools.
    pub fn last_user_text(&self) -> String {
        let last = self.input().iter().rfind(|item| item["role"] == "user" || is_output(item));
        last.map_or_else(String::new, |item| text_of(&item["content"]))
    }

    /// The outputs of tools that came since the model spoke, each with the id of its call.
    pub fn last_tool_outputs(&self) -> Vec<(String, String)> {
        let items = self.input().iter().rev();
        let newest = items.take_while(|item| is_output(item) || item["role"] == "developer");
        let mut outputs: Vec<_> = newest.filter(|item| is_output(item)).map(output_of).collect();
        outputs.reverse();
        outputs
    }
}

fn is_output(item: &Value) -> bool {
    item["type"].as_str().is_some_and(|name| name.ends_with("_call_output"))
}

fn output_of(item: &Value) -> (String, String) {
    let id = item["call_id"].as_str().unwrap_or_default();
    (id.to_owned(), text_of(&item["output"]))
}

#[cfg(test)]
mod tests {
    use axum::http::Request;
    use serde_json::json;

    use super::*;

    fn request(method: &str, path: &str, purpose: &str, body: &Value) -> ResponsesRequest {
        let metadata = json!({"request_kind": purpose}).to_string();
        let builder = Request::builder().method(method).uri(path);
        let request = builder.header("X-Codex-Turn-Metadata", metadata).body(()).unwrap();
        ResponsesRequest::new(&request.into_parts().0, body.to_string().as_bytes())
    }

    fn saying(input: &Value) -> ResponsesRequest {
        request("POST", "/v1/responses", "turn", &json!({"input": input}))
    }

    #[test]
    fn a_request_is_known_by_its_purpose_its_tools_and_its_path() {
        let tools = json!({"tools": [{"type": "function", "name": "exec_command"}]});
        let none = json!({});
        let kind = |method, path, purpose, body| request(method, path, purpose, body).kind;
        let responses = "/v1/responses";
        assert_eq!(kind("POST", responses, "turn", &tools), ResponsesRequestKind::Turn);
        assert_eq!(kind("POST", responses, "compaction", &tools), ResponsesRequestKind::Compaction);
        assert_eq!(kind("POST", responses, "turn", &none), ResponsesRequestKind::Side);
        assert_eq!(kind("GET", "/v1/models", "", &none), ResponsesRequestKind::Models);
        assert_eq!(kind("GET", responses, "turn", &tools), ResponsesRequestKind::Other);
    }

    #[test]
    fn the_users_last_words_are_told_until_a_tool_has_answered() {
        let asked = json!([
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "earlier"}]},
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "fix it"}]},
            {"type": "message", "role": "developer", "content": "be brief"},
        ]);
        assert_eq!(saying(&asked).last_user_text(), "fix it");
        assert!(saying(&asked).last_tool_outputs().is_empty());
    }

    #[test]
    fn outputs_of_tools_are_told_with_the_ids_of_their_calls() {
        let request = saying(&json!([
            {"type": "message", "role": "user", "content": "go"},
            {"type": "function_call_output", "call_id": "old", "output": "earlier"},
            {"type": "function_call", "call_id": "a", "name": "exec_command"},
            {"type": "function_call_output", "call_id": "a", "output": "one"},
            {"type": "custom_tool_call_output", "call_id": "b", "output": [{"text": "two"}]},
        ]));
        let outputs = request.last_tool_outputs();
        assert_eq!(outputs, [("a", "one"), ("b", "two")].map(|(a, b)| (a.into(), b.into())));
        assert_eq!(request.last_user_text(), "");
    }
}
