//! How a pump ends: because it is told to, or because its agent does.

use std::time::Duration;

use claude::stdin::ControlRequest;
use claude::{StopAction, TurnState};
use contract::ErrorCode;
use futures_util::future::BoxFuture;
use pipeline::Moment;
use tokio::sync::oneshot;

use super::pump::{Asked, Pump};
use crate::provider::{ProviderError, ProviderErrorCode, ProviderNotice};

/// How long an interrupted turn has to end before its agent is ended.
const TURN_DEADLINE: Duration = Duration::from_secs(1);
/// How long the rest of an ended agent's output is waited for.
const LAST_WORDS_DEADLINE: Duration = Duration::from_secs(1);

/// How far the end of the agent has come.
#[derive(Default)]
pub(super) enum Ending {
    #[default]
    No,
    /// Killed: the turn is interrupted first, until this deadline.
    Interrupting {
        deadline: Moment,
        killers: Vec<oneshot::Sender<()>>,
    },
    Closing {
        closing: BoxFuture<'static, ()>,
        killers: Vec<oneshot::Sender<()>>,
    },
    /// The agent is gone; what it said last is read until this deadline.
    Draining {
        deadline: Moment,
        reason: Option<String>,
        killers: Vec<oneshot::Sender<()>>,
    },
}

impl Pump {
    /// The turn is interrupted first, so that it ends in order; then the agent is ended.
    pub(super) async fn kill(&mut self, done: oneshot::Sender<()>) {
        match &mut self.talk.ending {
            Ending::Interrupting { killers, .. }
            | Ending::Closing { killers, .. }
            | Ending::Draining { killers, .. } => killers.push(done),
            Ending::No => {
                // Messages behind the turn that is stopped are not to begin meanwhile.
                for waiting in self.translator.waiting_behind_a_turn() {
                    let request = ControlRequest::CancelMessage(waiting.clone());
                    self.ask(request, Asked::TakeBack(waiting));
                }
                let is_idle = self.translator.stop(None) == StopAction::Nothing;
                if !is_idle && let Err(error) = self.interrupt().await {
                    tracing::debug!(%error, "the turn could not be interrupted");
                }
                let wait = if is_idle { Duration::ZERO } else { TURN_DEADLINE };
                let deadline = self.shared.environment.now().moment + wait;
                self.talk.ending = Ending::Interrupting { deadline, killers: vec![done] };
            }
        }
    }

    /// Goes on to the next step of the end when the one before is done.
    pub(super) fn advance_ending(&mut self) {
        let now = self.shared.environment.now().moment;
        let is_idle =
            self.translator.turn_state() == TurnState::Idle && !self.translator.has_waiting();
        if let Ending::Interrupting { deadline, killers } = &mut self.talk.ending
            && (is_idle || *deadline <= now)
        {
            let control = self.agent.control.clone();
            let closing: BoxFuture<'static, ()> = Box::pin(async move { control.close().await });
            self.talk.ending = Ending::Closing { closing, killers: std::mem::take(killers) };
        }
    }

    /// The agent is gone: by itself if there is a `reason`, else because it was closed.
    pub(super) fn note_ended(&mut self, reason: Option<String>) {
        let deadline = self.shared.environment.now().moment + LAST_WORDS_DEADLINE;
        let (killers, reason) = match std::mem::take(&mut self.talk.ending) {
            Ending::No => (Vec::new(), reason),
            Ending::Interrupting { killers, .. } | Ending::Closing { killers, .. } => {
                (killers, None)
            }
            Ending::Draining { killers, reason, .. } => (killers, reason),
        };
        self.talk.ending = Ending::Draining { deadline, reason, killers };
    }

    pub(super) fn is_drained(&self) -> bool {
        let now = self.shared.environment.now().moment;
        matches!(&self.talk.ending, Ending::Draining { deadline, .. } if *deadline <= now)
    }

    /// Nothing more will come. Whatever is open ends, and everybody is told.
    pub(super) async fn end(mut self) {
        let (reason, killers) = self.why().await;
        let now = self.shared.environment.now();
        let (code, message) = match &reason {
            Some(reason) => (ErrorCode::PROCESS_CRASH, reason.as_str()),
            None => (ErrorCode::INTERRUPTED, recording::DISMISSED),
        };
        self.translator.end(code, message, now);
        self.emit().await;
        for (_, reply) in std::mem::take(&mut self.talk.beginning) {
            reply.send(Err(ProviderError::new(ProviderErrorCode::ProcessCrash, message))).ok();
        }
        let odd = self.translator.odd_lines();
        tracing::debug!(?odd, reason = message, "the agent is gone");
        self.shared.handle.set_dead();
        if reason.is_some() {
            let notice = ProviderNotice::Exited { message: message.to_owned() };
            self.shared.emitter.notice(&self.shared.memory.session, notice).await;
        }
        // Whoever killed it may have gone away.
        killers.into_iter().for_each(|done| done.send(()).unwrap_or_default());
    }

    /// Why the agent ended by itself, or nothing if it was ended by us, and who waits for it.
    async fn why(&mut self) -> (Option<String>, Vec<oneshot::Sender<()>>) {
        match std::mem::take(&mut self.talk.ending) {
            Ending::Draining { reason, killers, .. } => (reason, killers),
            Ending::Interrupting { killers, .. } => {
                self.agent.control.close().await;
                (None, killers)
            }
            Ending::Closing { closing, killers } => {
                closing.await;
                (None, killers)
            }
            // Its output ended first. It may only have closed it: then it is of no more use.
            Ending::No => {
                let ended = tokio::time::timeout(LAST_WORDS_DEADLINE, &mut self.agent.ended).await;
                if ended.is_err() {
                    self.agent.control.close().await;
                }
                (
                    Some(ended.unwrap_or_else(|_| recording::describe_end(claude::NAME, None, ""))),
                    Vec::new(),
                )
            }
        }
    }
}

impl Ending {
    pub(super) fn deadline(&self) -> Option<Moment> {
        match self {
            Self::Interrupting { deadline, .. } | Self::Draining { deadline, .. } => {
                Some(*deadline)
            }
            Self::No | Self::Closing { .. } => None,
        }
    }

    pub(super) async fn closed(&mut self) {
        match self {
            Self::Closing { closing, .. } => closing.await,
            Self::No | Self::Interrupting { .. } | Self::Draining { .. } => {
                std::future::pending::<()>().await;
            }
        }
    }
}
