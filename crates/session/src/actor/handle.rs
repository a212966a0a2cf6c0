//! The way to a session. Channels stay inside.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use contract::{Activity, SessionGlance, SessionListItem, SessionStatus};
use store::StoreError;
use tokio::sync::{mpsc, oneshot, watch};
use tokio_util::sync::CancellationToken;

use super::Command;
use crate::core::Reply;
use crate::error::ServiceError;

/// An answer that is on its way.
#[derive(Debug)]
pub struct Pending<T> {
    answer: oneshot::Receiver<Result<T, ServiceError>>,
    stop: CancellationToken,
}

impl<T> Pending<T> {
    pub async fn answer(self) -> Result<T, ServiceError> {
        self.answer.await.map_err(|_| gone(&self.stop))?
    }
}

/// A session that is gone means: the server stops, or it could not keep what happened and is taken up again.
fn gone(stop: &CancellationToken) -> ServiceError {
    if stop.is_cancelled() {
        return ServiceError::ShuttingDown;
    }
    ServiceError::Store(StoreError::Unavailable("the session is taken up again".into()))
}

/// What a session tells of itself as it changes.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    pub(super) status: watch::Receiver<Arc<SessionStatus>>,
    pub(super) glance: watch::Receiver<Option<Arc<SessionGlance>>>,
    /// Whether it takes no more to be said.
    pub(super) is_full: Arc<AtomicBool>,
}

#[derive(Clone, Debug)]
pub(crate) struct SessionHandle {
    /// The session as it was when the actor started; what changes is in `told`.
    created: Arc<SessionListItem>,
    commands: mpsc::Sender<Command>,
    told: Told,
    stop: CancellationToken,
    /// Whether what was said in it before it came here could not be read.
    is_half_told: bool,
}

impl SessionHandle {
    pub(super) fn new(
        created: SessionListItem,
        commands: mpsc::Sender<Command>,
        told: Told,
        stop: CancellationToken,
    ) -> Self {
        Self { created: Arc::new(created), commands, told, stop, is_half_told: false }
    }

    pub(crate) fn half_told(self, is_half_told: bool) -> Self {
        Self { is_half_told, ..self }
    }

    pub(crate) fn is_half_told(&self) -> bool {
        self.is_half_told
    }

    /// Asks the session and waits for its answer.
    pub(crate) async fn ask<T>(
        &self,
        command: impl FnOnce(Reply<T>) -> Command,
    ) -> Result<T, ServiceError> {
        self.begin(command).await?.answer().await
    }

    /// Asks the session. Commands are taken in the order they were begun, however long their answers take.
    pub(crate) async fn begin<T>(
        &self,
        command: impl FnOnce(Reply<T>) -> Command,
    ) -> Result<Pending<T>, ServiceError> {
        let (reply, answer) = oneshot::channel();
        self.commands.send(command(reply)).await.map_err(|_| gone(&self.stop))?;
        Ok(Pending { answer, stop: self.stop.clone() })
    }

    pub(crate) async fn tell(&self, command: Command) {
        // A session that is gone needs no telling.
        drop(self.commands.send(command).await);
    }

    pub(crate) fn created(&self) -> &SessionListItem {
        &self.created
    }

    pub(crate) fn status(&self) -> Arc<SessionStatus> {
        self.told.status.borrow().clone()
    }

    pub(crate) fn is_full(&self) -> bool {
        self.told.is_full.load(Ordering::Acquire)
    }

    /// What it did last, if it did anything.
    pub(crate) fn glance(&self) -> Option<Arc<SessionGlance>> {
        self.told.glance.borrow().clone()
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.commands.is_closed()
    }

    /// Returns when nothing runs or a permission waits; with nothing if the owner went before.
    pub(crate) async fn settled(&self) -> Option<Activity> {
        let mut status = self.told.status.clone();
        let settled = status.wait_for(|status| status.activity != Activity::Running).await;
        settled.ok().map(|status| status.activity)
    }
}
