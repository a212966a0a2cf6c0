//! How much the agent may do without asking.

use agent_client_protocol::v1::schema::{SessionMode, SessionModeId, SessionModeState};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Mode {
    #[default]
    Ask,
    AutoEdit,
    ReadOnly,
}

impl Mode {
    const ALL: [Self; 3] = [Self::Ask, Self::AutoEdit, Self::ReadOnly];

    pub(crate) fn named(id: &SessionModeId) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.id() == &*id.0)
    }

    /// What a session is told when it opens.
    pub(crate) fn state(self) -> SessionModeState {
        SessionModeState::new(self.id(), Self::ALL.map(Self::described).to_vec())
    }

    fn id(self) -> &'static str {
        match self {
            Self::Ask => "ask",
            Self::AutoEdit => "auto-edit",
            Self::ReadOnly => "read-only",
        }
    }

    fn described(self) -> SessionMode {
        let (name, description) = match self {
            Self::Ask => ("Ask", "Asks before it changes a file"),
            Self::AutoEdit => ("Auto-edit", "Changes files in this directory without asking"),
            Self::ReadOnly => ("Read-only", "Changes nothing"),
        };
        SessionMode::new(self.id(), name).description(description.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_announced_mode_can_be_chosen_and_remembered() {
        for announced in Mode::default().state().available_modes {
            let mode = Mode::named(&announced.id).unwrap();
            assert_eq!(serde_json::to_value(mode).unwrap(), *announced.id.0);
        }
        assert_eq!(Mode::named(&SessionModeId::new("yolo")), None);
    }
}
