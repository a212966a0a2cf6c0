//! What a session can be set to, and how each setting is set.
//!
//! Agents tell modes in one of two ways and models in one of two ways; whichever an agent uses, it looks the same outside.

use agent_client_protocol_schema::v1::{
    AvailableCommand, AvailableCommandInput, LoadSessionResponse, SessionConfigKind,
    SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelect,
    SessionConfigSelectOption, SessionConfigSelectOptions, SessionMode, SessionModeState,
    SetSessionConfigOptionResponse,
};
use contract::{ModeId, ModeInfo, ModelId, ModelInfo, SessionOptions, SlashCommand};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{AcpClient, Asked};
use crate::bounds::{TITLE, WORDS, choices, is_usable_id, shorten};
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
        self.commands = choices(commands, "commands");
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
        let commands = self.commands.iter().filter_map(command).collect();
        SessionOptions { models, current_model_id, modes, current_mode_id, commands }
    }

    fn models(&self) -> (Vec<ModelInfo>, Option<ModelId>) {
        let (models, current) =
            match (self.select(&SessionConfigOptionCategory::Model), &self.models) {
                (Some((_, select)), _) => {
                    let of_option = |option: &SessionConfigSelectOption| {
                        model(&option.value.0, &option.name, option.description.as_deref())
                    };
                    (values(select).filter_map(of_option).collect(), &*select.current_value.0)
                }
                (None, Some(told)) => {
                    let of_told = |told: &ToldModel| {
                        model(&told.model_id, &told.name, told.description.as_deref())
                    };
                    let models = told.available_models.iter().filter_map(of_told).collect();
                    (models, told.current_model_id.as_str())
                }
                (None, None) => return (Vec::new(), None),
            };
        (choices(models, "models"), is_usable_id(current).then(|| ModelId::from(current)))
    }

    fn modes(&self) -> (Vec<ModeInfo>, Option<ModeId>) {
        let (modes, current) = match (&self.modes, self.select(&SessionConfigOptionCategory::Mode))
        {
            (Some(told), _) => {
                let of_told =
                    |told: &SessionMode| mode(&told.id.0, &told.name, told.description.as_deref());
                let modes = told.available_modes.iter().filter_map(of_told).collect();
                (modes, &*told.current_mode_id.0)
            }
            (None, Some((_, select))) => {
                let of_option = |option: &SessionConfigSelectOption| {
                    mode(&option.value.0, &option.name, option.description.as_deref())
                };
                (values(select).filter_map(of_option).collect(), &*select.current_value.0)
            }
            (None, None) => return (Vec::new(), None),
        };
        (choices(modes, "modes"), is_usable_id(current).then(|| ModeId::from(current)))
    }
}

fn model(id: &str, name: &str, description: Option<&str>) -> Option<ModelInfo> {
    is_usable_id(id).then(|| ModelInfo {
        model_id: ModelId::from(id),
        name: shorten(name, TITLE),
        description: description.map(|text| shorten(text, WORDS)),
    })
}

fn mode(id: &str, name: &str, description: Option<&str>) -> Option<ModeInfo> {
    is_usable_id(id).then(|| ModeInfo {
        mode_id: ModeId::from(id),
        name: shorten(name, TITLE),
        description: description.map(|text| shorten(text, WORDS)),
        // The protocol does not tell it: whoever offers the modes reads it from their words.
        never_asks: false,
    })
}

fn values(select: &SessionConfigSelect) -> impl Iterator<Item = &SessionConfigSelectOption> {
    let (options, groups) = match &select.options {
        SessionConfigSelectOptions::Ungrouped(options) => (options.as_slice(), &[][..]),
        SessionConfigSelectOptions::Grouped(groups) => (&[][..], groups.as_slice()),
        _ => (&[][..], &[][..]),
    };
    options.iter().chain(groups.iter().flat_map(|group| &group.options))
}

fn command(command: &AvailableCommand) -> Option<SlashCommand> {
    let argument_hint = match &command.input {
        Some(AvailableCommandInput::Unstructured(input)) => Some(shorten(&input.hint, TITLE)),
        Some(_) | None => None,
    };
    is_usable_id(&command.name).then(|| SlashCommand {
        name: command.name.clone(),
        description: shorten(&command.description, WORDS),
        argument_hint,
    })
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
