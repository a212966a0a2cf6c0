//! What was committed is brought from the log into the file by a thread of its own: a commit does not wait for it.

use std::ffi::c_int;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use rusqlite::Connection;
use rusqlite::hooks::Wal;

/// New pages of the log that are worth bringing over.
const SOME: c_int = 1000;
/// A log that long is brought over by the writer, which then begins it anew. While it writes without a pause nobody else
/// can: there is always something that was written since.
const LONGEST: c_int = 8000;

/// When there is something to bring over.
pub(super) struct Due(Receiver<()>);

/// Has the writer tell whenever the log has grown, in place of doing it itself after each thousandth page.
pub(super) fn delegate(writer: &mut Connection) -> rusqlite::Result<Due> {
    let (tell, due) = sync_channel(1);
    let mut told = 0;
    writer.wal_hook(Some(move |log: &mut Wal, pages: c_int| {
        after_commit(log, pages, &mut told, &tell);
        Ok(())
    }))?;
    Ok(Due(due))
}

fn after_commit(log: &mut Wal, pages: c_int, told: &mut c_int, tell: &SyncSender<()>) {
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
        tell.try_send(()).ok();
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
pub(super) fn run(connection: &Connection, due: &Due) {
    step_back();
    while due.0.recv().is_ok() {
        let brought = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        if let Err(error) = brought {
            tracing::warn!(%error, "the journal's log could not be brought over");
        }
    }
}
