//! The schemas say what serde does: what must be there, what may be, and what is refused.

use contract::{
    AddProjectRequest, Attachment, CancelRequest, CreateSessionRequest, HistoryPage,
    ImportSessionRequest, LoginRequest, ModeRequest, ModelRequest, PermissionRequest, Project,
    ProviderOptions, QueuedTurn, SendRequest, SessionListItem, SessionStatus, StreamEventEnvelope,
    TitleRequest, TurnEvent, UpsertObject,
};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use testkit::TestServer;

use crate::book::Book;

async fn book() -> Book {
    Book::of(&TestServer::start().await).await
}

#[tokio::test]
async fn what_serde_takes_the_schemas_allow_and_the_other_way_round() {
    let book = book().await;
    let agree = Agreement(&book);
    agree.on::<AddProjectRequest>(&json!({"path": "/"}));
    agree.on::<Attachment>(&json!({"name": "a", "mimeType": "image/png", "data": "aGk="}));
    agree.on::<CancelRequest>(&json!({"turnId": "t"}));
    agree.on::<CreateSessionRequest>(&json!({"cliType": "c", "projectDir": "/", "title": "t",
        "modelId": "m", "modeId": "m", "providerOptions": {"maxThinkingTokens": 1}}));
    agree.on::<ImportSessionRequest>(
        &json!({"cliType": "c", "providerSessionId": "p", "projectId": "p"}),
    );
    agree.on::<LoginRequest>(&json!({"code": "c"}));
    agree.on::<ModeRequest>(&json!({"modeId": "m"}));
    agree.on::<ModelRequest>(&json!({"modelId": "m"}));
    agree.on::<ProviderOptions>(&json!({"maxThinkingTokens": 1}));
    agree.on::<SendRequest>(&json!({"content": "c", "clientMessageId": "m", "delivery": "steer",
        "attachments": [{"name": "a", "mimeType": "m", "data": "d"}]}));
    agree.on::<TitleRequest>(&json!({"title": "t"}));
    agree.on::<Project>(&json!({"id": "p", "path": "/", "name": "n", "addedAt": TIME}));
    agree.on::<QueuedTurn>(&json!({"turnId": "t", "content": "c", "delivery": "queue",
        "queuedAt": TIME, "paused": false}));
    agree.on::<SessionListItem>(&json!({"sessionId": "s", "projectId": "p", "cliType": "c",
        "title": "t", "status": "open", "activity": "idle", "createdAt": TIME,
        "lastActiveAt": TIME, "archived": false, "source": "created"}));
    agree.on::<SessionStatus>(&json!({"sessionId": "s", "cliType": "c", "isAlive": true,
        "state": "dead", "activity": "error", "lastActiveAt": TIME, "turnId": "t", "queued": [],
        "permissions": [],
        "backgroundTasks": [{"taskId": "b", "kind": "shell", "description": "make"}],
        "allowed": [{"permissionId": "p", "title": "make", "toolName": "Bash", "name": "Allow make", "since": TIME}],
        "notice": {"kind": "retry", "text": "again"},
        "usage": {"inputTokens": 1, "outputTokens": 1, "costUsd": 0.5}}));
    agree.on::<PermissionRequest>(&json!({"permissionId": "p", "sessionId": "s", "turnId": "t",
        "title": "t", "toolArguments": {"any": [1]}, "options": [], "askedAt": TIME,
        "outcome": "withdrawn", "optionId": "o", "answer": {"by": "browser", "answers": {"q": ["a"]}},
        "diff": [{"path": "f", "hunks": []}]}));
    for item in items() {
        agree.on::<UpsertObject>(&item);
    }
    for event in turn_events() {
        agree.on::<TurnEvent>(&event);
    }
    agree.on::<HistoryPage>(&json!({"epoch": "e", "seq": 1, "entries": items(),
        "turns": turn_events(), "more": false}));
    agree.on::<StreamEventEnvelope>(&json!({"eventId": "e", "timestamp": TIME, "turnId": "t",
        "sessionId": "s", "type": "response_start",
        "payload": {"type": "response_start", "modelId": "m", "providerId": "p"}}));
}

const TIME: &str = "2026-02-15T12:00:00.000Z";

fn items() -> Vec<Value> {
    let bodies = [
        json!({"type": "message", "content": "c", "origin": "agent"}),
        json!({"type": "thinking", "content": "c", "providerId": "p"}),
        json!({"type": "tool_call", "toolName": "n", "toolArguments": {"a": 1}, "callId": "c",
            "toolOutput": "o", "toolOutputIsError": true, "kind": "edit",
            "locations": [{"path": "p", "line": 1}],
            "diff": [{"path": "p", "hunks": [{"oldStart": 1, "oldLines": 1, "newStart": 1,
                "newLines": 1, "lines": ["-a", "+b"]}]}]}),
    ];
    bodies.map(|body| {
        let base = json!({"turnId": "t", "sessionId": "s", "itemId": "i", "sourceTimestamp": TIME,
            "emittedAt": TIME, "status": "error", "errorCode": "ANY", "errorMessage": "m",
            "seq": 2, "position": 1, "startedAt": TIME, "parentItemId": "p",
            "truncated": {"bytes": 9}});
        joined(base, body)
    })
    .into()
}

