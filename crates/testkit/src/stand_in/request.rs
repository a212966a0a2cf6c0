//! What an agent asked.

use axum::http::request::Parts;
use serde_json::Value;

use super::api::Api;

#[derive(Clone, Debug)]
pub struct Request<A: Api> {
    pub kind: A::Kind,
    pub method: String,
    /// Without the query.
    pub path: String,
    pub headers: Vec<(String, String)>,
    /// Null if it was no JSON.
    pub body: Value,
}

impl<A: Api> Request<A> {
    pub(crate) fn new(head: &Parts, body: &[u8]) -> Self {
        let headers = head.headers.iter().map(|(name, value)| {
            (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned())
        });
        let mut request = Self {
            kind: A::Kind::default(),
            method: head.method.to_string(),
            path: head.uri.path().to_owned(),
            headers: headers.collect(),
            body: serde_json::from_slice(body).unwrap_or_default(),
        };
        request.kind = A::recognise(&request);
        request
    }

    /// Whether the answer is wanted piece by piece. After a broken stream some agents ask for it whole.
    pub fn is_streaming(&self) -> bool {
        self.body["stream"] == true
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        headers.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    pub fn model(&self) -> &str {
        self.body["model"].as_str().unwrap_or_default()
    }
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Content is a string or a list of parts; only parts of text count.
pub(crate) fn text_of(content: &Value) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    let texts: Vec<&str> = list(content).iter().filter_map(|part| part["text"].as_str()).collect();
    texts.join("\n")
}
