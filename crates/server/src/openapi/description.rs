//! What is known of one operation while its handler's types are read.

use axum::http::StatusCode;
use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::errors::Errors;
use super::refusals::Refusal;
use super::schemas::Schemas;

pub(crate) struct Description<'a> {
    schemas: &'a mut Schemas,
    pub(super) path_parts: Vec<Value>,
    pub(super) query: Vec<Value>,
    pub(super) body: Option<Value>,
    pub(super) answers: Map<String, Value>,
    pub(super) errors: Errors,
}

impl<'a> Description<'a> {
    pub(super) fn new(schemas: &'a mut Schemas) -> Self {
        Self {
            schemas,
            path_parts: Vec::new(),
            query: Vec::new(),
            body: None,
            answers: Map::new(),
            errors: Errors::default(),
        }
    }

    pub(crate) fn path_part<T: JsonSchema>(&mut self) {
        let schema = self.schemas.asked::<T>();
        self.path_parts.push(schema);
    }

    /// The fields of `T` are parameters.
    pub(crate) fn query<T: JsonSchema>(&mut self) {
        let fields = self.schemas.asked_fields::<T>();
        self.query.extend(fields.into_iter().map(|field| field.into_parameter("query")));
    }

    pub(crate) fn takes_json<T: JsonSchema>(&mut self, required: bool) {
        let schema = self.schemas.asked::<T>();
        let content = json!({ "application/json": { "schema": schema } });
        self.body = Some(json!({ "required": required, "content": content }));
    }

    /// JSON objects, one a line. OpenAPI 3.1 has no word for the type of a line, hence the one of our own.
    pub(crate) fn takes_lines<T: JsonSchema>(&mut self, what: &str) {
        let line = self.schemas.asked::<T>();
        let content = json!({ "application/x-ndjson": lines_of(&line) });
        self.body = Some(json!({ "description": what, "required": true, "content": content }));
    }

    pub(crate) fn answers_json<T: JsonSchema>(&mut self, status: StatusCode) {
        let schema = self.schemas.answered::<T>();
        self.answers(status, &json!({ "application/json": { "schema": schema } }));
    }

    pub(crate) fn answers_text(&mut self, content_type: &str) {
        self.answers(StatusCode::OK, &json!({ content_type: { "schema": { "type": "string" } } }));
    }

    pub(crate) fn answers(&mut self, status: StatusCode, content: &Value) {
        let what = status.canonical_reason().unwrap_or_default();
        let answer = json!({ "description": what, "content": content });
        self.answers.insert(status.as_str().to_owned(), answer);
    }

    pub(crate) fn answers_nothing(&mut self, status: StatusCode) {
        let what = status.canonical_reason().unwrap_or_default();
        self.answers.insert(status.as_str().to_owned(), json!({ "description": what }));
    }

    /// Every answer so far carries it.
    pub(super) fn sets_cookie(&mut self) {
        for answer in self.answers.values_mut().filter_map(Value::as_object_mut) {
            let header = json!({ "Set-Cookie": { "schema": { "type": "string" } } });
            answer.insert("headers".to_owned(), header);
        }
    }

    pub(crate) fn schema<T: JsonSchema>(&mut self) -> Value {
        self.schemas.answered::<T>()
    }

    pub(crate) fn refuses(&mut self, refusals: impl IntoIterator<Item = Refusal>) {
        self.errors.add(refusals);
    }

    /// An error that says more than `{code, message}`.
    pub(crate) fn refuses_with<T: JsonSchema>(&mut self, refusal: Refusal) {
        let schema = self.schemas.answered::<T>();
        self.errors.add_special(refusal, schema);
    }
}

pub(crate) fn lines_of(line: &Value) -> Value {
    json!({ "schema": { "type": "string" }, "x-line-schema": line })
}
