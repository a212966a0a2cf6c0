//! What can be asked of a running agent's task, and the way to it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use claude::stdin::ControlRequest;
use contract::{SessionOptions, TurnId};
use tokio::sync::{mpsc, oneshot};

use crate::provider::{OutgoingMessage, ProviderError, ProviderErrorCode};

/// The answer to a command. Dropped means: the agent is gone.
pub(super) type Reply<T> = oneshot::Sender<Result<T, ProviderError>>;

#[derive(Debug)]
pub(super) enum Command {
    /// Answered when the message's turn has begun.
    Send(TurnId, OutgoingMessage, Reply<TurnId>),
    /// Answered when the interrupt is on its way.
    Cancel(Option<TurnId>, Reply<()>),
    /// Answered with what the agent answered.
    Control(ControlRequest, Reply<Option<String>>),
    /// Answered when the agent is gone and everything it said has been told.
    Kill(oneshot::Sender<()>),
}

/// The way to the task of a running agent.
#[derive(Clone, Debug)]
pub(super) struct AgentHandle {
    /// When full, whoever asks waits.
    commands: mpsc::Sender<Command>,
    options: Arc<Mutex<SessionOptions>>,
    is_dead: Arc<AtomicBool>,
}

impl AgentHandle {
    pub(super) fn new(options: SessionOptions) -> (Self, mpsc::Receiver<Command>) {
        let (commands, receiver) = mpsc::channel(16);
        let options = Arc::new(Mutex::new(options));
        (Self { commands, options, is_dead: Arc::default() }, receiver)
    }

    pub(super) async fn ask<T>(
        &self,
        command: impl FnOnce(Reply<T>) -> Command,
    ) -> Result<T, ProviderError> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(command(reply)).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// Returns when the agent is gone, by this or by itself.
    pub(super) async fn kill(&self) {
        let (done, ended) = oneshot::channel();
        if self.commands.send(Command::Kill(done)).await.is_ok() {
            // An error means that the task ended first, which is what was wanted.
            drop(ended.await);
        }
        // The task may still be telling the last words of an agent that died meanwhile.
        self.commands.closed().await;
    }

    pub(super) fn is_alive(&self) -> bool {
        !self.is_dead.load(Ordering::Acquire) && !self.commands.is_closed()
    }

    /// Nothing can be asked of the agent any more, though its task may still be telling its end.
    pub(super) fn set_dead(&self) {
        self.is_dead.store(true, Ordering::Release);
    }

    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.commands.same_channel(&other.commands)
    }

    pub(super) fn options(&self) -> SessionOptions {
        self.options.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn update_options(&self, update: impl FnOnce(&mut SessionOptions)) {
        update(&mut self.options.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

pub(super) fn gone() -> ProviderError {
    ProviderError::new(ProviderErrorCode::ProcessCrash, "the agent is not running")
}
