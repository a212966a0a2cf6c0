//! What an agent tells about itself when it starts.

use contract::{ModelId, ModelInfo, SlashCommand};
use serde::Deserialize;
use serde_json::value::RawValue;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Initialized {
    pub models: Vec<ModelInfo>,
    pub commands: Vec<SlashCommand>,
    /// Only newer agents say.
    pub version: Option<String>,
}

/// The answer to an `initialize` that was sent as `request_id`, if `line` is it.
pub fn initialize_answer(line: &str, request_id: &str) -> Option<Result<Initialized, String>> {
    #[derive(Deserialize)]
    struct Line<'a> {
        #[serde(rename = "type")]
        kind: String,
        #[serde(borrow)]
        response: Response<'a>,
    }
    #[derive(Deserialize)]
    struct Response<'a> {
        subtype: String,
        request_id: String,
        #[serde(borrow, default)]
        response: Option<&'a RawValue>,
        #[serde(default)]
        error: Option<String>,
    }
    let line: Line<'_> = serde_json::from_str(line).ok()?;
    let response = line.response;
    if line.kind != "control_response" || response.request_id != request_id {
        return None;
    }
    if response.subtype != "success" {
        return Some(Err(response.error.unwrap_or_else(|| "the agent refused".to_owned())));
    }
    // An agent that tells nothing, or something else, is still one that is ready.
    let told: Told = response
        .response
        .and_then(|body| serde_json::from_str(body.get()).ok())
        .unwrap_or_default();
    Some(Ok(told.into()))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Told {
    commands: Vec<ToldCommand>,
    models: Vec<ToldModel>,
    claude_code_version: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ToldCommand {
    name: String,
    description: String,
    argument_hint: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ToldModel {
    value: String,
    display_name: Option<String>,
    description: Option<String>,
}

impl From<Told> for Initialized {
    fn from(told: Told) -> Self {
        let command = |command: ToldCommand| SlashCommand {
            name: command.name,
            description: command.description,
            argument_hint: command.argument_hint.filter(|hint| !hint.is_empty()),
        };
        let model = |model: ToldModel| ModelInfo {
            name: model.display_name.unwrap_or_else(|| model.value.clone()),
            model_id: ModelId::from(model.value),
            description: model.description,
        };
        Self {
            commands: told.commands.into_iter().map(command).collect(),
            models: told.models.into_iter().map(model).collect(),
            version: told.claude_code_version,
        }
    }
}
