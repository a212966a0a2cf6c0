//! Who asked, and the parts of a request that scripts decide by.

use serde_json::Value;

use super::Messages;
use crate::stand_in::{Request, list, text_of};

const REMINDER: (&str, &str) = ("<system-reminder>", "</system-reminder>");
const NOTIFICATION: (&str, &str) = ("<task-notification>", "</task-notification>");

/// How the agent's own words begin when it wants a summary of the conversation.
const COMPACTION: &str = "CRITICAL: Respond with TEXT ONLY";

pub type ModelRequest = Request<Messages>;

/// Who asks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RequestKind {
    /// The conversation that the user sees.
    Main,
    /// A conversation of a subagent.
    Subagent,
    /// A question on the side to the same model: a title, a quota check, the digest of a web page.
    Side,
    /// How long a prompt would be.
    CountTokens,
    /// Anything that is no question to a model.
    #[default]
    Other,
}

impl ModelRequest {
    pub(super) fn recognise(&self) -> RequestKind {
        match (self.method.as_str(), self.path.as_str()) {
            ("POST", "/v1/messages") if self.header("x-claude-code-agent-id").is_some() => {
                RequestKind::Subagent
            }
            ("POST", "/v1/messages") if self.has_own_tools() => RequestKind::Main,
            ("POST", "/v1/messages") => RequestKind::Side,
            ("POST", "/v1/messages/count_tokens") => RequestKind::CountTokens,
            _ => RequestKind::Other,
        }
    }

    /// The agent's own tools have a schema; those that the API runs by itself, such as a web search, have a type only.
    fn has_own_tools(&self) -> bool {
        list(&self.body["tools"]).iter().any(|tool| tool.get("input_schema").is_some())
    }

    pub fn is_main(&self) -> bool {
        self.kind == RequestKind::Main
    }

    pub fn is_subagent(&self) -> bool {
        self.kind == RequestKind::Subagent
    }

    /// Whether a script is asked.
    pub fn is_conversation(&self) -> bool {
        self.is_main() || self.is_subagent()
    }

    /// Whether the agent wants a summary that takes the conversation's place.
    pub fn is_compaction(&self) -> bool {
        self.last_user_text().contains(COMPACTION)
    }

    /// The names of the tools on offer.
    pub fn tools(&self) -> Vec<&str> {
        list(&self.body["tools"]).iter().filter_map(|tool| tool["name"].as_str()).collect()
    }

    pub fn system_text(&self) -> String {
        text_of(&self.body["system"])
    }

    /// The messages in the API's own shape.
    pub fn messages(&self) -> &[Value] {
        list(&self.body["messages"])
    }

    /// The text of the last user message without the agent's reminders. Empty when the agent only hands in results of
    /// tools, or speaks by itself.
    pub fn last_user_text(&self) -> String {
        without_reminders(&self.last_user_words()).trim().to_owned()
    }

    /// The tool results in the last user message, each with the id of its call.
    pub fn last_tool_results(&self) -> Vec<(String, String)> {
        let content = list(self.last_user_content());
        let results = content.iter().filter(|block| block["type"] == "tool_result");
        results
            .map(|block| {
                let id = block["tool_use_id"].as_str().unwrap_or_default();
                (id.to_owned(), text_of(&block["content"]))
            })
            .collect()
    }

    /// What the agent tells the model about a background task that ended, if that is what the last message is about.
    pub fn task_notification(&self) -> Option<String> {
        let words = self.last_user_words();
        let (_, inner, _) = around(&words, NOTIFICATION)?;
        Some(inner.to_owned())
    }

    fn last_user_words(&self) -> String {
        text_of(self.last_user_content())
    }

    fn last_user_content(&self) -> &Value {
        let last = self.messages().iter().rfind(|message| message["role"] == "user");
        last.map_or(&Value::Null, |message| &message["content"])
    }
}

fn without_reminders(text: &str) -> String {
    match around(text, REMINDER) {
        Some((before, _, after)) => format!("{before}{}", without_reminders(after)),
        None => text.to_owned(),
    }
}

/// What is before, within and after the first pair of tags. A tag that is never closed reaches to the end.
fn around<'a>(text: &'a str, (open, close): (&str, &str)) -> Option<(&'a str, &'a str, &'a str)> {
    let (before, rest) = text.split_once(open)?;
    let (within, after) = rest.split_once(close).unwrap_or((rest, ""));
    Some((before, within, after))
}

#[cfg(test)]
mod tests {
    use axum::http::Request;
    use serde_json::json;

    use super::*;

    fn request(path: &str, headers: &[(&str, &str)], body: &Value) -> ModelRequest {
        let mut builder = Request::post(path);
        for (name, value) in headers {
            builder = builder.header(*name, *value);
        }
        let (head, ()) = builder.body(()).unwrap().into_parts();
        ModelRequest::new(&head, body.to_string().as_bytes())
    }

    fn saying(messages: &Value) -> ModelRequest {
        request("/v1/messages", &[], &json!({"messages": messages}))
    }

    #[test]
    fn a_request_is_known_by_its_tools_its_agent_and_its_path() {
        let own = json!({"tools": [{"name": "Bash", "input_schema": {}}]});
        let foreign = json!({"tools": [{"name": "web_search", "type": "web_search_20250305"}]});
        let agent = [("X-Claude-Code-Agent-Id", "a1")];
        let quota = json!({"max_tokens": 1});
        let kind = |path, headers: &[_], body| request(path, headers, body).kind;
        assert_eq!(kind("/v1/messages?beta=true", &[], &own), RequestKind::Main);
        assert_eq!(kind("/v1/messages?beta=true", &agent, &own), RequestKind::Subagent);
        assert_eq!(kind("/v1/messages", &[], &foreign), RequestKind::Side);
        assert_eq!(kind("/v1/messages", &[], &quota), RequestKind::Side);
        assert_eq!(kind("/v1/messages/count_tokens", &[], &own), RequestKind::CountTokens);
        assert_eq!(kind("/api/hello", &[], &Value::Null), RequestKind::Other);
    }

    #[test]
    fn the_users_words_are_found_between_reminders_and_system_messages() {
        let reminded = json!([
            {"type": "text", "text": "<system-reminder>\nno\n</system-reminder>"},
            {"type": "text", "text": "fix <system-reminder>no</system-reminder>it"},
        ]);
        let request = saying(&json!([
            {"role": "user", "content": "earlier"},
            {"role": "user", "content": reminded},
            {"role": "system", "content": "agents"},
        ]));
        assert_eq!(request.last_user_text(), "fix it");
        assert_eq!(
            saying(&json!([{"role": "user", "content": "plain"}])).last_user_text(),
            "plain"
        );
        assert_eq!(saying(&json!([])).last_user_text(), "");
    }

    #[test]
    fn results_of_tools_are_told_with_the_ids_of_their_calls() {
        let request = saying(&json!([{"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "a", "content": "one"},
            {"type": "tool_result", "tool_use_id": "b", "content": [{"type": "text", "text": "two"}]},
        ]}]));
        let results = request.last_tool_results();
        assert_eq!(
            results,
            [("a".to_owned(), "one".to_owned()), ("b".to_owned(), "two".to_owned())]
        );
        assert_eq!(request.last_user_text(), "");
    }

    #[test]
    fn the_end_of_a_background_task_is_no_word_of_the_user() {
        let notification = "<system-reminder>\n<task-notification>done</task-notification>";
        let request = saying(&json!([{"role": "user", "content": notification}]));
        assert_eq!(request.task_notification().as_deref(), Some("done"));
        assert_eq!(request.last_user_text(), "");
    }
}
