//! After a crash the file is looked over, beside everything else.
//!
//! Of gigabytes that takes long, and who ends the server is not kept waiting for it.

use std::fmt;
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::{Connection, ErrorCode, InterruptHandle};

const LOOK: Duration = Duration::from_millis(1);

pub(super) struct PageCheck {
    interrupt: InterruptHandle,
    thread: JoinHandle<()>,
}

impl PageCheck {
    pub(super) fn begin(connection: Connection) -> std::io::Result<Self> {
        let interrupt = connection.get_interrupt_handle();
        let thread = std::thread::Builder::new().name("journal-check".to_owned());
        let thread = thread.spawn(move || check_pages(&connection))?;
        Ok(Self { interrupt, thread })
    }

    /// Breaks it off. It is asked until it ends, for what has not begun cannot be interrupted.
    pub(super) fn end(self) {
        while !self.thread.is_finished() {
            self.interrupt.interrupt();
            std::thread::sleep(LOOK);
        }
        self.thread.join().ok();
    }
}

impl fmt::Debug for PageCheck {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("PageCheck").finish_non_exhaustive()
    }
}

/// Told, not acted upon. What is lost is lost, and the rest is better readable than not.
fn check_pages(connection: &Connection) {
    match damage(connection) {
        Ok(None) => tracing::info!("the journal was closed badly and is whole"),
        Ok(Some(problem)) => tracing::error!(problem, "the journal is damaged"),
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::OperationInterrupted) => {}
        Err(error) => tracing::error!(%error, "the journal cannot be checked"),
    }
}

/// What is wrong with the file, if anything is.
pub(super) fn damage(connection: &Connection) -> rusqlite::Result<Option<String>> {
    let found = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get::<_, String>(0))?;
    Ok(Some(found).filter(|found| found != "ok"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_check_that_would_never_end_is_broken_off() {
        let connection = Connection::open_in_memory().unwrap();
        let interrupt = connection.get_interrupt_handle();
        let endless =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n";
        let thread = std::thread::spawn(move || {
            let ended = connection.query_row(endless, [], |row| row.get::<_, i64>(0));
            assert_eq!(
                ended.unwrap_err().sqlite_error_code(),
                Some(ErrorCode::OperationInterrupted)
            );
        });
        PageCheck { interrupt, thread }.end();
    }
}
