//! What was committed is brought from the log into the file by a thread of its own: a commit does not wait for it. When nothing
//! is written for a while it also gives back room: the log's, and that of what was removed.
//!
//! A log is begun anew once all of it was brought over. While the writer writes without a pause nobody else can see to that:
//! there is always something that was written since. So the thread brings over nearly all, and the writer the rest, which is
//! little, when nobody waits for it.

use std::ffi::c_int;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::hooks::Wal;

/// New pages of the log that are worth bringing over.
const SOME: c_int = 1000;
/// A log that long is worth beginning anew.
const LONG: c_int = 8000;
/// So many pages the writer brings over between two commits.
const LITTLE: c_int = 256;
/// With a log that long the writer brings over all there is: the thread cannot keep up.
const LONGEST: c_int = LONG + LONG / 2;

/// Without a commit for so long the journal rests.
pub(super) const QUIET: Duration = Duration::from_secs(10);
/// How long the log and those who read are waited for, while whoever writes waits.
const PATIENCE: Duration = Duration::from_millis(100);
/// A log of more bytes is worth emptying.
const LONG_LOG: u64 = 1024 * 1024;
/// Free pages of the file that are worth giving back, and how many at a time. Fewer are soon used again.
const FREE_PAGES: i64 = 1024;
const FREED_AT_ONCE: i64 = 256;

/// When there is something to bring over.
pub(super) struct Due {
    told: Receiver<News>,
    commits: Arc<Commits>,
}

enum News {
    /// The log has grown.
    Grown,
    /// The first commit after a rest.
    Begun,
    /// The words of what has ended are on the disk up to here.
    Added(i64),
}

/// For the index of words, which writes nothing to the journal.
pub(super) struct Added(SyncSender<News>);

impl Added {
    /// The journal need not note any more what has ended up to here. Who is not heard tells again.
    pub(super) fn tell(&self, ended: i64) {
        self.0.try_send(News::Added(ended)).ok();
    }
}

#[derive(Default)]
struct Commits {
    count: AtomicU64,
    is_resting: AtomicBool,
    /// Pages of the log, and how many of them are in the file. The latter may be of the log before, which does no harm: more
    /// is left than was thought.
    length: AtomicI32,
    brought: AtomicI32,
    /// Only one can bring over at a time; the other would be sent away.
    turn: Mutex<()>,
}

impl Commits {
    fn turn(&self) -> MutexGuard<'_, ()> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn left(&self) -> c_int {
        self.length.load(Ordering::Acquire) - self.brought.load(Ordering::Acquire)
    }
}

/// For the writer: the part that only it can do.
#[derive(Default)]
pub(super) struct Renewal {
    commits: Arc<Commits>,
    /// How long the log was when it was last tried: those who read an old state keep the log from being begun anew.
    tried: c_int,
}

impl Renewal {
    /// After a commit. With nobody waiting little is brought over at once, so that the next commit begins the log anew.
    pub(super) fn consider(&mut self, connection: &Connection, is_awaited: bool) {
        let length = self.commits.length.load(Ordering::Acquire);
        if length < self.tried {
            self.tried = 0;
        }
        if length < LONG || length - self.tried < LITTLE {
            return;
        }
        let turn = if length >= LONGEST {
            Some(self.commits.turn())
        } else {
            // Otherwise the thread is at it, or has much to do.
            let is_cheap = !is_awaited && self.commits.left() <= LITTLE;
            is_cheap.then(|| self.commits.turn.try_lock().ok()).flatten()
        };
        if turn.is_some() {
            self.tried = length;
            bring_over(connection, &self.commits);
        }
    }
}

/// Has the writer tell whenever the log has grown, in place of doing it itself after each thousandth page.
pub(super) fn delegate(writer: &mut Connection) -> rusqlite::Result<(Due, Renewal, Added)> {
    // Past two nothing more needs to be told: all is brought over at once.
    let (tell, news) = sync_channel(2);
    let added = Added(tell.clone());
    let commits = Arc::new(Commits::default());
    commits.is_resting.store(true, Ordering::Release);
    let (mut told, noted) = (0, commits.clone());
    writer.wal_hook(Some(move |_: &mut Wal, pages: c_int| {
        noted.count.fetch_add(1, Ordering::AcqRel);
        noted.length.store(pages, Ordering::Release);
        if noted.is_resting.swap(false, Ordering::AcqRel) {
            tell.try_send(News::Begun).ok();
        }
        after_commit(pages, noted.left(), &mut told, &tell);
        Ok(())
    }))?;
    let renewal = Renewal { commits: commits.clone(), tried: 0 };
    Ok((Due { told: news, commits }, renewal, added))
}

