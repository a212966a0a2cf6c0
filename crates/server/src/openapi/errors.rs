//! The errors of one operation, by status. Those with the same codes are described once.

use std::collections::BTreeMap;

use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use super::members::members;
use super::refusals::Refusal;

#[derive(Debug, Default)]
pub(super) struct Errors(BTreeMap<StatusCode, OfStatus>);

#[derive(Debug, Default)]
struct OfStatus {
    /// Told as `{code, message}`.
    codes: Vec<String>,
    /// Told with more.
    special: Vec<(String, Value)>,
}

impl Errors {
    pub(super) fn add(&mut self, refusals: impl IntoIterator<Item = Refusal>) {
        for Refusal(status, code) in refusals {
            let codes = &mut self.0.entry(status).or_default().codes;
            let code = code.as_str();
            if let Err(place) = codes.binary_search_by(|known| known.as_str().cmp(code)) {
                codes.insert(place, code.to_owned());
            }
        }
    }

    pub(super) fn add_special(&mut self, Refusal(status, code): Refusal, schema: Value) {
        self.0.entry(status).or_default().special.push((code.as_str().to_owned(), schema));
    }

    /// The answers of an operation; each refers to one of `shared`, which gets what it lacks.
    pub(super) fn answers<'a>(
        &'a self,
        body: &'a Value,
        shared: &'a mut Map<String, Value>,
    ) -> impl Iterator<Item = (String, Value)> {
        self.0.iter().map(move |(status, errors)| {
            let name = format!("{}.{}", status.as_str(), errors.all_codes().join("."));
            let reference = json!({ "$ref": format!("#/components/responses/{name}") });
            shared.entry(name).or_insert_with(|| errors.as_answer(*status, body));
            (status.as_str().to_owned(), reference)
        })
    }
}

impl OfStatus {
    fn all_codes(&self) -> Vec<&str> {
        let special = self.special.iter().map(|(code, _)| code.as_str());
        special.chain(self.codes.iter().map(String::as_str)).collect()
    }

    fn as_answer(&self, status: StatusCode, body: &Value) -> Value {
        let what = status.canonical_reason().unwrap_or_default();
        let content = json!({ "application/json": { "schema": self.schema(body) } });
        let may_pass =
            matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE);
        members([
            ("description", Some(json!(what))),
            ("headers", may_pass.then(retry_after)),
            ("content", Some(content)),
        ])
    }

    fn schema(&self, body: &Value) -> Value {
        let special = self.special.iter().map(|(code, schema)| with_code(schema, &[code]));
        let mut schemas: Vec<Value> = special.collect();
        if !self.codes.is_empty() {
            let codes: Vec<_> = self.codes.iter().map(String::as_str).collect();
            schemas.push(with_code(body, &codes));
        }
        match schemas.len() {
            1 => schemas.remove(0),
            _ => json!({ "oneOf": schemas }),
        }
    }
}

fn with_code(schema: &Value, codes: &[&str]) -> Value {
    let code = json!({ "properties": { "code": { "enum": codes } } });
    json!({ "allOf": [schema, code] })
}

fn retry_after() -> Value {
    let seconds = json!({ "type": "string", "pattern": "^[1-9][0-9]*$" });
    json!({ "Retry-After": { "description": "Seconds, if it may help to try again.", "schema": seconds } })
}
