//! Agents as the user may choose them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CliType, ModeId, ModelId};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct AgentInfo {
    pub cli_type: CliType,
    pub name: String,
    pub available: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The file that is run, behind links and launchers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub program: Option<String>,
    /// Of that file, in hexadecimal digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Why it is not available.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub install_hint: Option<String>,
    pub models: Vec<ModelInfo>,
    pub modes: Vec<ModeInfo>,
    pub capabilities: AgentCapabilities,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct ModelInfo {
    pub model_id: ModelId,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct ModeInfo {
    pub mode_id: ModeId,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The agent does everything in it without asking, by what it says of it.
    #[serde(default)]
    pub never_asks: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct SlashCommand {
    pub name: String,
    pub description: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub argument_hint: Option<String>,
}

/// What can be asked of an agent. Absent means no.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", default)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts that clients look up by name")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct AgentCapabilities {
    /// Takes messages at all; `external` sessions are fed by envelopes instead.
    pub send: bool,
    /// Can fold a message into the turn that runs.
    pub steer: bool,
    pub images: bool,
    /// Can continue an earlier session.
    pub resume: bool,
}

/// How the connection to an agent type is, as older clients show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum AgentConnection {
    Starting,
    Connected,
    Disconnected,
    Reconnecting,
}