fn turn_events() -> Vec<Value> {
    let kinds = [
        json!({"type": "turn_started", "modelId": "m", "providerId": "p", "origin": "autonomous",
            "joinedTurnId": "t"}),
        json!({"type": "turn_complete", "status": "cancelled",
            "usage": {"inputTokens": 1, "outputTokens": 1}}),
        json!({"type": "turn_error", "errorCode": "ANY", "errorMessage": "m", "errorClass": "c"}),
    ];
    kinds
        .map(|kind| joined(json!({"turnId": "t", "sessionId": "s", "seq": 1, "at": TIME}), kind))
        .into()
}

fn joined(mut base: Value, more: Value) -> Value {
    let Value::Object(more) = more else { panic!("an object") };
    base.as_object_mut().unwrap().extend(more);
    base
}

struct Agreement<'a>(&'a Book);

impl Agreement<'_> {
    /// The value is taken; without any of its fields, with another value in it or one more, both say the same.
    fn on<T: DeserializeOwned>(&self, value: &Value) {
        let name = std::any::type_name::<T>().rsplit("::").next().unwrap();
        assert_eq!(self.verdicts::<T>(name, value), (true, true), "{name}: {value}");
        let mut others = vec![joined(value.clone(), json!({"somethingElse": 1}))];
        for field in value.as_object().unwrap().keys() {
            let mut without = value.clone();
            without.as_object_mut().unwrap().remove(field);
            others.push(without);
            for wrong in [json!(true), json!("text"), json!(7), json!({}), json!(-1), json!(["x"])]
            {
                others.push(joined(value.clone(), json!({ field: wrong })));
            }
        }
        for other in others {
            let (schema, serde) = self.verdicts::<T>(name, &other);
            assert_eq!(schema, serde, "{name}: the schema, and serde, of {other}");
        }
    }

    fn verdicts<T: DeserializeOwned>(&self, name: &str, value: &Value) -> (bool, bool) {
        let schema = json!({ "$ref": format!("#/components/schemas/{name}") });
        let by_schema = self.0.check(&schema, value).is_ok();
        (by_schema, serde_json::from_value::<T>(value.clone()).is_ok())
    }
}

#[tokio::test]
async fn requests_refuse_fields_that_they_do_not_know() {
    let book = book().await;
    for operation in book.operations() {
        let schema = &operation.told["requestBody"]["content"]["application/json"]["schema"];
        if !schema.is_null() {
            let closed = &book.followed(schema)["additionalProperties"];
            assert_eq!(closed, &json!(false), "{}", operation.id());
        }
    }
}

#[tokio::test]
async fn names_are_camel_case_and_nothing_is_null() {
    let book = book().await;
    let mut fields = Vec::new();
    collect_fields(&book.document["components"]["schemas"], &mut fields);
    for operation in book.operations() {
        for parameter in operation.told["parameters"].as_array().into_iter().flatten() {
            fields.push((
                parameter["name"].as_str().unwrap().to_owned(),
                parameter["schema"].clone(),
            ));
        }
    }
    assert!(fields.len() > 100, "{}", fields.len());
    for (name, schema) in fields {
        let is_camel = name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.chars().all(|char| char.is_ascii_alphanumeric());
        assert!(is_camel, "{name}");
        assert!(!schema.to_string().contains("\"null\""), "{name}: {schema}");
        assert_eq!(schema.get("nullable"), None, "{name}: that is OpenAPI 3.0");
    }
}

fn collect_fields(schema: &Value, found: &mut Vec<(String, Value)>) {
    match schema {
        Value::Object(members) => {
            let fields = members.get("properties").and_then(Value::as_object);
            found.extend(fields.into_iter().flatten().map(|(name, is)| (name.clone(), is.clone())));
            members.values().for_each(|value| collect_fields(value, found));
        }
        Value::Array(values) => values.iter().for_each(|value| collect_fields(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[tokio::test]
async fn what_is_tagged_is_told_apart_by_its_tag() {
    let book = book().await;
    let schemas = &book.document["components"]["schemas"];
    for (name, tag, expected) in [
        ("UpsertObject", "type", json!(["message", "thinking", "tool_call"])),
        ("TurnEvent", "type", json!(["turn_started", "turn_complete", "turn_error"])),
        (
            "FinalItem",
            "type",
            json!(["message", "reasoning", "function_call", "function_call_output"]),
        ),
    ] {
        let cases =
            schemas[name]["oneOf"].as_array().unwrap_or_else(|| panic!("{}", schemas[name]));
        let tags: Vec<_> =
            cases.iter().map(|case| case["properties"][tag]["const"].clone()).collect();
        assert_eq!(json!(tags), expected, "{name}");
    }
    assert_eq!(schemas["Timestamp"]["format"], "date-time");
    assert_eq!(schemas["SessionId"]["type"], "string");
}
