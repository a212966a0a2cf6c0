//! Permission requests: an agent asks, and waits until someone answers, it withdraws, or its turn ends.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    CallId, FileDiff, ItemId, OptionId, PermissionId, SessionId, Timestamp, ToolArguments, TurnId,
};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct PermissionRequest {
    pub permission_id: PermissionId,
    pub session_id: SessionId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub item_id: Option<ItemId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<CallId>,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_arguments: Option<ToolArguments>,
    /// What it would change, where the agent tells that beside the arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<Vec<FileDiff>>,
    pub options: Vec<PermissionOption>,
    /// A plan to approve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// Questions to answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub questions: Option<Vec<Question>>,
    pub asked_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<PermissionOutcome>,
    /// The option that was chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option_id: Option<OptionId>,
    /// Who answered, and what they said besides the option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<GivenAnswer>,
}

/// What the agent that runs was allowed for more than once: it holds until that agent ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct StandingPermission {
    /// The request that was answered so.
    pub permission_id: PermissionId,
    /// What the request was about.
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The option that was chosen, in the agent's words: what it allows.
    pub name: String,
    pub since: Timestamp,
}

/// What is kept of an answer beside the option that it chose.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct GivenAnswer {
    /// Arguments that were allowed instead of the proposed ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<ToolArguments>,
    /// Per question, the labels chosen or the text typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "Record<string, string[]>"))]
    pub answers: Option<BTreeMap<String, Vec<String>>>,
    /// What the agent was told with a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    /// `browser`, `command line`, `start token`, or `token` and its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PermissionOption {
    pub option_id: OptionId,
    pub name: String,
    pub kind: PermissionOptionKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum PermissionOptionKind {
    AllowOnce,
    AllowAlways,
    RejectOnce,
    RejectAlways,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct Question {
    pub question: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    pub options: Vec<QuestionOption>,
    pub multi_select: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct QuestionOption {
    pub label: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS))]
pub enum PermissionOutcome {
    Selected,
    /// Denied, and the turn interrupted.
    Cancelled,
    /// The agent took its question back.
    Withdrawn,
    TurnEnded,
}

/// The answer to a request: either `optionId` with what belongs to it, or `cancel: true`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(extend("oneOf" = [
    { "required": ["optionId"], "properties": { "cancel": { "const": false } } },
    { "required": ["cancel"], "properties": { "cancel": { "const": true }, "optionId": false } },
]))]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct PermissionAnswer {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option_id: Option<OptionId>,
    /// Arguments to run the tool with instead of the proposed ones. Agents that can only be told the option refuse this,
    /// `answers` and `feedback`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_input: Option<ToolArguments>,
    /// Per question, the labels chosen or the text typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "Record<string, string[]>"))]
    pub answers: Option<BTreeMap<String, Vec<String>>>,
    /// Told to the agent with a refusal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feedback: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancel: Option<bool>,
}
