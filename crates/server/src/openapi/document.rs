//! The whole document, from the operations that there are.

use std::fmt;
use std::sync::OnceLock;

use axum::http::Method;
use bytes::Bytes;
use contract::ErrorBody;
use serde_json::{Map, Value, json};

use super::description::Description;
use super::members::members;
use super::refusals::Refusal;
use super::routes::{Access, Operation};
use super::schemas::Schemas;

const TAGS: [(&str, &str); 10] = [
    ("sessions", "Conversations with agents, from creating to killing one"),
    ("queue", "Messages that wait for their turn"),
    ("permissions", "What agents ask, and the answers"),
    ("agents", "The agents that can be chosen"),
    ("projects", "Directories that sessions run in"),
    ("finding", "Items by their words, files by their names"),
    ("events", "Envelopes that a program sends in place of an agent"),
    ("live", "What happens, as it happens"),
    ("access", "Logging in, and giving access to others"),
    ("operating", "What operators watch"),
];

/// Made when it is first asked for: most runs of a server never are.
pub(crate) struct Document {
    operations: Vec<Operation>,
    text: OnceLock<Bytes>,
}

impl fmt::Debug for Document {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Document").finish_non_exhaustive()
    }
}

impl Document {
    pub(crate) fn of(operations: Vec<Operation>) -> Self {
        Self { operations, text: OnceLock::new() }
    }

    /// For programs and, with lines and spaces, for people.
    pub(crate) fn text(&self) -> Bytes {
        self.text.get_or_init(|| format!("{:#}\n", written(&self.operations)).into()).clone()
    }
}

fn written(operations: &[Operation]) -> Value {
    let mut schemas = Schemas::new();
    let mut errors = Map::new();
    let error_body = schemas.answered::<ErrorBody>();
    let mut paths = Map::new();
    for operation in operations {
        let told = operation.told(&mut schemas, &error_body, &mut errors);
        let methods = paths.entry(operation.path).or_insert_with(|| json!({}));
        if let Some(methods) = methods.as_object_mut() {
            methods.insert(operation.method.as_str().to_ascii_lowercase(), told);
        }
    }
    errors.sort_keys();
    json!({
        "openapi": "3.1.1",
        "info": info(),
        "servers": [{ "url": "/" }],
        "tags": TAGS.map(|(name, description)| json!({ "name": name, "description": description })),
        "paths": paths,
        "components": {
            "securitySchemes": security_schemes(),
            "responses": errors,
            "schemas": schemas.finish(),
        },
    })
}

fn info() -> Value {
    json!({
        "title": "Liminal Builder",
        "summary": "Runs coding agents and delivers what they say, live and resumable",
        "description": "Readers should ignore fields they do not know; requests with unknown fields are refused. Every \
            error is `{code, message}` with a stable code. The messages of the WebSocket are described in docs/API.md.",
        "version": env!("CARGO_PKG_VERSION"),
        "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
    })
}

fn security_schemes() -> Value {
    json!({
        "token": { "type": "http", "scheme": "bearer", "description": "For programs." },
        "cookie": {
            "type": "apiKey", "in": "cookie", "name": "liminal_INSTANCE",
            "description": "For our page in a browser, beside its key. INSTANCE is another one for each installation.",
        },
        "pageKey": {
            "type": "apiKey", "in": "header", "name": "Liminal-Page-Key",
            "description": "The key that a login answered with.",
        },
    })
}

impl Operation {
    fn told(&self, schemas: &mut Schemas, error: &Value, shared: &mut Map<String, Value>) -> Value {
        let mut description = Description::new(schemas);
        (self.describe)(&mut description);
        description.refuses(self.about.refusals.iter().cloned());
        description.refuses(self.refused_by_guard());
        // A bug of ours may be anywhere.
        description.refuses([Refusal::INTERNAL_ERROR]);
        let Description { path_parts, query, body, mut answers, errors, .. } = description;
        answers.extend(errors.answers(error, shared));
        let parameters: Vec<_> = self.path_parameters(path_parts).chain(query).collect();
        members([
            ("operationId", Some(json!(self.about.id))),
            ("tags", Some(json!([self.tag]))),
            ("summary", Some(json!(self.about.summary))),
            ("description", (self.access == Access::Local).then(|| json!(ONLY_LOCAL))),
            ("security", Some(self.access.security())),
            ("parameters", Some(parameters).filter(|all| !all.is_empty()).map(Value::from)),
            ("requestBody", body),
            ("responses", Some(answers.into())),
        ])
    }

    fn path_parameters(&self, schemas: Vec<Value>) -> impl Iterator<Item = Value> {
        let names = self.path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
        names.zip(schemas).map(|(name, schema)| {
            json!({ "name": name, "in": "path", "required": true, "schema": schema })
        })
    }

    /// Before the handler is asked.
    fn refused_by_guard(&self) -> Vec<Refusal> {
        let mut refused = vec![Refusal::FORBIDDEN_HOST, Refusal::FORBIDDEN_PEER];
        if self.path.starts_with("/api/") || self.path == "/ws" {
            refused.push(Refusal::FORBIDDEN_ORIGIN);
        }
        if self.method != Method::GET || self.path == "/ws" {
            refused.push(Refusal::SHUTTING_DOWN);
        }
        if self.access != Access::Everyone {
            refused.extend([Refusal::UNAUTHORIZED, Refusal::TOO_MANY_REQUESTS]);
        }
        refused
    }
}

const ONLY_LOCAL: &str =
    "Only by the socket `liminal.sock` in the data directory, where no credential is needed.";

impl Access {
    fn security(self) -> Value {
        match self {
            Self::Everyone | Self::Local => json!([]),
            Self::Credential => json!([{ "token": [] }, { "cookie": [], "pageKey": [] }]),
        }
    }
}
