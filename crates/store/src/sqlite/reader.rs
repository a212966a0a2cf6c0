//! Threads that read, each with a connection of its own: readers wait neither for the writer nor for each other.

use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::stopped;
use crate::StoreError;

/// Reads that wait; when full, whoever asks waits.
const QUEUE: usize = 256;
/// A long page does not hold up a short one.
pub(super) const READERS: usize = 3;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;
pub(super) type Jobs = Arc<Mutex<mpsc::Receiver<Job>>>;

#[derive(Clone, Debug)]
pub(super) struct Readers {
    jobs: mpsc::Sender<Job>,
}

impl Readers {
    pub(super) fn new() -> (Self, Jobs) {
        let (jobs, receiver) = mpsc::channel(QUEUE);
        (Self { jobs }, Arc::new(Mutex::new(receiver)))
    }

    pub(super) async fn read<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // Nobody waits for it any more: the next one is more urgent.
            if !reply.is_closed() {
                reply.send(act(connection)).ok();
            }
        });
        self.jobs.send(job).await.map_err(|_| stopped())?;
        answer.await.map_err(|_| stopped())?
    }
}

/// Runs until nobody can ask any more.
pub(super) fn run(mut connection: Connection, jobs: &Jobs) {
    // The lock is held by the one that waits for the next job, and given up before it is done.
    let next = || jobs.lock().unwrap_or_else(PoisonError::into_inner).blocking_recv();
    while let Some(job) = next() {
        job(&mut connection);
    }
}
