//! What was committed is brought from the log into the file by a thread of its own: a commit does not wait for it. When nothing
//! is written for a while it also gives back room: the log's, and that of what was removed.

use std::ffi::c_int;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::hooks::Wal;

/// New pages of the log that are worth bringing over.
const SOME: c_int = 1000;
/// A log that long is brought over by the writer, which then begins it anew. While it writes without a pause nobody else
/// can: there is always something that was written since.
const LONGEST: c_int = 8000;

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
}

#[derive(Default)]
struct Commits {
    count: AtomicU64,
    is_resting: AtomicBool,
}

/// Has the writer tell whenever the log has grown, in place of doing it itself after each thousandth page.
pub(super) fn delegate(writer: &mut Connection) -> rusqlite::Result<Due> {
    // Past two nothing more needs to be told: all is brought over at once.
    let (tell, news) = sync_channel(2);
    let commits = Arc::new(Commits::default());
    commits.is_resting.store(true, Ordering::Release);
    let (mut told, noted) = (0, commits.clone());
    writer.wal_hook(Some(move |log: &mut Wal, pages: c_int| {
        noted.count.fetch_add(1, Ordering::AcqRel);
        if noted.is_resting.swap(false, Ordering::AcqRel) {
            tell.try_send(News::Begun).ok();
        }
        after_commit(log, pages, &mut told, &tell);
        Ok(())
    }))?;
    Ok(Due { told: news, commits })
}

fn after_commit(log: &mut Wal, pages: c_int, told: &mut c_int, tell: &SyncSender<News>) {
    if pages < *told {
        // It was begun anew.
        *told = 0;
    }
    if pages >= LONGEST {
        // Whether it works or not, everything is committed; the next commit tries again.
        log.checkpoint().ok();
    } else if pages - *told >= SOME {
        *told = pages;
        // Told already is told.
        tell.try_send(News::Grown).ok();
    }
}

/// Nobody waits for this: whatever else there is to do goes first.
fn step_back() {
    // Elsewhere this would be about the whole process.
    #[cfg(target_os = "linux")]
    if let Err(error) = rustix::process::setpriority_process(None, 10) {
        tracing::debug!(%error, "the journal's log is brought over at the usual priority");
    }
}

/// Runs until the writer is gone. What fails, for want of room mostly, is tried again with the next.
pub(super) fn run(connection: &Connection, log: &Path, due: &Due, quiet: Duration) {
    step_back();
    if let Err(error) = connection.busy_timeout(PATIENCE) {
        tracing::debug!(%error, "the journal's log is waited for as long as usual");
    }
    // The first commit after a rest wakes it, and it stays awake until nothing is written any more.
    while let Ok(first) = due.told.recv() {
        take(&first, connection);
        let Some(()) = stay_awake(connection, log, due, quiet) else { return };
    }
}

/// Until it rests; nothing once the writer is gone.
fn stay_awake(connection: &Connection, log: &Path, due: &Due, quiet: Duration) -> Option<()> {
    let commits = || due.commits.count.load(Ordering::Acquire);
    let mut seen = commits();
    loop {
        match due.told.recv_timeout(quiet) {
            Ok(news) => take(&news, connection),
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

fn take(news: &News, connection: &Connection) {
    match news {
        News::Grown => bring_over(connection),
        News::Begun => {}
    }
}

fn bring_over(connection: &Connection) {
    let brought = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    if let Err(error) = brought {
        tracing::warn!(%error, "the journal's log could not be brought over");
    }
}

/// Gives back room, in small steps, for as long as nothing is written.
fn rest(connection: &Connection, log: &Path, due: &Due, seen: u64) {
    let is_quiet = || due.commits.count.load(Ordering::Acquire) == seen;
    let given_back = give_back_pages(connection, &is_quiet).and_then(|()| {
        let is_long = log.metadata().is_ok_and(|log| log.len() > LONG_LOG);
        if is_long && is_quiet() {
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        }
        Ok(())
    });
    if let Err(error) = given_back {
        tracing::debug!(%error, "the journal keeps its room until it rests again");
    }
}

fn give_back_pages(connection: &Connection, is_quiet: &impl Fn() -> bool) -> rusqlite::Result<()> {
    let free = || connection.pragma_query_value(None, "freelist_count", |row| row.get::<_, i64>(0));
    let mut left = free()?;
    if left < FREE_PAGES {
        return Ok(());
    }
    while left > 0 && is_quiet() {
        connection.execute_batch(&format!("PRAGMA incremental_vacuum({FREED_AT_ONCE})"))?;
        let now = free()?;
        if now >= left {
            // A file that was made without this cannot be made smaller.
            break;
        }
        left = now;
    }
    Ok(())
}
