//! What can be asked of a running agent's task, and the way to it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use contract::{ModeId, SessionOptions, TurnId};
use tokio::sync::{mpsc, oneshot};

use crate::provider::{OutgoingMessage, ProviderError, ProviderErrorCode};

/// The answer to a command. Dropped means: the agent is gone.
pub(in crate::provider) type Reply<T> = oneshot::Sender<Result<T, ProviderError>>;

#[derive(Debug)]
pub(in crate::provider) enum Command<C> {
    /// Answered when the message's turn has begun.
    Send(TurnId, OutgoingMessage, Reply<TurnId>),
    /// Answered when the interrupt is on its way.
    Cancel(Option<TurnId>, Reply<()>),
    /// Answered with what the agent answered.
    Control(C, Reply<Option<String>>),
    /// Answered when the agent is gone and everything it said has been told.
    Kill(oneshot::Sender<()>),
}

/// The way to the task of a running agent; `C` is what it can be asked beside messages.
#[derive(Debug)]
pub(in crate::provider) struct AgentHandle<C> {
    /// When full, whoever asks waits.
    commands: mpsc::Sender<Command<C>>,
    options: Arc<Mutex<SessionOptions>>,
    is_dead: Arc<AtomicBool>,
}

/// By hand, because what can be asked need not be `Clone`.
impl<C> Clone for AgentHandle<C> {
    fn clone(&self) -> Self {
        Self {
            commands: self.commands.clone(),
            options: self.options.clone(),
            is_dead: self.is_dead.clone(),
        }
    }
}

impl<C> AgentHandle<C> {
    pub(in crate::provider) fn new(options: SessionOptions) -> (Self, mpsc::Receiver<Command<C>>) {
        let (commands, receiver) = mpsc::channel(16);
        let options = Arc::new(Mutex::new(options));
        (Self { commands, options, is_dead: Arc::default() }, receiver)
    }

    pub(in crate::provider) async fn ask<T>(
        &self,
        command: impl FnOnce(Reply<T>) -> Command<C>,
    ) -> Result<T, ProviderError> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(command(reply)).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?
    }

    /// Returns when the agent is gone, by this or by itself.
    pub(in crate::provider) async fn kill(&self) {
        let (done, ended) = oneshot::channel();
        if self.commands.send(Command::Kill(done)).await.is_ok() {
            // An error means that the task ended first, which is what was wanted.
            drop(ended.await);
        }
        // The task may still be telling the last words of an agent that died meanwhile.
        self.commands.closed().await;
    }

    pub(in crate::provider) fn is_alive(&self) -> bool {
        !self.is_dead.load(Ordering::Acquire) && !self.commands.is_closed()
    }

    /// Nothing can be asked of the agent any more, though its task may still be telling its end.
    pub(in crate::provider) fn set_dead(&self) {
        self.is_dead.store(true, Ordering::Release);
    }

    pub(in crate::provider) fn is_same(&self, other: &Self) -> bool {
        self.commands.same_channel(&other.commands)
    }

    pub(in crate::provider) fn options(&self) -> SessionOptions {
        self.options.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(in crate::provider) fn mode(&self) -> Option<ModeId> {
        self.options.lock().unwrap_or_else(PoisonError::into_inner).current_mode_id.clone()
    }

    pub(in crate::provider) fn update_options(&self, update: impl FnOnce(&mut SessionOptions)) {
        update(&mut self.options.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

pub(in crate::provider) fn gone() -> ProviderError {
    ProviderError::new(ProviderErrorCode::ProcessCrash, "the agent is not running")
}
