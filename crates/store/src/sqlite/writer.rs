//! The one thread that writes. What waits when a commit begins shares it: one flush to the disk for all.

use std::collections::HashMap;
use std::sync::Arc;

use contract::SessionId;
use rusqlite::{Connection, ErrorCode};
use tokio::sync::{mpsc, oneshot};

use super::checkpoints::Renewal;
use super::growth::Growth;
use super::session_rows::Place;
use super::word_index::Poke;
use super::{broken, stopped};
use crate::StoreError;

/// Jobs that share a commit.
const BATCH: usize = 64;
/// Jobs that wait; when full, whoever asks waits.
pub(super) const QUEUE: usize = 256;

/// Writes, unless the transaction has failed already, and gives out what to say once it is committed or has failed.
type Job = Box<dyn FnOnce(Option<&mut Tables>) -> Answer + Send>;
type Answer = Box<dyn FnOnce(Result<(), Arc<rusqlite::Error>>) + Send>;

/// What the writer works on. What it remembers is true of the rows as they are inside the open transaction.
#[derive(Debug)]
pub(super) struct Tables {
    pub(super) connection: Connection,
    pub(super) sessions: HashMap<SessionId, Place>,
    pub(super) growth: Growth,
    /// Whether the job has the transaction to itself: then it can be taken back with it, which costs less.
    is_alone: bool,
}

impl Tables {
    pub(super) fn new(connection: Connection) -> Self {
        let (sessions, growth) = (HashMap::new(), Growth::default());
        Self { connection, sessions, growth, is_alone: false }
    }

    /// Rows were taken back: what is remembered of them does not hold.
    fn forget(&mut self) {
        self.sessions.clear();
        self.growth.forget();
    }

    /// Takes back everything since the last commit.
    fn give_up(&mut self) {
        self.forget();
        // Some failures, such as a full disk, have ended the transaction already.
        if self.has_begun() {
            self.connection.execute_batch("ROLLBACK").ok();
        }
    }

    fn has_begun(&self) -> bool {
        !self.connection.is_autocommit()
    }
}

#[derive(Clone, Debug)]
pub(super) struct Writer {
    jobs: mpsc::Sender<Job>,
}

impl Writer {
    pub(super) fn new() -> (Self, mpsc::Receiver<Job>) {
        let (jobs, receiver) = mpsc::channel(QUEUE);
        (Self { jobs }, receiver)
    }

    /// Jobs that wait, without those whose askers wait for a place.
    pub(super) fn waiting(&self) -> usize {
        self.jobs.max_capacity() - self.jobs.capacity()
    }

    /// Does something all or not at all, and answers when it is on the disk.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut Tables) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |tables| {
            let result = tables.map_or_else(|| Err(not_tried()), |open| all_or_nothing(open, act));
            // Whoever asked may have gone away; what was written stays.
            Box::new(move |committed| {
                let told = result.and_then(|value| match committed {
                    Ok(()) => Ok(value),
                    Err(error) => Err(broken(error)),
                });
                reply.send(told).ok();
            })
        });
        self.jobs.send(job).await.map_err(|_| stopped())?;
        answer.await.map_err(|_| stopped())?
    }
}

fn all_or_nothing<T>(
    tables: &mut Tables,
    act: impl FnOnce(&mut Tables) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    if !tables.is_alone {
        return within_savepoint(tables, act);
    }
    // One that did not notice that its transaction was taken back has written nothing.
    let result = act(tables).and_then(|value| match tables.has_begun() {
        true => Ok(value),
        false => Err(not_tried()),
    });
    if result.is_err() {
        tables.give_up();
    }
    result
}

fn within_savepoint<T>(
    tables: &mut Tables,
    act: impl FnOnce(&mut Tables) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    step(&tables.connection, "SAVEPOINT job").map_err(broken)?;
    let result = act(tables);
    let ended = match &result {
        Ok(_) => step(&tables.connection, "RELEASE job"),
        Err(_) => {
            tables.forget();
            tables.connection.execute_batch("ROLLBACK TO job; RELEASE job")
        }
    };
    if ended.is_err() {
        tables.give_up();
    }
    result.and_then(|value| ended.map(|()| value).map_err(broken))
}

/// What is said with every job is read once.
fn step(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([]).map(drop)
}

/// Runs until nobody can ask any more.
pub(super) fn run(
    mut tables: Tables,
    mut jobs: mpsc::Receiver<Job>,
    mut log: Renewal,
    words: &Poke,
) {
    // Everything that is said waits for this thread.
    if let Err(error) = scheduling::ask_for_short_slices() {
        tracing::debug!(%error, "the journal is written in slices of the usual length");
    }
    while let Some(first) = jobs.blocking_recv() {
        let waiting = std::iter::from_fn(|| jobs.try_recv().ok());
        let batch: Vec<Job> = std::iter::once(first).chain(waiting.take(BATCH - 1)).collect();
        commit(&mut tables, batch);
        words.grown();
        log.consider(&tables.connection, !jobs.is_empty());
    }
    // A file that is closed well has all in one place.
    tables.connection.execute_batch("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE)").ok();
}

fn commit(tables: &mut Tables, batch: Vec<Job>) {
    tables.is_alone = batch.len() == 1;
    let begun = step(&tables.connection, "BEGIN IMMEDIATE");
    // Without a transaction each job would be one of its own: kept, and told to have failed.
    let answers = batch.into_iter().map(|job| {
        let is_open = tables.has_begun();
        job(is_open.then_some(&mut *tables))
    });
    let answers: Vec<Answer> = answers.collect();
    let committed = begun.and_then(|()| end(tables));
    let committed = committed.map_err(|error| {
        tables.give_up();
        report(&error);
        Arc::new(error)
    });
    answers.into_iter().for_each(|answer| answer(committed.clone()));
}

fn end(tables: &Tables) -> rusqlite::Result<()> {
    // The only job has failed, and whoever asked is told why.
    if tables.is_alone && !tables.has_begun() {
        return Ok(());
    }
    step(&tables.connection, "COMMIT")
}

fn report(error: &rusqlite::Error) {
    let is_full = error.sqlite_error_code() == Some(ErrorCode::DiskFull);
    tracing::error!(%error, is_full, "a commit failed; nothing of it is kept");
}

fn not_tried() -> StoreError {
    broken("the transaction had failed before")
}
