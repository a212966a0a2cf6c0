//! Places of sessions that are being made: however many are made at once, no more are kept than may be.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::sync::Semaphore;

#[derive(Debug)]
pub(super) struct Places {
    /// For one: between counting and holding, and between writing and giving back, nobody else counts. Others wait.
    pub(super) door: Semaphore,
    held: Arc<AtomicUsize>,
}

/// Room for one session. It is given back when this is dropped, as when an agent does not start.
#[derive(Debug)]
pub(super) struct Place {
    held: Arc<AtomicUsize>,
}

impl Default for Places {
    fn default() -> Self {
        Self { door: Semaphore::new(1), held: Arc::default() }
    }
}

impl Places {
    pub(super) fn held(&self) -> usize {
        self.held.load(Ordering::Acquire)
    }

    pub(super) fn hold(&self) -> Place {
        self.held.fetch_add(1, Ordering::AcqRel);
        Place { held: self.held.clone() }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.held.fetch_sub(1, Ordering::AcqRel);
    }
}
