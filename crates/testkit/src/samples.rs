//! Items, turn events and envelopes as an agent would cause them.

use contract::{
    ErrorCode, ItemStatus, MessageOrigin, PermissionOption, PermissionOptionKind,
    PermissionRequest, SessionId, StreamEventEnvelope, Timestamp, ToolArguments, ToolCall,
    TurnEvent, TurnEventKind, TurnStatus, UpsertBody, UpsertObject,
};
use serde_json::{Value, json};

/// Makes samples of one turn of one session.
#[derive(Clone, Debug)]
pub struct Sample {
    session: SessionId,
    turn: String,
}

impl Sample {
    pub fn new(session: &SessionId, turn: &str) -> Self {
        Self { session: session.clone(), turn: turn.to_owned() }
    }

    pub fn message(&self, item: &str, status: ItemStatus, text: &str) -> UpsertObject {
        self.upsert(
            item,
            status,
            UpsertBody::Message { content: text.into(), origin: MessageOrigin::Agent },
        )
    }

    pub fn tool(&self, item: &str, status: ItemStatus, output: Option<&str>) -> UpsertObject {
        let body = UpsertBody::ToolCall(ToolCall {
            tool_name: "Bash".into(),
            tool_arguments: ToolArguments::default(),
            call_id: format!("call-{item}").into(),
            tool_output: output.map(Into::into),
            tool_output_is_error: output.map(|_| false),
            kind: None,
            locations: None,
            diff: None,
        });
        self.upsert(item, status, body)
    }

    pub fn started(&self) -> TurnEvent {
        self.turn_event(TurnEventKind::TurnStarted {
            model_id: "model".into(),
            provider_id: "scripted".into(),
            origin: None,
            joined_turn_id: None,
        })
    }

    pub fn completed(&self) -> TurnEvent {
        self.turn_event(TurnEventKind::TurnComplete { status: TurnStatus::Completed, usage: None })
    }

    pub fn cancelled(&self) -> TurnEvent {
        self.turn_event(TurnEventKind::TurnComplete { status: TurnStatus::Cancelled, usage: None })
    }

    pub fn failed(&self, code: ErrorCode) -> TurnEvent {
        let error_message = "it broke".to_owned();
        self.turn_event(TurnEventKind::TurnError {
            error_code: code,
            error_message,
            error_class: None,
        })
    }

    /// Offers `allow` and `reject`.
    pub fn permission(&self, id: &str) -> PermissionRequest {
        let option =
            |id: &str, kind| PermissionOption { option_id: id.into(), name: id.into(), kind };
        PermissionRequest {
            permission_id: id.into(),
            session_id: self.session.clone(),
            turn_id: Some(self.turn.as_str().into()),
            item_id: None,
            call_id: None,
            title: "Run a command".into(),
            tool_name: Some("Bash".into()),
            tool_arguments: None,
            options: vec![
                option("allow", PermissionOptionKind::AllowOnce),
                option("reject", PermissionOptionKind::RejectOnce),
            ],
            plan: None,
            questions: None,
            asked_at: Timestamp::default(),
            resolved_at: None,
            outcome: None,
            option_id: None,
            answer: None,
            diff: None,
        }
    }

    fn upsert(&self, item: &str, status: ItemStatus, body: UpsertBody) -> UpsertObject {
        UpsertObject {
            status,
            error_code: (status == ItemStatus::Error).then_some(ErrorCode::INTERRUPTED),
            ..UpsertObject::new(self.turn.as_str().into(), self.session.clone(), item.into(), body)
        }
    }

    fn turn_event(&self, kind: TurnEventKind) -> TurnEvent {
        let turn_id = self.turn.as_str().into();
        TurnEvent { turn_id, session_id: self.session.clone(), seq: None, at: None, kind }
    }
}

/// A canonical envelope around `payload`, as JSON.
pub fn envelope(session: &SessionId, turn: &str, payload: &Value) -> Value {
    let wire = json!({
        "eventId": "event",
        "timestamp": "2026-02-15T12:00:00.000Z",
        "turnId": turn,
        "sessionId": session,
        "type": payload["type"],
        "payload": payload,
    });
    StreamEventEnvelope::from_value(&wire).expect("a valid envelope");
    wire
}
