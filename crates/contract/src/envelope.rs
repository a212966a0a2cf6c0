//! The canonical envelope: what a program of yours may send instead of an agent that we run.
//!
//! Reading goes through one validator that names the path of what is wrong (`payload.callId`).

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::fields::{Fields, Issue};
use crate::{
    CallId, EventError, EventId, ItemId, MessageOrigin, ModelId, ProviderId, SessionId, Timestamp,
    ToolArguments, TurnId, Usage,
};

/// One canonical event. On the wire it also carries `type`, equal to `payload.type`.
#[derive(Clone, Debug, PartialEq)]
pub struct StreamEventEnvelope {
    pub event_id: EventId,
    pub timestamp: Timestamp,
    pub turn_id: TurnId,
    pub session_id: SessionId,
    pub payload: EventPayload,
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub enum EventPayload {
    ResponseStart {
        model_id: ModelId,
        provider_id: ProviderId,
    },
    ItemStart {
        item_id: ItemId,
        #[serde(flatten)]
        start: ItemStart,
    },
    ItemDelta {
        item_id: ItemId,
        delta_content: String,
    },
    ItemDone {
        item_id: ItemId,
        final_item: FinalItem,
    },
    ItemError {
        item_id: ItemId,
        error: EventError,
    },
    ItemCancelled {
        item_id: ItemId,
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<String>,
    },
    ResponseDone(ResponseDone),
    ResponseError {
        error: EventError,
    },
}

/// How an item begins. A tool call cannot lack what its result needs.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "itemType", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub enum ItemStart {
    Message {
        #[serde(skip_serializing_if = "Option::is_none")]
        initial_content: Option<String>,
    },
    Reasoning {
        #[serde(skip_serializing_if = "Option::is_none")]
        initial_content: Option<String>,
    },
    FunctionCall {
        name: String,
        call_id: CallId,
    },
    FunctionCallOutput {
        #[serde(skip_serializing_if = "Option::is_none")]
        call_id: Option<CallId>,
    },
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum FinalItem {
    Message { content: String, origin: MessageOrigin },
    Reasoning { content: String, provider_id: ProviderId },
    FunctionCall { name: String, call_id: CallId, arguments: ToolArguments },
    FunctionCallOutput { call_id: CallId, output: String, is_error: bool },
}

#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct ResponseDone {
    pub status: ResponseStatus,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<EventError>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum ResponseStatus {
    Completed,
    Cancelled,
    Error,
}

impl StreamEventEnvelope {
    /// Reads one envelope. The issue names the first thing that is wrong and where it is.
    pub fn from_json(json: &[u8]) -> Result<Self, Issue> {
        let value =
            serde_json::from_slice(json).map_err(|error| Issue::new("", not_json(&error)))?;
        Self::from_value(&value)
    }

    pub fn from_value(value: &Value) -> Result<Self, Issue> {
        let fields = Fields::root(value)?;
        let kind = fields.one_of("type", &EventPayload::TYPES)?;
        let payload = fields.object("payload")?;
        if payload.text("type")? != kind {
            return Err(fields.issue("type", "Envelope type must match payload.type"));
        }
        Ok(Self {
            event_id: fields.text("eventId")?.into(),
            timestamp: fields.parsed("timestamp")?,
            turn_id: fields.id("turnId")?.into(),
            session_id: fields.id("sessionId")?.into(),
            payload: EventPayload::read(kind, &payload)?,
        })
    }
}

/// An envelope is one line, so only the column is worth telling.
fn not_json(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or(&text);
    format!("not JSON at column {}: {what}", error.column())
}

impl EventPayload {
    pub(crate) const TYPES: [&'static str; 8] = [
        "response_start",
        "item_start",
        "item_delta",
        "item_done",
        "item_error",
        "item_cancelled",
        "response_done",
        "response_error",
    ];

    /// The name of this event on the wire.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::ResponseStart { .. } => "response_start",
            Self::ItemStart { .. } => "item_start",
            Self::ItemDelta { .. } => "item_delta",
            Self::ItemDone { .. } => "item_done",
            Self::ItemError { .. } => "item_error",
            Self::ItemCancelled { .. } => "item_cancelled",
            Self::ResponseDone(_) => "response_done",
            Self::ResponseError { .. } => "response_error",
        }
    }

    /// `kind` is one of `TYPES`.
    fn read(kind: &str, fields: &Fields<'_>) -> Result<Self, Issue> {
        let item_id = || fields.id("itemId").map(ItemId::from);
        Ok(match kind {
            "response_start" => Self::ResponseStart {
                model_id: fields.text("modelId")?.into(),
                provider_id: fields.text("providerId")?.into(),
            },
            "item_start" => {
                Self::ItemStart { item_id: item_id()?, start: ItemStart::read(fields)? }
            }
            "item_delta" => Self::ItemDelta {
                item_id: item_id()?,
                delta_content: fields.text("deltaContent")?.to_owned(),
            },
            "item_done" => Self::ItemDone {
                item_id: item_id()?,
                final_item: FinalItem::read(&fields.object("finalItem")?)?,
            },
            "item_error" => Self::ItemError {
                item_id: item_id()?,
                error: EventError::read(&fields.object("error")?)?,
            },
            "item_cancelled" => Self::ItemCancelled {
                item_id: item_id()?,
                reason: fields.optional_text("reason")?.map(str::to_owned),
            },
            "response_done" => Self::ResponseDone(ResponseDone::read(fields)?),
            _ => Self::ResponseError { error: EventError::read(&fields.object("error")?)? },
        })
    }
}

