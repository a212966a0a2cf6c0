//! The turn that is open.

use contract::{ModelId, TurnId, TurnOrigin};

use crate::outcome::WordedFailure;

#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "independent facts about one turn")]
pub(crate) struct OpenTurn {
    pub(crate) id: TurnId,
    pub(crate) origin: TurnOrigin,
    pub(crate) model: ModelId,
    /// Turns whose messages the agent took into this one.
    pub(crate) joined: Vec<TurnId>,
    /// Whether its start was told. A turn that nobody asked for is told with its first item.
    pub(crate) is_announced: bool,
    pub(crate) had_message: bool,
    pub(crate) was_refused: bool,
    /// We interrupted it; whatever it still says, it is ending.
    pub(crate) is_stopping: bool,
    /// What ran so far was the agent's own after all; this turn goes on with the next `init`.
    pub(crate) goes_on: bool,
    pub(crate) failure: Option<WordedFailure>,
    /// What the last call to the model that was tried again failed with.
    pub(crate) last_retry: Option<String>,
}

impl OpenTurn {
    pub(crate) fn new(id: TurnId, origin: TurnOrigin, model: ModelId) -> Self {
        Self {
            id,
            origin,
            model,
            joined: Vec::new(),
            is_announced: false,
            had_message: false,
            was_refused: false,
            is_stopping: false,
            goes_on: false,
            failure: None,
            last_retry: None,
        }
    }

    pub(crate) fn owns(&self, turn: &TurnId) -> bool {
        self.id == *turn || self.joined.contains(turn)
    }
}
