//! What a WebSocket client may say.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::{
    CliType, ClientMessageId, Delivery, Epoch, PermissionAnswer, PermissionId, ProjectId,
    RequestId, Seq, SessionId,
};

/// One message with the id that its answer echoes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct ClientFrame {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request_id: Option<RequestId>,
    #[serde(flatten)]
    pub message: ClientMessage,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all_fields = "camelCase", deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub enum ClientMessage {
    #[serde(rename = "session:hello")]
    Hello {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stream_protocol: Option<StreamProtocol>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(type = "unknown"))]
        capabilities: Option<Value>,
    },
    #[serde(rename = "project:add")]
    ProjectAdd { path: String },
    #[serde(rename = "project:remove")]
    ProjectRemove { project_id: ProjectId },
    #[serde(rename = "project:list")]
    ProjectList {},
    #[serde(rename = "session:create")]
    SessionCreate { project_id: ProjectId, cli_type: CliType },
    /// Subscribe.
    #[serde(rename = "session:open")]
    SessionOpen {
        session_id: SessionId,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        after: Option<Seq>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        epoch: Option<Epoch>,
    },
    /// Unsubscribe.
    #[serde(rename = "session:close")]
    SessionClose { session_id: SessionId },
    #[serde(rename = "session:send")]
    SessionSend {
        session_id: SessionId,
        content: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client_message_id: Option<ClientMessageId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        delivery: Option<Delivery>,
    },
    #[serde(rename = "session:cancel")]
    SessionCancel { session_id: SessionId },
    #[serde(rename = "session:archive")]
    SessionArchive { session_id: SessionId },
    #[serde(rename = "session:list")]
    SessionList { project_id: ProjectId },
    #[serde(rename = "session:reconnect")]
    SessionReconnect { cli_type: CliType },
    #[serde(rename = "permission:answer")]
    PermissionAnswer {
        session_id: SessionId,
        permission_id: PermissionId,
        #[serde(flatten)]
        answer: PermissionAnswer,
    },
    #[serde(rename = "ping")]
    Ping {},
}

/// The family a client asks for. One that we do not know gets the default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum StreamProtocol {
    #[serde(rename = "upsert-v1")]
    UpsertV1,
    #[serde(rename = "upsert-v2")]
    UpsertV2,
    #[serde(untagged)]
    Unknown(String),
}

/// By hand, because serde can refuse unknown fields or flatten, but not both.
impl<'de> Deserialize<'de> for ClientFrame {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error as _;
        let mut fields = serde_json::Map::deserialize(deserializer)?;
        let request_id = match fields.remove("requestId") {
            Some(Value::String(id)) => Some(RequestId::from(id)),
            None | Some(Value::Null) => None,
            Some(_) => return Err(D::Error::custom("requestId must be a string")),
        };
        let message =
            ClientMessage::deserialize(Value::Object(fields)).map_err(D::Error::custom)?;
        Ok(Self { request_id, message })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> Result<ClientFrame, serde_json::Error> {
        serde_json::from_value(value)
    }

    #[test]
    fn a_frame_carries_its_request_id_beside_the_message() {
        let frame =
            read(json!({"type": "session:open", "sessionId": "s", "after": 3, "requestId": "r"}))
                .unwrap();
        assert_eq!(frame.request_id, Some("r".into()));
        let open =
            ClientMessage::SessionOpen { session_id: "s".into(), after: Some(Seq(3)), epoch: None };
        assert_eq!(frame.message, open);
    }

    #[test]
    fn unknown_fields_are_refused() {
        assert!(read(json!({"type": "ping", "extra": 1})).is_err());
        assert!(read(json!({"type": "session:close", "sessionId": "s", "sesionId": "t"})).is_err());
        let answer = json!({"type": "permission:answer", "sessionId": "s", "permissionId": "p", "optionId": "o"});
        assert!(read(answer.clone()).is_ok());
        let mut typo = answer;
        typo["optonId"] = json!("o");
        assert!(read(typo).is_err());
    }

    #[test]
    fn an_unknown_protocol_is_kept_and_not_refused() {
        let frame = read(json!({"type": "session:hello", "streamProtocol": "upsert-v9"})).unwrap();
        let protocol = Some(StreamProtocol::Unknown("upsert-v9".into()));
        assert_eq!(
            frame.message,
            ClientMessage::Hello { stream_protocol: protocol, capabilities: None }
        );
    }
}
