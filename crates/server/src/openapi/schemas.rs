//! The schemas of the types that cross the wire, each described once under its name.

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};

use super::members::members;

/// What may be left out of a request is not always left out of an answer, so the two are read apart.
#[derive(Debug)]
pub(super) struct Schemas {
    asked: SchemaGenerator,
    answered: SchemaGenerator,
}

/// One field of an object.
#[derive(Debug)]
pub(super) struct Field {
    name: String,
    schema: Value,
    required: bool,
}

impl Schemas {
    pub(super) fn new() -> Self {
        Self {
            asked: settings().for_deserialize().into_generator(),
            answered: settings().for_serialize().into_generator(),
        }
    }

    pub(super) fn asked<T: JsonSchema>(&mut self) -> Value {
        self.asked.subschema_for::<T>().to_value()
    }

    pub(super) fn answered<T: JsonSchema>(&mut self) -> Value {
        self.answered.subschema_for::<T>().to_value()
    }

    pub(super) fn asked_fields<T: JsonSchema>(&mut self) -> Vec<Field> {
        let mut schema = T::json_schema(&mut self.asked);
        never_null(&mut schema);
        let required =
            schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let fields =
            schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        let field = |(name, mut schema): (String, Value)| {
            if let Ok(schema) = (&mut schema).try_into() {
                never_null(schema);
            }
            Field { required: required.contains(&json!(name)), name, schema }
        };
        fields.into_iter().map(field).collect()
    }

    /// All that were named. A name that means different things in requests and answers is told in `x-ambiguous`: there
    /// must be none.
    pub(super) fn finish(mut self) -> Map<String, Value> {
        let mut named = self.answered.take_definitions(true);
        let mut ambiguous = Vec::new();
        for (name, asked) in self.asked.take_definitions(true) {
            let known = named.entry(name.clone()).or_insert_with(|| asked.clone());
            if *known != asked {
                ambiguous.push(name);
            }
        }
        named.sort_keys();
        if !ambiguous.is_empty() {
            named.insert("x-ambiguous".to_owned(), json!(ambiguous));
        }
        named
    }
}

impl Field {
    pub(super) fn into_parameter(mut self, place: &str) -> Value {
        let description =
            self.schema.as_object_mut().and_then(|schema| schema.remove("description"));
        members([
            ("name", Some(json!(self.name))),
            ("in", Some(json!(place))),
            ("description", description),
            ("required", Some(json!(self.required))),
            ("schema", Some(self.schema)),
        ])
    }
}

fn settings() -> SchemaSettings {
    let settings = SchemaSettings::draft2020_12().with_transform(RecursiveTransform(never_null));
    settings.with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    })
}

/// What may be absent is absent, as in the TypeScript twin of the contract, and never `null`.
fn never_null(schema: &mut Schema) {
    let is_null = |schema: &Value| schema["type"] == "null";
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if schema.get("anyOf").and_then(Value::as_array).is_some_and(|all| all.iter().any(is_null)) {
        let Some(Value::Array(all)) = schema.remove("anyOf") else { return };
        for other in all.into_iter().filter(|schema| !is_null(schema)) {
            let Value::Object(other) = other else { continue };
            other.into_iter().for_each(|(key, value)| {
                schema.insert(key, value);
            });
        }
    }
    if schema.get("default").is_some_and(Value::is_null) {
        schema.remove("default");
    }
}
