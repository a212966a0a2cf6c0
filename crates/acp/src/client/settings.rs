//! What a session can be set to, and how each setting is set.
//!
//! Agents tell modes in one of two ways and models in one of two ways; whichever an agent uses, it looks the same outside.

use agent_client_protocol_schema::v1::{
    AvailableCommand, AvailableCommandInput, LoadSessionResponse, SessionConfigKind,
    SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelect,
    SessionConfigSelectOption, SessionConfigSelectOptions, SessionModeState,
    SetSessionConfigOptionResponse,
};
use contract::{ModeId, ModeInfo, ModelId, ModelInfo, SessionOptions, SlashCommand};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{AcpClient, Asked};
use crate::output::Output;
use crate::rpc::RpcError;

/// A wish for another setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Adjustment {
    Mode(ModeId),
    Model(ModelId),
}

/// How a setting is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    Mode(String),
    Model(String),
    Config { id: String, value: String },
}

#[derive(Debug, Default)]
pub(super) struct Settings {
    modes: Option<SessionModeState>,
    models: Option<ModelState>,
    config: Vec<SessionConfigOption>,
    commands: Vec<AvailableCommand>,
}

/// As agents told their models before there were options for everything.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ModelState {
    current_model_id: String,
    #[serde(default)]
    available_models: Vec<ToldModel>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToldModel {
    model_id: String,
    name: String,
    #[serde(default)]
    description: Option<String>,
}

#[derive(Deserialize)]
struct OlderResponse {
    #[serde(default)]
    models: Option<Value>,
}

impl Settings {
    /// Reads the answer that opened the session.
    pub(super) fn take_from(&mut self, json: &str) {
        if let Ok(told) = serde_json::from_str::<LoadSessionResponse>(json) {
            self.modes = told.modes;
            self.config = told.config_options.unwrap_or_default();
        }
        let older = serde_json::from_str::<OlderResponse>(json).ok().and_then(|told| told.models);
        self.models = older.and_then(|models| serde_json::from_value(models).ok());
    }

    pub(super) fn set_config(&mut self, config: Vec<SessionConfigOption>) {
        self.config = config;
        let mode = self.select(&SessionConfigOptionCategory::Mode).map(|(_, mode)| mode);
        if let (Some(mode), Some(modes)) = (mode, &self.modes) {
            let current = mode.current_value.0.clone();
            let current = agent_client_protocol_schema::v1::SessionModeId::new(current);
            self.modes = Some(SessionModeState::new(current, modes.available_modes.clone()));
        }
    }

    pub(super) fn set_mode(&mut self, mode: &str) {
        if let Some(modes) = &mut self.modes {
            modes.current_mode_id = agent_client_protocol_schema::v1::SessionModeId::new(mode);
        }
    }

    pub(super) fn set_commands(&mut self, commands: Vec<AvailableCommand>) {
        self.commands = commands;
    }

    pub(super) fn current_model(&self) -> ModelId {
        let current = self.options().current_model_id;
        current.unwrap_or_else(|| ModelId::from("unknown"))
    }

    /// How a wish is asked for; or why it cannot be.
    pub(super) fn change(&self, wish: &Adjustment) -> Result<Change, String> {
        let options = self.options();
        let refuse = |what: &str, id: &str| Err(format!("the agent has no {what} {id}"));
        match wish {
            Adjustment::Mode(mode) if !options.modes.iter().any(|known| known.mode_id == *mode) => {
                refuse("mode", mode.as_str())
            }
            Adjustment::Model(model)
                if !options.models.iter().any(|known| known.model_id == *model) =>
            {
                refuse("model", model.as_str())
            }
            Adjustment::Mode(mode) if self.modes.is_some() => {
                Ok(Change::Mode(mode.as_str().to_owned()))
            }
            Adjustment::Mode(mode) => {
                self.config_change(&SessionConfigOptionCategory::Mode, mode.as_str())
            }
            Adjustment::Model(model) => self
                .config_change(&SessionConfigOptionCategory::Model, model.as_str())
                .or_else(|_| Ok(Change::Model(model.as_str().to_owned()))),
        }
    }

    fn config_change(
        &self,
        category: &SessionConfigOptionCategory,
        value: &str,
    ) -> Result<Change, String> {
        let (option, _) = self.select(category).ok_or("the agent has no such setting")?;
        Ok(Change::Config { id: option.id.0.to_string(), value: value.to_owned() })
    }

    /// The agent agreed.
    pub(super) fn apply(&mut self, change: &Change, json: &str) {
        match change {
            Change::Mode(mode) => self.set_mode(mode),
            Change::Model(model) => {
                if let Some(models) = &mut self.models {
                    models.current_model_id.clone_from(model);
                }
            }
            Change::Config { .. } => {
                if let Ok(told) = serde_json::from_str::<SetSessionConfigOptionResponse>(json) {
                    self.set_config(told.config_options);
                }
            }
        }
    }