impl ItemStart {
    fn read(fields: &Fields<'_>) -> Result<Self, Issue> {
        const KINDS: [&str; 4] = ["message", "reasoning", "function_call", "function_call_output"];
        let initial_content = || Ok(fields.optional_text("initialContent")?.map(str::to_owned));
        Ok(match fields.one_of("itemType", &KINDS)? {
            "message" => Self::Message { initial_content: initial_content()? },
            "reasoning" => Self::Reasoning { initial_content: initial_content()? },
            "function_call" => Self::FunctionCall {
                name: fields.id("name")?.to_owned(),
                call_id: fields.id("callId")?.into(),
            },
            _ => Self::FunctionCallOutput {
                call_id: fields.optional_text("callId")?.map(CallId::from),
            },
        })
    }
}

impl FinalItem {
    fn read(fields: &Fields<'_>) -> Result<Self, Issue> {
        const KINDS: [&str; 4] = ["message", "reasoning", "function_call", "function_call_output"];
        let content = || fields.text("content").map(str::to_owned);
        Ok(match fields.one_of("type", &KINDS)? {
            "message" => {
                Self::Message { content: content()?, origin: MessageOrigin::read(fields)? }
            }
            "reasoning" => Self::Reasoning {
                content: content()?,
                provider_id: fields.text("providerId")?.into(),
            },
            "function_call" => Self::FunctionCall {
                name: fields.id("name")?.to_owned(),
                call_id: fields.id("callId")?.into(),
                arguments: fields.object("arguments")?.to_map().into(),
            },
            _ => Self::FunctionCallOutput {
                call_id: fields.id("callId")?.into(),
                output: fields.text("output")?.to_owned(),
                is_error: fields.boolean("isError")?,
            },
        })
    }
}

impl MessageOrigin {
    fn read(fields: &Fields<'_>) -> Result<Self, Issue> {
        Ok(match fields.one_of("origin", &["user", "agent", "system"])? {
            "user" => Self::User,
            "agent" => Self::Agent,
            _ => Self::System,
        })
    }
}

impl EventError {
    fn read(fields: &Fields<'_>) -> Result<Self, Issue> {
        Ok(Self { code: fields.text("code")?.into(), message: fields.text("message")?.to_owned() })
    }
}

impl ResponseDone {
    fn read(fields: &Fields<'_>) -> Result<Self, Issue> {
        let status = match fields.one_of("status", &["completed", "cancelled", "error"])? {
            "completed" => ResponseStatus::Completed,
            "cancelled" => ResponseStatus::Cancelled,
            _ => ResponseStatus::Error,
        };
        Ok(Self {
            status,
            finish_reason: fields.optional_text("finishReason")?.map(str::to_owned),
            error: fields
                .optional_object("error")?
                .map(|error| EventError::read(&error))
                .transpose()?,
            usage: fields.optional_object("usage")?.map(|usage| Usage::read(&usage)).transpose()?,
        })
    }
}

impl Usage {
    fn read(fields: &Fields<'_>) -> Result<Self, Issue> {
        Ok(Self {
            input_tokens: fields.count("inputTokens")?,
            output_tokens: fields.count("outputTokens")?,
            cache_read_input_tokens: fields.optional_count("cacheReadInputTokens")?,
            cache_creation_input_tokens: fields.optional_count("cacheCreationInputTokens")?,
            cost_usd: fields.optional_number("costUsd")?,
            context_tokens: fields.optional_count("contextTokens")?,
            context_window: fields.optional_count("contextWindow")?,
        })
    }
}

impl Serialize for StreamEventEnvelope {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        #[serde(rename_all = "camelCase")]
        struct Wire<'a> {
            event_id: &'a EventId,
            timestamp: Timestamp,
            turn_id: &'a TurnId,
            session_id: &'a SessionId,
            r#type: &'static str,
            payload: &'a EventPayload,
        }
        Wire {
            event_id: &self.event_id,
            timestamp: self.timestamp,
            turn_id: &self.turn_id,
            session_id: &self.session_id,
            r#type: self.payload.type_name(),
            payload: &self.payload,
        }
        .serialize(serializer)
    }
}

/// Reading the parts goes through the same validator as the whole.
macro_rules! deserialize_by_reading {
    ($($part:ty => $read:expr;)*) => {$(
        impl<'de> Deserialize<'de> for $part {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let value = Value::deserialize(deserializer)?;
                let read: fn(&Fields<'_>) -> Result<Self, Issue> = $read;
                Fields::root(&value).and_then(|fields| read(&fields)).map_err(serde::de::Error::custom)
            }
        }
    )*};
}

deserialize_by_reading! {
    EventPayload => |fields| Self::read(fields.one_of("type", &Self::TYPES)?, fields);
    ItemStart => Self::read;
    FinalItem => Self::read;
    ResponseDone => Self::read;
}

impl<'de> Deserialize<'de> for StreamEventEnvelope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        Self::from_value(&value).map_err(serde::de::Error::custom)
    }
}
