//! How far a connection has come: nobody knows it, it has begun to speak, it has asked for something, it has shown a credential.

use std::sync::{Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, watch};
use tokio_util::sync::CancellationToken;

#[derive(Debug)]
pub(crate) struct Admission {
    /// Held until a credential was shown or the connection is over.
    place: Mutex<Option<OwnedSemaphorePermit>>,
    stage: watch::Sender<Stage>,
    end: CancellationToken,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Stage {
    Silent,
    Begun,
    Heard,
    Admitted,
    Gone,
}

impl Admission {
    pub(super) fn new(place: Option<OwnedSemaphorePermit>, end: CancellationToken) -> Self {
        Self { place: Mutex::new(place), stage: watch::Sender::new(Stage::Silent), end }
    }

    /// Something was read. Said with every read, so it looks before it changes anything.
    pub(super) fn begin(&self) {
        if *self.stage.borrow() == Stage::Silent {
            self.advance(Stage::Begun);
        }
    }

    /// A whole head was read.
    pub(super) fn hear(&self) {
        self.advance(Stage::Heard);
    }

    /// A credential was shown: the connection no longer counts as a stranger's.
    pub(crate) fn admit(&self) {
        self.advance(Stage::Admitted);
        self.leave();
    }

    /// The connection is over.
    pub(super) fn close(&self) {
        self.advance(Stage::Gone);
        self.leave();
    }

    /// Whether it stopped in the middle of a head. Who has a credential says a head in one piece.
    pub(super) fn stopped_short(&self) -> bool {
        *self.stage.borrow() == Stage::Begun
    }

    pub(super) fn is_waiting(&self) -> bool {
        *self.stage.borrow() < Stage::Admitted
    }

    /// Returns once the connection has come this far.
    pub(super) async fn reached(&self, stage: Stage) {
        // The sender is here, so this does not fail.
        self.stage.subscribe().wait_for(|now| *now >= stage).await.ok();
    }

    pub(super) fn end(&self) {
        self.end.cancel();
    }

    pub(super) async fn ended(&self) {
        self.end.cancelled().await;
    }

    fn advance(&self, to: Stage) {
        self.stage.send_if_modified(|now| {
            let is_further = to > *now;
            if is_further {
                *now = to;
            }
            is_further
        });
    }

    fn leave(&self) {
        drop(self.place.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}
