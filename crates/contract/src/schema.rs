//! Schemas that are written by hand, because the type is not what stands on the wire.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use crate::{EventId, EventPayload, SessionId, StreamEventEnvelope, Text, Timestamp, TurnId};

/// However it is held, it is a string.
impl JsonSchema for Text {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Text".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string" })
    }
}

/// The `type` repeats that of the payload and is no field of ours.
impl JsonSchema for StreamEventEnvelope {
    fn schema_name() -> Cow<'static, str> {
        "StreamEventEnvelope".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "One canonical event; `type` is equal to `payload.type`.",
            "type": "object",
            "properties": {
                "eventId": generator.subschema_for::<EventId>(),
                "timestamp": generator.subschema_for::<Timestamp>(),
                "turnId": generator.subschema_for::<TurnId>(),
                "sessionId": generator.subschema_for::<SessionId>(),
                "type": { "type": "string" },
                "payload": generator.subschema_for::<EventPayload>(),
            },
            "required": ["eventId", "timestamp", "turnId", "sessionId", "type", "payload"],
            "oneOf": EventPayload::TYPES.map(both_are),
        })
    }
}

fn both_are(kind: &str) -> Value {
    let is_kind = json!({ "const": kind });
    json!({ "properties": { "type": is_kind, "payload": { "properties": { "type": is_kind } } } })
}
