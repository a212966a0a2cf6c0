//! The turn that is open: one that was asked for, or one that the agent began by itself.

use std::time::Duration;

use contract::{
    ErrorCode, ItemId, ItemStatus, MessageOrigin, Text, TurnEvent, TurnEventKind, TurnId,
    TurnOrigin, TurnStatus, UpsertBody, UpsertObject, Usage,
};
use pipeline::{Moment, Now};

use super::AcpClient;
use crate::output::Output;
use crate::timeline::Closing;

/// A turn that nobody asked for has no end of its own in the protocol: it is over when the agent has been silent so long.
const SILENCE: Duration = Duration::from_secs(2);
/// The same while a tool of the turn has not reported.
const SILENCE_AT_WORK: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(super) struct Turns {
    open: Option<OpenTurn>,
    /// What the session has cost so far.
    cost: Option<f64>,
}

#[derive(Debug)]
struct OpenTurn {
    id: TurnId,
    origin: TurnOrigin,
    is_announced: bool,
    last_work: Moment,
    /// How full the model's window is, as far as this turn told.
    context: Option<(u64, u64)>,
    cost_before: Option<f64>,
}

impl Turns {
    pub(super) fn current(&self) -> Option<&TurnId> {
        self.open.as_ref().map(|turn| &turn.id)
    }

    pub(super) fn announced(&self) -> Option<&TurnId> {
        self.open.as_ref().filter(|turn| turn.is_announced).map(|turn| &turn.id)
    }

    pub(super) fn note_usage(&mut self, used: u64, size: u64, cost: Option<f64>) {
        if let Some(turn) = &mut self.open {
            turn.context = Some((used, size));
        }
        self.cost = cost.or(self.cost);
    }
}

impl AcpClient {
    /// Opens a turn. It is told when the agent shows that it works on it.
    pub(super) fn open_turn(&mut self, id: TurnId, origin: TurnOrigin, now: Now) {
        self.timeline.begin_turn(id.clone());
        self.turns.open = Some(OpenTurn {
            id,
            origin,
            is_announced: false,
            last_work: now.moment,
            context: None,
            cost_before: self.turns.cost,
        });
    }

    /// The agent works: on the open turn, or else on one of its own.
    pub(super) fn begin_work(&mut self, now: Now) {
        if self.turns.open.is_none() {
            let turn = self.fresh_turn();
            self.open_turn(turn, TurnOrigin::Autonomous, now);
        }
        self.note_work(now);
    }

    pub(super) fn note_work(&mut self, now: Now) {
        self.prompts.note_sign();
        let Some(turn) = &mut self.turns.open else { return };
        turn.last_work = now.moment;
        if std::mem::replace(&mut turn.is_announced, true) {
            return;
        }
        let model_id = self.settings.current_model();
        let (turn, origin) = (turn.id.clone(), Some(turn.origin));
        let provider_id = self.provider.clone();
        let kind =
            TurnEventKind::TurnStarted { model_id, provider_id, origin, joined_turn_id: None };
        self.tell_turn(turn, kind);
    }

    /// Ends the open turn, its items first.
    pub(super) fn end_open_turn(&mut self, kind: TurnEventKind, now: Now) {
        self.note_work(now);
        self.timeline.end_turn(Closing::of(&kind), now);
        self.pass_on_items();
        self.deny_all();
        self.retold.forget();
        self.outputs.push_back(Output::Notice(None));
        if let Some(turn) = self.turns.open.take() {
            self.tell_turn(turn.id, kind);
        }
    }

    /// The agent is gone: a turn that has begun fails, one that has not is left to whoever sent it.
    pub(super) fn end_open_turn_badly(&mut self, code: ErrorCode, message: &str, now: Now) {
        if self.turns.announced().is_none() {
            self.turns.open = None;
            return;
        }
        let error_message = message.to_owned();
        self.end_open_turn(
            TurnEventKind::TurnError { error_code: code, error_message, error_class: None },
            now,
        );
    }

    /// When a turn of the agent's own is over if nothing more comes. Never while somebody is asked.
    pub(super) fn silence_deadline(&self) -> Option<Moment> {
        let own = self.turns.open.as_ref().filter(|turn| turn.origin == TurnOrigin::Autonomous)?;
        let silence = if self.timeline.is_at_work() { SILENCE_AT_WORK } else { SILENCE };
        (!self.has_asked()).then(|| own.last_work + silence)
    }

    pub(super) fn end_idle_turn(&mut self, now: Now) {
        if self.silence_deadline().is_some_and(|deadline| deadline <= now.moment) {
            self.end_own_turn(now);
        }
    }

    /// Ends a turn that the agent began by itself.
    pub(super) fn end_own_turn(&mut self, now: Now) {
        let own = |turn: &OpenTurn| turn.origin == TurnOrigin::Autonomous;
        if self.turns.open.as_ref().is_some_and(own) {
            let usage = self.usage_of_turn();
            let status = TurnStatus::Completed;
            self.end_open_turn(TurnEventKind::TurnComplete { status, usage }, now);
        }
    }

    /// What the protocol tells of a turn's usage: how full the window is, and what was paid. Tokens are not told.
    pub(super) fn usage_of_turn(&self) -> Option<Usage> {
        let turn = self.turns.open.as_ref()?;
        let (used, size) = turn.context?;
        // Agents tell what the session has cost in all. What one that goes on had cost before is known only if it was told.
        let before = turn.cost_before.or_else(|| (!self.plan.goes_on()).then_some(0.0));
        let cost = self.turns.cost.zip(before).map(|(cost, before)| cost - before);
        Some(Usage {
            input_tokens: 0,
            output_tokens: 0,
            cache_read_input_tokens: None,
            cache_creation_input_tokens: None,
            // One that counts anew has not paid anything back.
            cost_usd: cost.filter(|cost| *cost >= 0.0),
            context_tokens: Some(used),
            context_window: Some(size),
        })
    }

    fn tell_turn(&mut self, turn_id: TurnId, kind: TurnEventKind) {
        let session_id = self.session.clone();
        let event = TurnEvent { turn_id, session_id, seq: None, at: None, kind };
        self.outputs.push_back(Output::Turn(Box::new(event)));
    }

    /// The user's message of a turn that is told from history.
    pub(super) fn tell_user_message(&mut self, turn: &TurnId, text: &str, now: Now) {
        let body = UpsertBody::Message { content: Text::from(text), origin: MessageOrigin::User };
        let item = ItemId::of_user_message(turn);
        let upsert = UpsertObject {
            source_timestamp: now.wall,
            emitted_at: now.wall,
            status: ItemStatus::Complete,
            ..UpsertObject::new(turn.clone(), self.session.clone(), item, body)
        };
        self.outputs.push_back(Output::Upsert(Box::new(upsert)));
    }
}
