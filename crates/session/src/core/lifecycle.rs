//! Whether there is an agent, and who waits for one to come or go.

use contract::{ErrorCode, Killed, SessionLoaded, SessionState, TurnId};

use super::SessionCore;
use super::effects::{Action, Effects, Reply};
use super::sends::SendCommand;
use crate::error::ServiceError;
use crate::provider::{ProviderError, ProviderErrorCode};
use pipeline::Now;

#[derive(Debug)]
pub(crate) enum Lifecycle {
    Open,
    /// An agent is being attached; these wait for it.
    Loading {
        sends: Vec<(TurnId, SendCommand)>,
        loads: Vec<Reply<SessionLoaded>>,
    },
    /// The agent is being ended; these wait for that. One that is still being attached is ended once it is there.
    Ending {
        kills: Vec<Reply<Killed>>,
        attaching: bool,
    },
    /// The server stops, and the agent with it. Nothing begins any more, and what has not begun waits for the next one.
    Stopping,
    Dead,
}

impl Lifecycle {
    pub(super) fn state(&self) -> SessionState {
        match self {
            Self::Open | Self::Stopping => SessionState::Open,
            Self::Loading { .. } => SessionState::Loading,
            Self::Ending { .. } | Self::Dead => SessionState::Dead,
        }
    }
}

impl SessionCore {
    /// Attaches an agent unless one is there.
    pub(crate) fn load(
        &mut self,
        is_alive: bool,
        reply: Reply<SessionLoaded>,
        effects: &mut Effects,
    ) {
        match &mut self.lifecycle {
            Lifecycle::Loading { loads, .. } => loads.push(reply),
            Lifecycle::Ending { .. } | Lifecycle::Stopping => {
                effects.reply(reply, Err(being_ended()));
            }
            Lifecycle::Open if is_alive => {
                effects.actions.push(Action::ShowHistory);
                effects.reply(reply, Ok(self.loaded()));
            }
            Lifecycle::Open | Lifecycle::Dead => {
                self.lifecycle = Lifecycle::Loading { sends: Vec::new(), loads: vec![reply] };
                effects.actions.push(Action::Load);
            }
        }
    }

    pub(crate) fn handle_loaded(
        &mut self,
        result: Result<(), ProviderError>,
        now: Now,
        effects: &mut Effects,
    ) {
        if let Lifecycle::Ending { attaching, .. } = &mut self.lifecycle {
            *attaching = false;
            effects.actions.push(Action::Kill);
            return;
        }
        if !matches!(self.lifecycle, Lifecycle::Loading { .. }) {
            return;
        }
        let Lifecycle::Loading { sends, loads } =
            std::mem::replace(&mut self.lifecycle, Lifecycle::Open)
        else {
            return;
        };
        if let Err(error) = result {
            self.set_dead(true, effects);
            let failure = || ProviderError::new(error.code, error.message.clone()).into();
            loads.into_iter().for_each(|reply| effects.reply(reply, Err(failure())));
            sends.into_iter().for_each(|(_, send)| send.answer(effects, || Err(failure())));
            return;
        }
        self.set_dead(false, effects);
        if !loads.is_empty() {
            effects.actions.push(Action::ShowHistory);
        }
        loads.into_iter().for_each(|reply| effects.reply(reply, Ok(self.loaded())));
        for (turn_id, send) in sends {
            self.accept_send(turn_id, send, now, effects);
        }
        self.dispatch(effects);
    }

    pub(crate) fn kill(&mut self, reply: Reply<Killed>, effects: &mut Effects) {
        match &mut self.lifecycle {
            Lifecycle::Ending { kills, .. } => kills.push(reply),
            Lifecycle::Dead => effects.reply(reply, Ok(Killed { killed: true })),
            Lifecycle::Stopping => effects.reply(reply, Err(being_ended())),
            Lifecycle::Open => {
                self.lifecycle = Lifecycle::Ending { kills: vec![reply], attaching: false };
                effects.actions.push(Action::Kill);
            }
            Lifecycle::Loading { sends, loads } => {
                let (sends, loads) = (std::mem::take(sends), std::mem::take(loads));
                self.lifecycle = Lifecycle::Ending { kills: vec![reply], attaching: true };
                effects.actions.push(Action::StopLoading);
                loads.into_iter().for_each(|reply| effects.reply(reply, Err(being_ended())));
                sends.into_iter().for_each(|(_, send)| send.answer(effects, || Err(being_ended())));
            }
        }
    }

    /// The server stops. Whoever waits for an agent is told by nobody coming.
    pub(crate) fn begin_to_stop(&mut self) {
        match &self.lifecycle {
            Lifecycle::Open | Lifecycle::Loading { .. } => self.lifecycle = Lifecycle::Stopping,
            Lifecycle::Ending { .. } | Lifecycle::Stopping | Lifecycle::Dead => {}
        }
    }

    pub(crate) fn handle_killed(&mut self, now: Now, effects: &mut Effects) {
        self.end_everything(&ErrorCode::INTERRUPTED, "the session was ended", now, effects);
        if let Lifecycle::Ending { kills, .. } =
            std::mem::replace(&mut self.lifecycle, Lifecycle::Dead)
        {
            kills.into_iter().for_each(|reply| effects.reply(reply, Ok(Killed { killed: true })));
        }
        self.set_dead(true, effects);
    }

    pub(super) fn set_dead(&mut self, dead: bool, effects: &mut Effects) {
        self.lifecycle = if dead { Lifecycle::Dead } else { Lifecycle::Open };
        if self.record.dead != dead {
            self.record.dead = dead;
            effects.changes.push(store::Change::Record(Box::new(self.record.clone())));
        }
    }

    fn loaded(&self) -> SessionLoaded {
        SessionLoaded {
            session_id: self.record.session_id.clone(),
            cli_type: self.record.cli_type.clone(),
        }
    }
}

pub(super) fn being_ended() -> ServiceError {
    ProviderError::new(ProviderErrorCode::ProcessCrash, "the session is being ended").into()
}
