//! Area 1 of the acceptance list: one validated schema for canonical events, and what upserts keep for later use.
#![cfg(test)]
#![expect(clippy::needless_pass_by_value, reason = "JSON literals read best as arguments")]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test names the variants it is about")]

use contract::{
    CallId, EventPayload, FinalItem, Issue, ItemStart, ItemStatus, MessageOrigin, ResponseStatus,
    StreamEventEnvelope, ToolArguments, ToolCall, UpsertBody, UpsertObject,
};
use serde_json::{Value, json};

fn envelope(payload: Value) -> Value {
    json!({
        "eventId": "event-1",
        "timestamp": "2026-02-15T12:00:00.000Z",
        "turnId": "turn-1",
        "sessionId": "session-1",
        "type": payload["type"],
        "payload": payload,
    })
}

/// Reads an envelope around `payload` and checks that writing it gives the same JSON back.
#[track_caller]
fn accept(payload: Value) -> StreamEventEnvelope {
    let wire = envelope(payload);
    let event = StreamEventEnvelope::from_value(&wire).unwrap();
    assert_eq!(
        serde_json::from_value::<EventPayload>(wire["payload"].clone()).unwrap(),
        event.payload
    );
    assert_eq!(
        serde_json::to_value(&event).unwrap(),
        wire,
        "what was read is written back unchanged"
    );
    assert_eq!(serde_json::from_value::<StreamEventEnvelope>(wire).unwrap(), event);
    event
}

#[track_caller]
fn reject(wire: Value) -> Issue {
    StreamEventEnvelope::from_value(&wire).unwrap_err()
}

fn without(mut wire: Value, pointer: &str, field: &str) -> Value {
    wire.pointer_mut(pointer).unwrap().as_object_mut().unwrap().remove(field);
    wire
}

fn tool_lifecycle() -> Vec<StreamEventEnvelope> {
    vec![
        accept(
            json!({"type": "item_start", "itemId": "i1", "itemType": "function_call", "name": "Read", "callId": "c1"}),
        ),
        accept(json!({"type": "item_delta", "itemId": "i1", "deltaContent": "{\"path\":"})),
        accept(json!({"type": "item_done", "itemId": "i1", "finalItem":
            {"type": "function_call", "name": "Read", "callId": "c1", "arguments": {"path": "a.txt"}}})),
        accept(
            json!({"type": "item_start", "itemId": "i2", "itemType": "function_call_output", "callId": "c1"}),
        ),
        accept(json!({"type": "item_done", "itemId": "i2", "finalItem":
            {"type": "function_call_output", "callId": "c1", "output": "text", "isError": false}})),
    ]
}

#[test]
fn tc_1_1a_a_text_delta_validates() {
    let wire = envelope(json!({"type": "item_delta", "itemId": "item-1", "deltaContent": "hello"}));
    assert_eq!(
        (&wire["type"], &wire["payload"]["type"]),
        (&json!("item_delta"), &json!("item_delta"))
    );
    let event = accept(wire["payload"].clone());
    assert_eq!(
        event.payload,
        EventPayload::ItemDelta { item_id: "item-1".into(), delta_content: "hello".into() }
    );
}

#[test]
fn tc_1_1b_a_tool_lifecycle_validates() {
    let events = tool_lifecycle();
    let start = ItemStart::FunctionCall { name: "Read".into(), call_id: "c1".into() };
    assert_eq!(events[0].payload, EventPayload::ItemStart { item_id: "i1".into(), start });
    let EventPayload::ItemDone {
        item_id,
        final_item: FinalItem::FunctionCall { call_id, arguments, .. },
    } = &events[2].payload
    else {
        panic!("the call is done: {events:?}");
    };
    assert_eq!((item_id.as_str(), call_id.as_str()), ("i1", "c1"));
    assert_eq!(arguments.as_map()["path"], "a.txt");
}

#[test]
fn tc_1_1c_reasoning_validates() {
    accept(
        json!({"type": "item_start", "itemId": "r1", "itemType": "reasoning", "initialContent": "Hm"}),
    );
    let done = accept(json!({"type": "item_done", "itemId": "r1", "finalItem":
        {"type": "reasoning", "content": "Hmm.", "providerId": "codex"}}));
    let final_item = FinalItem::Reasoning { content: "Hmm.".into(), provider_id: "codex".into() };
    assert_eq!(done.payload, EventPayload::ItemDone { item_id: "r1".into(), final_item });
}