fn after_commit(pages: c_int, left: c_int, told: &mut c_int, tell: &SyncSender<News>) {
    if pages < *told {
        // It was begun anew.
        *told = 0;
    }
    // A long log is followed closely, until little is left.
    let step = if pages >= LONG && left > LITTLE { LITTLE } else { SOME };
    if pages - *told >= step {
        *told = pages;
        // Told already is told.
        tell.try_send(News::Grown).ok();
    }
}

/// Nobody waits for this: whatever else there is to do goes first.
pub(super) fn step_back() {
    // Elsewhere this would be about the whole process.
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, 10) {
        tracing::debug!(%error, "the journal's log is brought over at the usual priority");
    }
}

/// Runs until the writer and the index of words are gone. What fails, for want of room mostly, is tried again with the next.
pub(super) fn run(connection: &Connection, log: &Path, due: &Due, quiet: Duration) {
    step_back();
    if let Err(error) = connection.busy_timeout(PATIENCE) {
        tracing::debug!(%error, "the journal's log is waited for as long as usual");
    }
    // The first commit after a rest wakes it, and it stays awake until nothing is written any more.
    while let Ok(first) = due.told.recv() {
        take(&first, connection, due);
        let Some(()) = stay_awake(connection, log, due, quiet) else { return };
    }
}

/// Until it rests; nothing once they are gone.
fn stay_awake(connection: &Connection, log: &Path, due: &Due, quiet: Duration) -> Option<()> {
    let commits = || due.commits.count.load(Ordering::Acquire);
    let mut seen = commits();
    loop {
        match due.told.recv_timeout(quiet) {
            Ok(news) => take(&news, connection, due),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) if commits() == seen => {
                rest(connection, log, due, seen);
                due.commits.is_resting.store(true, Ordering::Release);
                if commits() == seen {
                    return Some(());
                }
                // It was written to before it was known to rest.
                due.commits.is_resting.store(false, Ordering::Release);
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        seen = commits();
    }
}

fn take(news: &News, connection: &Connection, due: &Due) {
    match news {
        News::Grown => {
            let _turn = due.commits.turn();
            bring_over(connection, &due.commits);
        }
        News::Begun => {}
        News::Added(ended) => forget(connection, *ended),
    }
}

fn forget(connection: &Connection, ended: i64) {
    // But for the newest, or its number would be given again.
    let sql = "DELETE FROM ended WHERE n <= ?1 AND n < (SELECT max(n) FROM ended)";
    if let Err(error) = connection.execute(sql, [ended]) {
        tracing::debug!(%error, "what has ended is forgotten later");
    }
}

/// As far as nobody is in the way, by whoever's turn it is. Whether it works or not, everything is committed.
fn bring_over(connection: &Connection, commits: &Commits) {
    let brought = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| row.get(2));
    match brought {
        Ok(pages) if pages >= 0 => commits.brought.store(pages, Ordering::Release),
        // Another is at it.
        Ok(_) => {}
        Err(error) => tracing::warn!(%error, "the journal's log could not be brought over"),
    }
}

/// Gives back room, in small steps, for as long as nothing is written.
fn rest(connection: &Connection, log: &Path, due: &Due, seen: u64) {
    let is_quiet = || due.commits.count.load(Ordering::Acquire) == seen;
    let given_back = give_back_pages(connection, &is_quiet).and_then(|is_smaller| {
        let is_long = log.metadata().is_ok_and(|log| log.len() > LONG_LOG);
        // Also a file that is to be smaller is so only once the log is in it.
        if (is_long || is_smaller) && is_quiet() {
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        }
        Ok(())
    });
    if let Err(error) = given_back {
        tracing::debug!(%error, "the journal keeps its room until it rests again");
    }
}

/// Whether the file is going to be smaller.
fn give_back_pages(
    connection: &Connection,
    is_quiet: &impl Fn() -> bool,
) -> rusqlite::Result<bool> {
    let free = || connection.pragma_query_value(None, "freelist_count", |row| row.get::<_, i64>(0));
    let before = free()?;
    let mut left = before;
    if left < FREE_PAGES {
        return Ok(false);
    }
    let give_back = format!("PRAGMA incremental_vacuum({FREED_AT_ONCE})");
    while left > 0 && is_quiet() {
        // Each row is a page that was given back; whoever does not ask for the next one commits, and flushes, page by page.
        let mut given_back = connection.prepare_cached(&give_back)?;
        let mut pages = given_back.query([])?;
        while pages.next()?.is_some() {}
        let now = free()?;
        if now >= left {
            // A file that was made without this cannot be made smaller.
            break;
        }
        left = now;
    }
    Ok(left < before)
}
