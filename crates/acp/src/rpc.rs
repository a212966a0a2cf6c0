//! One side of a JSON-RPC 2.0 conversation, without IO: lines come in, lines and what they mean go out.
//!
//! What waits for an answer is bounded: an agent that does not answer makes further requests fail, not memory grow.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// Requests of ours that may wait for answers.
const PENDING: usize = 64;

/// The method is not known here.
pub const METHOD_NOT_FOUND: i64 = -32601;

/// Remembers, for each request of ours, what it was about.
#[derive(Debug)]
pub struct Peer<K> {
    next: u64,
    pending: BTreeMap<u64, K>,
}

/// The id of the other side's request, as it wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RequestId(String);

#[derive(Debug)]
pub enum Received<'a, K> {
    /// The answer to a request of ours.
    Answer {
        to: K,
        result: Result<&'a str, RpcError>,
    },
    Request {
        id: RequestId,
        method: Cow<'a, str>,
        params: &'a str,
    },
    Notification {
        method: Cow<'a, str>,
        params: &'a str,
    },
    /// An answer that nobody waits for, such as a complaint about a notification.
    Unasked,
    /// No message at all.
    Malformed,
}

/// A failure as the other side tells it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RpcError {
    pub code: i64,
    pub message: String,
    pub data: Option<Value>,
}

/// Too many requests wait for answers already.
#[derive(Debug, PartialEq, Eq)]
pub struct Unanswered;

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    params: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    /// Read apart: whatever is wrong with it, it answers what was asked.
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
}

#[derive(Serialize)]
struct Written<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    params: Option<&'a P>,
    #[serde(skip_serializing_if = "Option::is_none")]
    result: Option<&'a P>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<WrittenError<'a>>,
}

#[derive(Serialize)]
struct WrittenError<'a> {
    code: i64,
    message: &'a str,
}

impl<K> Default for Peer<K> {
    fn default() -> Self {
        Self { next: 0, pending: BTreeMap::new() }
    }
}

impl<K> Peer<K> {
    /// The line of a request; its answer will come back with `kind`.
    pub fn request(
        &mut self,
        kind: K,
        method: &str,
        params: &impl Serialize,
    ) -> Result<String, Unanswered> {
        if self.pending.len() >= PENDING {
            return Err(Unanswered);
        }
        let id = self.next;
        self.next += 1;
        self.pending.insert(id, kind);
        let id = RawValue::from_string(id.to_string()).ok();
        Ok(write(id.as_deref(), Some(method), Some(params), None, None))
    }

    pub fn receive<'a>(&mut self, line: &'a str) -> Received<'a, K> {
        // A list would be read as the members of an object, one after the other.
        let is_object = line.trim_start().starts_with('{');
        let message = serde_json::from_str::<Message<'a>>(line).ok().filter(|_| is_object);
        let Some(message) = message else { return Received::Malformed };
        let Message { id, method, params, result, error } = message;
        let params = params.map_or("null", RawValue::get);
        match (id, method) {
            (Some(id), Some(method)) => {
                Received::Request { id: RequestId(id.get().to_owned()), method, params }
            }
            (None, Some(method)) => Received::Notification { method, params },
            (Some(id), None) => match number(id).and_then(|id| self.pending.remove(&id)) {
                Some(to) => {
                    let result = match error {
                        Some(error) => Err(RpcError::read(error)),
                        None => Ok(result.map_or("null", RawValue::get)),
                    };
                    Received::Answer { to, result }
                }
                None => Received::Unasked,
            },
            (None, None) if error.is_some() => Received::Unasked,
            (None, None) => Received::Malformed,
        }
    }

    pub fn waits(&self) -> usize {
        self.pending.len()
    }
}

/// The line of a notification.
pub fn notification(method: &str, params: &impl Serialize) -> String {
    write(None, Some(method), Some(params), None, None)
}

/// The line that answers a request.
pub fn answer(id: &RequestId, result: &impl Serialize) -> String {
    write(id.raw().as_deref(), None, None, Some(result), None)
}

/// The line that refuses a request.
pub fn refusal(id: &RequestId, code: i64, message: &str) -> String {
    let error = WrittenError { code, message };
    write::<()>(id.raw().as_deref(), None, None, None, Some(error))
}

fn write<P: Serialize>(
    id: Option<&RawValue>,
    method: Option<&str>,
    params: Option<&P>,
    result: Option<&P>,
    error: Option<WrittenError<'_>>,
) -> String {
    let written = Written { jsonrpc: "2.0", id, method, params, result, error };
    // Only maps with keys that are no strings cannot be written, and no message of ours has one.
    serde_json::to_string(&written).unwrap_or_default()
}