#[test]
fn tc_1_1d_a_response_is_bracketed_with_model_status_and_usage() {
    let start = accept(json!({"type": "response_start", "modelId": "m", "providerId": "p"}));
    assert_eq!(start.turn_id, "turn-1");
    let usage = json!({"inputTokens": 3, "outputTokens": 4, "costUsd": 0.5});
    accept(
        json!({"type": "response_done", "status": "completed", "finishReason": "end_turn", "usage": usage}),
    );
    accept(json!({"type": "response_done", "status": "cancelled"}));
    accept(
        json!({"type": "response_done", "status": "error", "error": {"code": "E", "message": "broke"}}),
    );
    let bare = accept(json!({"type": "response_done", "status": "error"}));
    let EventPayload::ResponseDone(done) = bare.payload else { panic!("a response_done") };
    assert_eq!(
        (done.status, done.error),
        (ResponseStatus::Error, None),
        "an error status may come without details"
    );
    let unknown = reject(envelope(json!({"type": "response_done", "status": "paused"})));
    assert_eq!(unknown.path, "payload.status");
}

#[test]
fn tc_1_1e_errors_of_items_and_responses_validate() {
    accept(
        json!({"type": "item_error", "itemId": "i1", "error": {"code": "E", "message": "broke"}}),
    );
    accept(json!({"type": "item_cancelled", "itemId": "i1", "reason": "user"}));
    accept(json!({"type": "item_cancelled", "itemId": "i1"}));
    accept(json!({"type": "response_error", "error": {"code": "E", "message": "broke"}}));
}

#[test]
fn tc_1_1f_what_is_wrong_is_named_by_its_path() {
    let delta = envelope(json!({"type": "item_delta", "itemId": "i1", "deltaContent": "x"}));
    assert_eq!(reject(without(delta.clone(), "", "type")).path, "type");

    let mut mismatch = delta.clone();
    mismatch["type"] = json!("item_start");
    let issue = reject(mismatch);
    assert_eq!(issue.path, "type");
    assert!(issue.message.contains("Envelope type must match payload.type"), "{issue}");

    let mut no_date = delta;
    no_date["timestamp"] = json!("not-a-date");
    assert_eq!(reject(no_date).path, "timestamp");

    let message = envelope(json!({"type": "item_start", "itemId": "i1", "itemType": "message"}));
    assert_eq!(reject(without(message, "/payload", "itemId")).path, "payload.itemId");

    let call = json!({"type": "item_start", "itemId": "i1", "itemType": "function_call", "name": "Read", "callId": "c"});
    for field in ["name", "callId"] {
        assert_eq!(
            reject(without(envelope(call.clone()), "/payload", field)).path,
            format!("payload.{field}")
        );
        let mut empty = envelope(call.clone());
        empty["payload"][field] = json!("");
        assert_eq!(reject(empty).path, format!("payload.{field}"), "an empty {field} is none");
    }
}

#[test]
fn paths_reach_into_nested_objects() {
    let cases = [
        (
            json!({"type": "item_error", "itemId": "i", "error": {"code": "E"}}),
            "payload.error.message",
        ),
        (
            json!({"type": "item_done", "itemId": "i", "finalItem": {"type": "poem"}}),
            "payload.finalItem.type",
        ),
        (
            json!({"type": "item_done", "itemId": "i", "finalItem":
                {"type": "function_call", "name": "n", "callId": "c", "arguments": "{}"}}),
            "payload.finalItem.arguments",
        ),
        (
            json!({"type": "response_done", "status": "completed", "usage": {"inputTokens": -1, "outputTokens": 0}}),
            "payload.usage.inputTokens",
        ),
        (json!({"type": "item_delta", "itemId": "i", "deltaContent": 7}), "payload.deltaContent"),
        (json!({"type": "item_start", "itemId": "i", "itemType": "video"}), "payload.itemType"),
    ];
    for (payload, path) in cases {
        assert_eq!(reject(envelope(payload)).path, path);
    }
    assert_eq!(reject(json!([])).path, "");
    assert_eq!(StreamEventEnvelope::from_json(b"{").unwrap_err().path, "");
}

