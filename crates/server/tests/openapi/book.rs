//! The document as a reader uses it: finds operations, and judges what is sent and answered by their schemas.

use jsonschema::Validator;
use serde_json::{Value, json};
use testkit::{HttpResponse, TestServer};

pub(crate) struct Book {
    pub(crate) document: Value,
}

/// One operation, and where it stands.
pub(crate) struct Operation<'a> {
    pub(crate) method: String,
    pub(crate) path: &'a str,
    pub(crate) told: &'a Value,
}

impl Operation<'_> {
    pub(crate) fn id(&self) -> &str {
        self.told["operationId"].as_str().unwrap_or_default()
    }
}

impl Book {
    pub(crate) async fn of(server: &TestServer) -> Self {
        let answer = server.client().get("/api/openapi.json").await;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/json")));
        Self { document: answer.json() }
    }

    pub(crate) fn operations(&self) -> Vec<Operation<'_>> {
        let paths = self.document["paths"].as_object().unwrap();
        let mut operations = Vec::new();
        for (path, item) in paths {
            for (method, told) in item.as_object().unwrap() {
                operations.push(Operation { method: method.to_uppercase(), path, told });
            }
        }
        operations
    }

    pub(crate) fn operation(&self, id: &str) -> Operation<'_> {
        let found = self.operations().into_iter().find(|operation| operation.id() == id);
        found.unwrap_or_else(|| panic!("no operation {id}"))
    }

    /// What a request's body must be, whole or for each line.
    pub(crate) fn check_body(&self, id: &str, body: &Value) -> Result<(), String> {
        let operation = self.operation(id);
        let content = &operation.told["requestBody"]["content"];
        if !content["application/x-ndjson"].is_null() {
            return self.check(&content["application/x-ndjson"]["x-line-schema"], body);
        }
        self.check(&content["application/json"]["schema"], body)
    }

    /// What an answer must be: of a status that is told, of a type that is told for it, and of that type's schema.
    pub(crate) fn check_answer(&self, id: &str, answer: &HttpResponse) -> Result<(), String> {
        let operation = self.operation(id);
        let told = self.followed(&operation.told["responses"][answer.status.to_string()]);
        if told.is_null() {
            return Err(format!("{} is not told: {}", answer.status, answer.text()));
        }
        for name in told["headers"].as_object().iter().flat_map(|headers| headers.keys()) {
            // The only one that is not always there.
            if name != "Retry-After" && answer.header(name).is_none() {
                return Err(format!("no header {name}"));
            }
        }
        if told["content"].is_null() {
            return if answer.body.is_empty() { Ok(()) } else { Err("a body".to_owned()) };
        }
        let kind = answer.header("content-type").unwrap_or_default();
        let content = &told["content"][kind];
        match (&content["x-line-schema"], &content["schema"]) {
            (Value::Null, Value::Null) => Err(format!("the type {kind} is not told")),
            (Value::Null, schema) if kind == "application/json" => {
                self.check(schema, &answer.json())
            }
            (Value::Null, schema) => self.check(schema, &json!(answer.text())),
            (line_schema, _) => answer
                .text()
                .lines()
                .try_for_each(|line| self.check(line_schema, &serde_json::from_str(line).unwrap())),
        }
    }

    pub(crate) fn check(&self, schema: &Value, value: &Value) -> Result<(), String> {
        let problems: Vec<_> = self
            .validator(schema)
            .iter_errors(value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        if problems.is_empty() { Ok(()) } else { Err(format!("{}\n{value}", problems.join("\n"))) }
    }

    fn validator(&self, schema: &Value) -> Validator {
        assert!(!schema.is_null(), "no schema");
        // References are relative to the document.
        let root = json!({ "components": self.document["components"], "allOf": [schema] });
        jsonschema::draft202012::options().should_validate_formats(true).build(&root).unwrap()
    }

    /// What is meant, where the document only refers to it.
    pub(crate) fn followed<'a>(&'a self, value: &'a Value) -> &'a Value {
        let Some(reference) = value["$ref"].as_str() else { return value };
        let found = self.document.pointer(reference.strip_prefix('#').unwrap());
        found.unwrap_or_else(|| panic!("{reference} leads nowhere"))
    }
}
