//! How a pump ends: because it is told to, or because its agent does.
//!
//! Told to, the turn is stopped first; then the session is let go of, because some agents leave the commands of a turn
//! running and end them only with its session; then the process and everything below it is ended.

use std::time::Duration;

use contract::ErrorCode;
use futures_util::future::BoxFuture;
use pipeline::Moment;
use tokio::sync::oneshot;

use super::pump::Pump;
use crate::provider::{ProviderError, ProviderErrorCode, ProviderNotice};

/// How long a stopped turn has to end, and then a session to be let go of.
const STEP: Duration = Duration::from_secs(1);
/// How long the rest of an ended agent's output is waited for.
const LAST_WORDS: Duration = Duration::from_secs(1);

type Killers = Vec<oneshot::Sender<()>>;

/// How far the end of the agent has come.
#[derive(Default)]
pub(super) enum Ending {
    #[default]
    No,
    /// The turn was stopped; until this deadline it may end.
    Stopping {
        deadline: Moment,
        killers: Killers,
    },
    /// The session is let go of, until this deadline.
    LettingGo {
        deadline: Moment,
        killers: Killers,
    },
    Closing {
        closing: BoxFuture<'static, ()>,
        reason: Option<String>,
        killers: Killers,
    },
    /// The agent is gone; what it said last is read until this deadline.
    Draining {
        deadline: Moment,
        reason: Option<String>,
        killers: Killers,
    },
}

impl Pump {
    pub(super) fn kill(&mut self, done: oneshot::Sender<()>) {
        let now = self.shared.environment.now();
        match &mut self.talk.ending {
            Ending::Stopping { killers, .. }
            | Ending::LettingGo { killers, .. }
            | Ending::Closing { killers, .. }
            | Ending::Draining { killers, .. } => killers.push(done),
            Ending::No => {
                // A message behind the turn that is stopped is not to begin meanwhile.
                self.client.take_back_waiting();
                self.client.stop(None, now);
                let deadline = now.moment + STEP;
                self.talk.ending = Ending::Stopping { deadline, killers: vec![done] };
            }
        }
    }

    /// The agent is of no more use.
    pub(super) fn give_up(&mut self, reason: &str) {
        let reason = Some(reason.to_owned());
        self.talk.ending =
            Ending::Closing { closing: self.close(), reason, killers: Killers::new() };
    }

    /// Goes on to the next step of the end when the one before is done.
    pub(super) fn advance_ending(&mut self) {
        let now = self.shared.environment.now().moment;
        let is_done = match &self.talk.ending {
            Ending::Stopping { deadline, .. } => self.client.is_idle() || *deadline <= now,
            Ending::LettingGo { deadline, .. } => *deadline <= now,
            Ending::No | Ending::Closing { .. } | Ending::Draining { .. } => false,
        };
        if !is_done {
            return;
        }
        match std::mem::take(&mut self.talk.ending) {
            Ending::Stopping { killers, .. } => {
                self.talk.ending = Ending::LettingGo { deadline: now + STEP, killers };
                self.client.close();
            }
            Ending::LettingGo { killers, .. } => {
                self.talk.ending = Ending::Closing { closing: self.close(), reason: None, killers };
            }
            ending @ (Ending::No | Ending::Closing { .. } | Ending::Draining { .. }) => {
                self.talk.ending = ending;
            }
        }
    }

    /// The agent let go of the session.
    pub(super) fn note_session_closed(&mut self) {
        let now = self.shared.environment.now().moment;
        if let Ending::LettingGo { deadline, .. } = &mut self.talk.ending {
            *deadline = now;
        }
    }

    fn close(&self) -> BoxFuture<'static, ()> {
        let control = self.connection.control.clone();
        Box::pin(async move { control.close().await })
    }

    /// The agent is gone: by itself if there is a `reason`, else because it was closed.
    pub(super) fn note_ended(&mut self, reason: Option<String>) {
        let deadline = self.shared.environment.now().moment + LAST_WORDS;
        let (reason, killers) = match std::mem::take(&mut self.talk.ending) {
            Ending::No => (reason, Killers::new()),
            Ending::Stopping { killers, .. } | Ending::LettingGo { killers, .. } => (None, killers),
            Ending::Closing { reason, killers, .. } | Ending::Draining { reason, killers, .. } => {
                (reason, killers)
            }
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
        self.client.end(code, message, now);
        self.emit().await;
        for (_, reply) in std::mem::take(&mut self.talk.beginning) {
            reply.send(Err(ProviderError::new(ProviderErrorCode::ProcessCrash, message))).ok();
        }
        let odd = self.client.odd_messages();
        tracing::debug!(?odd, reason = message, "the agent is gone");
        self.set_dead();
        if reason.is_some() {
            let notice = ProviderNotice::Exited { message: message.to_owned() };
            self.shared.emitter.notice(&self.shared.memory.session, notice).await;
        }
        // Whoever killed it may have gone away.
        killers.into_iter().for_each(|done| done.send(()).unwrap_or_default());
    }

    /// Why the agent ended by itself, or nothing if it was ended by us, and who waits for it.
    async fn why(&mut self) -> (Option<String>, Killers) {
        match std::mem::take(&mut self.talk.ending) {
            Ending::Draining { reason, killers, .. } => (reason, killers),
            Ending::Stopping { killers, .. } | Ending::LettingGo { killers, .. } => {
                self.connection.control.close().await;
                (None, killers)
            }
            Ending::Closing { closing, reason, killers } => {
                closing.await;
                (reason, killers)
            }
            // Its output ended first. It may only have closed it: then it is of no more use.
            Ending::No => {
                let ended = tokio::time::timeout(LAST_WORDS, &mut self.ended).await;
                if ended.is_err() {
                    self.connection.control.close().await;
                }
                let reason = ended.unwrap_or_else(|_| recording::describe_end("", None, ""));
                (Some(reason), Killers::new())
            }
        }
    }
}

impl Ending {
    pub(super) fn is_no(&self) -> bool {
        matches!(self, Self::No)
    }

    pub(super) fn is_draining(&self) -> bool {
        matches!(self, Self::Draining { .. })
    }

    pub(super) fn deadline(&self) -> Option<Moment> {
        match self {
            Self::Stopping { deadline, .. }
            | Self::LettingGo { deadline, .. }
            | Self::Draining { deadline, .. } => Some(*deadline),
            Self::No | Self::Closing { .. } => None,
        }
    }

    pub(super) async fn closed(&mut self) {
        match self {
            Self::Closing { closing, .. } => closing.await,
            Self::No | Self::Stopping { .. } | Self::LettingGo { .. } | Self::Draining { .. } => {
                std::future::pending::<()>().await;
            }
        }
    }
}