#[test]
fn tc_1_2a_all_events_of_a_turn_share_its_id() {
    assert!(tool_lifecycle().iter().all(|event| event.turn_id == "turn-1"));
    let nameless = without(
        envelope(json!({"type": "response_start", "modelId": "m", "providerId": "p"})),
        "",
        "turnId",
    );
    assert_eq!(reject(nameless).path, "turnId");
}

#[test]
fn tc_1_2b_start_delta_and_done_of_an_item_share_its_id() {
    let ids: Vec<_> = tool_lifecycle()
        .into_iter()
        .take(3)
        .map(|event| match event.payload {
            EventPayload::ItemStart { item_id, .. }
            | EventPayload::ItemDelta { item_id, .. }
            | EventPayload::ItemDone { item_id, .. } => item_id,
            other => panic!("an item event: {other:?}"),
        })
        .collect();
    assert!(ids.iter().all(|id| id == &ids[0]));
}

#[test]
fn tc_1_2c_a_call_and_its_result_share_the_call_id() {
    let call_ids: Vec<CallId> = tool_lifecycle()
        .into_iter()
        .filter_map(|event| match event.payload {
            EventPayload::ItemStart { start: ItemStart::FunctionCall { call_id, .. }, .. } => {
                Some(call_id)
            }
            EventPayload::ItemStart {
                start: ItemStart::FunctionCallOutput { call_id }, ..
            } => call_id,
            EventPayload::ItemDone {
                final_item: FinalItem::FunctionCall { call_id, .. }, ..
            }
            | EventPayload::ItemDone {
                final_item: FinalItem::FunctionCallOutput { call_id, .. },
                ..
            } => Some(call_id),
            _ => None,
        })
        .collect();
    assert_eq!(call_ids, vec![CallId::from("c1"); 4]);
}

fn tool_upsert(status: ItemStatus, output: Option<&str>) -> UpsertObject {
    let body = UpsertBody::ToolCall(ToolCall {
        tool_name: "Read".into(),
        tool_arguments: ToolArguments::default(),
        call_id: "c1".into(),
        tool_output: output.map(Into::into),
        tool_output_is_error: output.map(|_| false),
        kind: None,
        locations: None,
        diff: None,
    });
    UpsertObject {
        source_timestamp: "2026-02-15T12:00:00.000Z".parse().unwrap(),
        emitted_at: "2026-02-15T12:00:00.001Z".parse().unwrap(),
        status,
        ..UpsertObject::new("turn-1".into(), "session-1".into(), "turn-1:1:0".into(), body)
    }
}

#[test]
fn tc_1_3a_upserts_carry_stable_ids_and_both_times() {
    let create = serde_json::to_value(tool_upsert(ItemStatus::Create, None)).unwrap();
    let complete = serde_json::to_value(tool_upsert(ItemStatus::Complete, Some("text"))).unwrap();
    for field in ["sessionId", "turnId", "itemId", "callId"] {
        assert!(create[field].is_string(), "{field}");
        assert_eq!(create[field], complete[field], "{field}");
    }
    assert_eq!(create["sourceTimestamp"], "2026-02-15T12:00:00.000Z");
    assert_eq!(create["emittedAt"], "2026-02-15T12:00:00.001Z");
    let back: UpsertObject = serde_json::from_value(complete.clone()).unwrap();
    assert_eq!(serde_json::to_value(back).unwrap(), complete);
}

#[test]
fn tc_1_3b_what_is_derived_later_is_no_field_of_an_upsert() {
    let message = UpsertObject {
        body: UpsertBody::Message { content: "hi".into(), origin: MessageOrigin::Agent },
        ..tool_upsert(ItemStatus::Complete, None)
    };
    for upsert in [message, tool_upsert(ItemStatus::Complete, Some(""))] {
        let wire = serde_json::to_value(upsert).unwrap();
        for derived in ["turnSequenceNumber", "llmTurnNumber", "entryType"] {
            assert!(wire.get(derived).is_none(), "{derived}");
        }
    }
}
