//! The connections that have not shown a credential yet: a bounded number of them.
//!
//! When there are as many as may be, a new one takes the place of the oldest that stopped in the middle of a head, else of the
//! oldest. A client that has a credential shows it with its first request, in one piece, and may take a moment between coming
//! and speaking: those who stop in the middle do not push it out. As many who come in that moment and say nothing still do.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use super::admission::Admission;

#[derive(Debug)]
pub(super) struct Strangers {
    places: Arc<Semaphore>,
    /// The oldest first. Those that left or were admitted stay until they are looked at, at most as many again.
    waiting: Mutex<VecDeque<Arc<Admission>>>,
    most: usize,
}

impl Strangers {
    pub(super) fn new(most: usize) -> Arc<Self> {
        let places = Arc::new(Semaphore::new(most));
        Arc::new(Self { places, waiting: Mutex::default(), most })
    }

    /// Makes room for one more, at the cost of the oldest if need be.
    pub(super) async fn take_in(&self) -> Arc<Admission> {
        if self.places.available_permits() == 0 {
            // What those who are here have said since is heard first: one of them may be about to be known.
            tokio::task::yield_now().await;
        }
        if self.places.available_permits() == 0 {
            self.end_oldest();
        }
        let place = self.places.clone().acquire_owned().await.ok();
        let admission = Arc::new(Admission::new(place, CancellationToken::new()));
        let mut waiting = self.lock();
        if waiting.len() >= 2 * self.most {
            waiting.retain(|known| known.is_waiting());
        }
        waiting.push_back(admission.clone());
        admission
    }

    fn end_oldest(&self) {
        let mut waiting = self.lock();
        let short = waiting.iter().position(|known| known.stopped_short());
        let oldest = short.or_else(|| waiting.iter().position(|known| known.is_waiting()));
        if let Some(ended) = oldest.and_then(|at| waiting.remove(at)) {
            tracing::debug!("too many connections without a credential: the oldest is ended");
            ended.end();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, VecDeque<Arc<Admission>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
