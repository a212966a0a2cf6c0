//! Lines that we write to the agent. Each is one JSON object; a broken one would end the CLI, so all are made here.

use contract::{Attachment, Delivery, TurnId};
use serde_json::{Value, json};

/// A message of the user's. Its uuid is the turn's id, so that whose turn comes back never has to be guessed. Without one
/// the agent makes its own: it answers nothing to an id that its transcript holds already.
pub fn user_message(
    turn: Option<&TurnId>,
    content: &str,
    attachments: &[Attachment],
    delivery: Delivery,
) -> String {
    let content = if attachments.is_empty() {
        json!(content)
    } else {
        let blocks = attachments.iter().map(attachment_block);
        Value::Array(blocks.chain([json!({ "type": "text", "text": content })]).collect())
    };
    // "later" is never folded into a running turn nor merged with another message; "next" asks for it.
    let priority = match delivery {
        Delivery::Queue | Delivery::Interrupt => "later",
        Delivery::Steer => "next",
    };
    let mut line = json!({
        "type": "user",
        "message": { "role": "user", "content": content },
        "parent_tool_use_id": null,
        "session_id": "",
        "priority": priority,
    });
    if let (Some(turn), Some(members)) = (turn, line.as_object_mut()) {
        members.insert("uuid".to_owned(), json!(turn));
    }
    line.to_string()
}

fn attachment_block(attachment: &Attachment) -> Value {
    let source =
        json!({ "type": "base64", "media_type": attachment.mime_type, "data": attachment.data });
    let kind = if attachment.mime_type.starts_with("image/") { "image" } else { "document" };
    json!({ "type": kind, "source": source })
}

/// Whether the agent can be given an attachment of this type.
pub fn takes_attachment(mime_type: &str) -> bool {
    matches!(mime_type, "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "application/pdf")
}

/// Something that we ask of the agent itself, beside the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ControlRequest {
    Initialize,
    Interrupt,
    SetMode(String),
    /// Absent: the default.
    SetModel(Option<String>),
    SetMaxThinkingTokens(u32),
    StopTask(String),
    /// Takes a message back that has not begun.
    CancelMessage(TurnId),
    EndSession,
}

impl ControlRequest {
    pub fn line(&self, request_id: &str) -> String {
        let request = match self {
            // Declared so that an interrupt leaves subagents in the background alive.
            Self::Initialize => json!({ "subtype": "initialize", "perTaskStopAffordance": true }),
            Self::Interrupt => json!({ "subtype": "interrupt" }),
            Self::SetMode(mode) => json!({ "subtype": "set_permission_mode", "mode": mode }),
            Self::SetModel(Some(model)) => json!({ "subtype": "set_model", "model": model }),
            Self::SetModel(None) => json!({ "subtype": "set_model" }),
            Self::SetMaxThinkingTokens(tokens) => {
                json!({ "subtype": "set_max_thinking_tokens", "max_thinking_tokens": tokens })
            }
            Self::StopTask(task) => json!({ "subtype": "stop_task", "task_id": task }),
            Self::CancelMessage(turn) => {
                json!({ "subtype": "cancel_async_message", "message_uuid": turn })
            }
            Self::EndSession => json!({ "subtype": "end_session" }),
        };
        json!({ "type": "control_request", "request_id": request_id, "request": request })
            .to_string()
    }
}