    fn select(
        &self,
        category: &SessionConfigOptionCategory,
    ) -> Option<(&SessionConfigOption, &SessionConfigSelect)> {
        self.config.iter().find_map(|option| match &option.kind {
            SessionConfigKind::Select(select) if option.category.as_ref() == Some(category) => {
                Some((option, select))
            }
            _ => None,
        })
    }

    pub(super) fn options(&self) -> SessionOptions {
        let (models, current_model_id) = self.models();
        let (modes, current_mode_id) = self.modes();
        let commands = self.commands.iter().map(command).collect();
        SessionOptions { models, current_model_id, modes, current_mode_id, commands }
    }

    fn models(&self) -> (Vec<ModelInfo>, Option<ModelId>) {
        if let Some((_, select)) = self.select(&SessionConfigOptionCategory::Model) {
            let model = |option: &SessionConfigSelectOption| ModelInfo {
                model_id: ModelId::from(&*option.value.0),
                name: option.name.clone(),
                description: option.description.clone(),
            };
            let models = values(select).into_iter().map(model).collect();
            return (models, Some(ModelId::from(&*select.current_value.0)));
        }
        let Some(told) = &self.models else { return (Vec::new(), None) };
        let model = |model: &ToldModel| ModelInfo {
            model_id: ModelId::from(model.model_id.as_str()),
            name: model.name.clone(),
            description: model.description.clone(),
        };
        let models = told.available_models.iter().map(model).collect();
        (models, Some(ModelId::from(told.current_model_id.as_str())))
    }

    fn modes(&self) -> (Vec<ModeInfo>, Option<ModeId>) {
        if let Some(told) = &self.modes {
            let mode = |mode: &agent_client_protocol_schema::v1::SessionMode| ModeInfo {
                mode_id: ModeId::from(&*mode.id.0),
                name: mode.name.clone(),
                description: mode.description.clone(),
            };
            let modes = told.available_modes.iter().map(mode).collect();
            return (modes, Some(ModeId::from(&*told.current_mode_id.0)));
        }
        let Some((_, select)) = self.select(&SessionConfigOptionCategory::Mode) else {
            return (Vec::new(), None);
        };
        let mode = |option: &SessionConfigSelectOption| ModeInfo {
            mode_id: ModeId::from(&*option.value.0),
            name: option.name.clone(),
            description: option.description.clone(),
        };
        let modes = values(select).into_iter().map(mode).collect();
        (modes, Some(ModeId::from(&*select.current_value.0)))
    }
}

fn values(select: &SessionConfigSelect) -> Vec<&SessionConfigSelectOption> {
    match &select.options {
        SessionConfigSelectOptions::Ungrouped(options) => options.iter().collect(),
        SessionConfigSelectOptions::Grouped(groups) => {
            groups.iter().flat_map(|group| &group.options).collect()
        }
        _ => Vec::new(),
    }
}

fn command(command: &AvailableCommand) -> SlashCommand {
    let argument_hint = match &command.input {
        Some(AvailableCommandInput::Unstructured(input)) => Some(input.hint.clone()),
        Some(_) | None => None,
    };
    SlashCommand {
        name: command.name.clone(),
        description: command.description.clone(),
        argument_hint,
    }
}

impl AcpClient {
    /// Asks for another setting; how it went is told with the token.
    pub fn adjust(&mut self, token: u64, wish: &Adjustment) {
        let change = self.settings.change(wish);
        let asked =
            change.map(|change| self.ask_for(change, |change| Asked::Adjust(token, change)));
        let refused = match asked {
            Ok(true) => return,
            Ok(false) => "the agent does not answer".to_owned(),
            Err(message) => message,
        };
        self.outputs.push_back(Output::Adjusted(token, Err(refused)));
    }

    pub(super) fn ask_for(&mut self, change: Change, asked: impl FnOnce(Change) -> Asked) -> bool {
        let session = self.agent_session.clone().unwrap_or_default();
        let (method, params) = match &change {
            Change::Mode(mode) => {
                ("session/set_mode", json!({ "sessionId": session, "modeId": mode }))
            }
            Change::Model(model) => {
                ("session/set_model", json!({ "sessionId": session, "modelId": model }))
            }
            Change::Config { id, value } => (
                "session/set_config_option",
                json!({ "sessionId": session, "configId": id, "value": value }),
            ),
        };
        self.request(asked(change), method, &params)
    }

    pub(super) fn handle_adjusted(
        &mut self,
        token: u64,
        change: &Change,
        result: Result<&str, RpcError>,
    ) {
        let result = match result {
            Ok(json) => {
                self.settings.apply(change, json);
                self.tell_options();
                Ok(())
            }
            Err(error) => Err(crate::failure::words(&error)),
        };
        self.outputs.push_back(Output::Adjusted(token, result));
    }

    pub(super) fn tell_options(&mut self) {
        let options = self.settings.options();
        self.outputs.push_back(Output::Options(Box::new(options)));
    }
}
