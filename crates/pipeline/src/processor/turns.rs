//! What events do to turns: each starts once and ends once.

use contract::{
    ErrorCode, EventError, ModelId, ProviderId, ResponseDone, ResponseStatus, SessionId,
    StreamEventEnvelope, TurnEventKind, TurnId, TurnStatus,
};

use super::endings::Closing;
use super::item::Identity;
use super::items::Scope;
use super::{Context, DestroyReason, OpenTurn, Told, UpsertProcessor};

impl UpsertProcessor {
    pub(super) fn start_turn(
        &mut self,
        context: Context<'_>,
        model_id: &ModelId,
        provider_id: &ProviderId,
    ) {
        let event = context.event;
        if self.ended.contains(&event.turn_id) {
            return self.ignore();
        }
        match &mut self.turn {
            OpenTurn::Open { turn_id, told, .. } if *turn_id == event.turn_id => {
                if *told == Told::Start {
                    return self.ignore();
                }
                *told = Told::Start;
            }
            OpenTurn::Open { .. } => {
                self.supersede_turn(context);
                self.open_turn(event, Told::Start);
            }
            OpenTurn::None | OpenTurn::Ended => self.open_turn(event, Told::Start),
        }
        self.provider_id = provider_id.clone();
        let kind = TurnEventKind::TurnStarted {
            model_id: model_id.clone(),
            provider_id: provider_id.clone(),
            origin: None,
            joined_turn_id: None,
        };
        self.emit_turn(event.turn_id.clone(), event.session_id.clone(), kind);
    }

    /// Items may come without a `response_start`; the first event then opens its turn.
    pub(super) fn join_turn(&mut self, event: &StreamEventEnvelope) {
        if matches!(self.turn, OpenTurn::None) {
            self.open_turn(event, Told::Nothing);
        }
    }

    pub(super) fn finish_turn(&mut self, context: Context<'_>, done: &ResponseDone) {
        let status = match done.status {
            ResponseStatus::Completed => TurnStatus::Completed,
            ResponseStatus::Cancelled => TurnStatus::Cancelled,
            ResponseStatus::Error => return self.fail_turn(context, failure(done)),
        };
        let closing = match status {
            TurnStatus::Completed => Closing::Complete,
            TurnStatus::Cancelled => Closing::Error(EventError {
                code: ErrorCode::CANCELLED,
                message: "the turn was cancelled".to_owned(),
            }),
        };
        let kind = TurnEventKind::TurnComplete { status, usage: done.usage.clone() };
        self.end_turn(context, &closing, kind);
    }

    pub(super) fn fail_turn(&mut self, context: Context<'_>, error: EventError) {
        let closing = Closing::Error(interrupted("the turn failed"));
        let kind = TurnEventKind::TurnError {
            error_code: error.code,
            error_message: error.message,
            error_class: None,
        };
        self.end_turn(context, &closing, kind);
    }

    /// Notes that something of a turn is now known outside.
    pub(super) fn note_shown(&mut self, identity: &Identity) {
        match &mut self.turn {
            OpenTurn::Open { turn_id, told, .. } if *turn_id == identity.turn_id => {
                if *told == Told::Nothing {
                    *told = Told::Items;
                }
            }
            OpenTurn::None | OpenTurn::Open { .. } | OpenTurn::Ended => {
                if self.guests.iter().all(|(turn_id, _)| *turn_id != identity.turn_id) {
                    self.guests.push((identity.turn_id.clone(), identity.session_id.clone()));
                }
            }
        }
    }

    pub(super) fn destroy_turns(&mut self, reason: Option<&DestroyReason>) {
        let message = reason.map_or("the session ended", |reason| &reason.message);
        let open = std::mem::replace(&mut self.turn, OpenTurn::Ended);
        self.end_guests(message);
        if let OpenTurn::Open { turn_id, session_id, told: Told::Start | Told::Items } = open {
            self.tell_end(turn_id, session_id, interruption(message));
        }
        self.forget_turn();
    }

    fn open_turn(&mut self, event: &StreamEventEnvelope, told: Told) {
        self.turn = OpenTurn::Open {
            turn_id: event.turn_id.clone(),
            session_id: event.session_id.clone(),
            told,
        };
    }

    /// Ends the turn that the event names: the open one with all its guests, or a guest alone.
    fn end_turn(&mut self, context: Context<'_>, closing: &Closing, kind: TurnEventKind) {
        let event = context.event;
        if !matches!(&self.turn, OpenTurn::Open { turn_id, .. } if *turn_id == event.turn_id) {
            self.close_items(Scope::Only(&event.turn_id), closing, event.timestamp, context.now);
            self.guests.retain(|(turn_id, _)| *turn_id != event.turn_id);
            return self.tell_end(event.turn_id.clone(), event.session_id.clone(), kind);
        }
        self.close_items(Scope::Only(&event.turn_id), closing, event.timestamp, context.now);
        // What guests left open was cut short, however well this turn ended.
        let cut_short = Closing::Error(interrupted("the turn beside it ended"));
        self.close_items(Scope::All, &cut_short, event.timestamp, context.now);
        self.end_guests("the turn beside it ended");
        self.tell_end(event.turn_id.clone(), event.session_id.clone(), kind);
        self.forget_turn();
    }

    /// Ends the open turn because another one begins. What was there of the other one before its start stays.
    fn supersede_turn(&mut self, context: Context<'_>) {
        let next = &context.event.turn_id;
        let error = interrupted("the next turn began before this one ended");
        let closing = Closing::Error(error.clone());
        self.close_items(Scope::AllBut(next), &closing, context.event.timestamp, context.now);
        let guests = self.guests.len();
        self.guests.retain(|(turn_id, _)| turn_id != next);
        if self.guests.len() == guests {
            self.items.clear_all_but(next);
        }
        self.end_guests(&error.message);
        let open = std::mem::replace(&mut self.turn, OpenTurn::Ended);
        // Nothing is told of a turn that nobody has heard of.
        if let OpenTurn::Open { turn_id, session_id, told: Told::Start | Told::Items } = open {
            self.tell_end(turn_id, session_id, interruption(&error.message));
        }
    }

    fn end_guests(&mut self, message: &str) {
        for (turn_id, session_id) in std::mem::take(&mut self.guests) {
            self.tell_end(turn_id, session_id, interruption(message));
        }
    }

    fn tell_end(&mut self, turn_id: TurnId, session_id: SessionId, kind: TurnEventKind) {
        self.ended.add(turn_id.clone());
        self.emit_turn(turn_id, session_id, kind);
    }

    /// Tool correlation does not survive a turn.
    fn forget_turn(&mut self) {
        self.turn = OpenTurn::Ended;
        self.items.clear();
        self.provider_id = ProviderId::from("");
    }
}

fn failure(done: &ResponseDone) -> EventError {
    done.error.clone().unwrap_or_else(|| EventError {
        code: done.finish_reason.as_deref().map_or(ErrorCode::RESPONSE_ERROR, ErrorCode::from),
        message: "Response finished with error status".to_owned(),
    })
}

fn interrupted(message: &str) -> EventError {
    EventError { code: ErrorCode::INTERRUPTED, message: message.to_owned() }
}

fn interruption(message: &str) -> TurnEventKind {
    TurnEventKind::TurnError {
        error_code: ErrorCode::INTERRUPTED,
        error_message: message.to_owned(),
        error_class: None,
    }
}