impl RpcError {
    /// Agents put whatever they caught here: with a name for its code, without words, or only words. It is an answer all
    /// the same.
    fn read(told: &RawValue) -> Self {
        let told: Value = serde_json::from_str(told.get()).unwrap_or_default();
        let words = |told: &Value| match told {
            Value::Null => String::new(),
            Value::String(words) => words.clone(),
            other => other.to_string(),
        };
        if !told.is_object() {
            return Self { message: words(&told), ..Self::default() };
        }
        Self {
            code: told.get("code").and_then(Value::as_i64).unwrap_or_default(),
            message: told.get("message").map(words).unwrap_or_default(),
            data: told.get("data").filter(|data| !data.is_null()).cloned(),
        }
    }
}

impl RequestId {
    fn raw(&self) -> Option<Box<RawValue>> {
        RawValue::from_string(self.0.clone()).ok()
    }

    /// From a value inside a message, such as the request that a notification takes back.
    pub fn from_json(json: &str) -> Self {
        Self(json.to_owned())
    }
}

/// Ours are numbers; an agent may have made a string of one.
fn number(id: &RawValue) -> Option<u64> {
    id.get().trim_matches('"').parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_finds_what_was_asked_once() {
        let mut peer = Peer::default();
        assert_eq!(
            peer.request("hello", "initialize", &json!({"a": 1})).unwrap(),
            r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"a":1}}"#
        );
        peer.request("second", "x", &()).unwrap();
        let answer = r#"{"jsonrpc":"2.0","id":0,"result":null}"#;
        let Received::Answer { to: "hello", result: Ok("null") } = peer.receive(answer) else {
            panic!("the answer to the first");
        };
        assert!(matches!(peer.receive(answer), Received::Unasked), "only once");
        let failed = r#"{"id":"1","error":{"code":-5,"message":"no","data":[1]}}"#;
        let Received::Answer { to: "second", result: Err(error) } = peer.receive(failed) else {
            panic!("the answer to the second");
        };
        assert_eq!((error.code, error.message.as_str(), error.data), (-5, "no", Some(json!([1]))));
        assert_eq!(peer.waits(), 0);
    }

    #[test]
    fn requests_of_the_other_side_keep_their_ids_as_they_were_written() {
        let mut peer = Peer::<()>::default();
        for id in ["7", "\"a-b\"", "1.50"] {
            let line = format!(r#"{{"id":{id},"method":"m","params":[1]}}"#);
            let Received::Request { id: asked, method, params: "[1]" } = peer.receive(&line) else {
                panic!("a request");
            };
            assert_eq!(method, "m");
            assert_eq!(
                answer(&asked, &json!({"ok": true})),
                format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"ok":true}}}}"#)
            );
            assert_eq!(
                refusal(&asked, METHOD_NOT_FOUND, "no such"),
                format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"no such"}}}}"#
                )
            );
        }
    }

    #[test]
    fn what_is_no_message_is_told_apart_from_what_nobody_asked_for() {
        let mut peer = Peer::<()>::default();
        for line in ["", "{", "[1]", "{}", "\"x\"", r#"{"id":1,"method":"#] {
            assert!(matches!(peer.receive(line), Received::Malformed), "{line}");
        }
        let complaint = r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"x"},"id":null}"#;
        assert!(matches!(peer.receive(complaint), Received::Unasked));
        assert!(matches!(peer.receive(r#"{"id":9,"result":1}"#), Received::Unasked));
    }

    #[test]
    fn an_error_of_any_shape_is_an_answer() {
        let deep = format!(r#"{{"message":"deep","data":{}{}}}"#, "[".repeat(200), "]".repeat(200));
        for (error, code, message) in [
            (r#"{"code":"ENOENT","message":"no such file"}"#, 0, "no such file"),
            (r#"{"code":-32603.5,"message":null}"#, 0, ""),
            (r#""boom""#, 0, "boom"),
            ("[1]", 0, "[1]"),
            ("7", 0, "7"),
            (&*deep, 0, ""),
            (r#"{"code":-5,"message":"no","data":null}"#, -5, "no"),
        ] {
            let mut peer = Peer::default();
            peer.request((), "m", &()).unwrap();
            let line = format!(r#"{{"id":0,"error":{error}}}"#);
            let Received::Answer { result: Err(read), .. } = peer.receive(&line) else {
                panic!("{error}");
            };
            assert_eq!(peer.waits(), 0);
            assert_eq!((read.code, read.message.as_str(), read.data), (code, message, None));
        }
    }

    #[test]
    fn an_agent_that_answers_nothing_is_asked_no_more() {
        let mut peer = Peer::default();
        for _ in 0..PENDING {
            peer.request((), "m", &()).unwrap();
        }
        assert_eq!(peer.request((), "m", &()), Err(Unanswered));
        assert_eq!(peer.waits(), PENDING);
    }
}
