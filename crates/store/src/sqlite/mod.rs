//! The journal on disk: SQLite with a log of its own, one thread that writes and a few that read.

mod changes;
mod checkpoints;
mod decisions;
#[cfg(test)]
mod full_disk_tests;
mod growth;
mod item_rows;
mod page_check;
mod pages;
mod project_rows;
mod reader;
#[cfg(test)]
mod resting_tests;
mod schema;
mod search;
mod session_rows;
#[cfg(test)]
mod tests;
mod word_index;
#[cfg(test)]
mod word_index_tests;
mod writer;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::JoinHandle;

use async_trait::async_trait;
use contract::{
    ClientMessageId, HistoryPage, ItemId, PermissionId, PermissionRequest, Project, ProjectId,
    SessionId, SessionSent, TurnId, UpsertObject,
};
use rusqlite::{Connection, OpenFlags, OptionalExtension};

use crate::search::{Hit, Wanted};
use crate::{
    AddedProject, Change, HistoryQuery, Journal, SavedSession, SessionRecord, StoreError,
    TurnProgress,
};
use page_check::PageCheck;
use reader::Readers;
use word_index::{WordIndex, Words};
use writer::{Tables, Writer};

/// Why a journal could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(
        "it is in the shape of version {found}, and this program knows versions up to {known}: use a newer one"
    )]
    Newer { found: u32, known: u32 },
    #[error("it is a database of something else")]
    Foreign,
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

#[derive(Debug)]
pub struct SqliteJournal {
    path: Arc<Path>,
    lanes: Option<Lanes>,
    check: Option<PageCheck>,
    threads: Vec<JoinHandle<()>>,
}

/// Where work is handed to the threads.
#[derive(Debug)]
struct Lanes {
    writer: Writer,
    readers: Readers,
    words: WordIndex,
}

impl SqliteJournal {
    /// Opens the journal, or makes one. Only its owner may read the file.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        Self::open_resting_after(path, checkpoints::QUIET)
    }

    /// The same, giving back room when nothing was written for so long.
    fn open_resting_after(path: &Path, quiet: std::time::Duration) -> Result<Self, OpenError> {
        let was_closed_badly = log_of(path).metadata().is_ok_and(|log| log.len() > 0);
        make_private(path)?;
        let mut connection = connect(path)?;
        let version = schema::check(&connection)?;
        schema::configure_writer(&connection, version)?;
        schema::migrate(&mut connection, version)?;
        let (due, renewal, added) = checkpoints::delegate(&mut connection)?;
        let (writer, written) = Writer::new();
        let (readers, read) = Readers::new();
        let (words, poke, asks) = WordIndex::new();
        let lanes = Some(Lanes { writer, readers, words });
        let mut journal = Self { path: path.into(), lanes, check: None, threads: Vec::new() };
        journal.start("journal", move || {
            writer::run(Tables::new(connection), written, renewal, &poke);
        })?;
        let second = connect(path)?;
        schema::configure_durable(&second)?;
        let log = log_of(path);
        journal.start("journal-log", move || checkpoints::run(&second, &log, &due, quiet))?;
        let found = Words::open(path)?;
        journal.start("journal-words", move || found.run(&asks, &added, quiet))?;
        for n in 0..reader::READERS {
            let (connection, read) = (connect(path)?, read.clone());
            schema::configure(&connection)?;
            journal.start(&format!("journal-{n}"), move || reader::run(connection, &read))?;
        }
        if was_closed_badly {
            journal.check = Some(PageCheck::begin(connect(path)?)?);
        }
        Ok(journal)
    }

    /// From now on the file grows to so many pages at most, or as it likes: for tests of a disk that is full.
    pub async fn limit_pages(&self, most: Option<u32>) -> Result<(), StoreError> {
        // One more than SQLite can have means: no limit.
        let most = most.map_or(i64::from(u32::MAX) - 1, i64::from);
        self.write(move |tables| {
            tables.connection.pragma_update(None, "max_page_count", most).map_err(broken)
        })
        .await
    }

    fn start(&mut self, name: &str, run: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
        self.threads.push(std::thread::Builder::new().name(name.to_owned()).spawn(run)?);
        Ok(())
    }

    fn lanes(&self) -> Result<&Lanes, StoreError> {
        self.lanes.as_ref().ok_or_else(stopped)
    }

    async fn read<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.lanes()?.readers.read(act).await
    }

    async fn read_session<T: Send + 'static>(
        &self,
        session: &SessionId,
        act: impl FnOnce(&Connection, i64) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let session = session.clone();
        self.read(move |connection| {
            let snapshot = connection.transaction().map_err(broken)?;
            let place = session_rows::place(&snapshot, &session)?;
            act(&snapshot, place.row)
        })
        .await
    }

    async fn search_words(&self, wanted: Wanted, limit: usize) -> Result<Vec<Hit>, StoreError> {
        let path = self.path.clone();
        self.read(move |connection| {
            word_index::while_attached(connection, &path, |connection| {
                let snapshot = connection.transaction().map_err(broken)?;
                search::search(&snapshot, &wanted, limit)
            })
        })
        .await
    }

    async fn write<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut Tables) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.lanes()?.writer.write(act).await
    }
}

/// Waits until everything that was asked for is on the disk and the file is closed.
impl Drop for SqliteJournal {
    fn drop(&mut self) {
        self.lanes = None;
        for thread in self.threads.drain(..) {
            thread.join().ok();
        }
        self.check.take().into_iter().for_each(PageCheck::end);
    }
}

#[async_trait]
impl Journal for SqliteJournal {
    async fn is_marked(&self, name: &str) -> Result<bool, StoreError> {
        let name = name.to_owned();
        let find = move |connection: &mut Connection| {
            let sql = "SELECT EXISTS (SELECT 1 FROM marks WHERE name = ?1)";
            connection.query_row(sql, [name], |row| row.get(0)).map_err(broken)
        };
        self.read(find).await
    }

    async fn mark(&self, name: &str) -> Result<(), StoreError> {
        let name = name.to_owned();
        let mark = move |tables: &mut Tables| {
            let sql = "INSERT OR IGNORE INTO marks (name) VALUES (?1)";
            tables.connection.execute(sql, [name]).map(drop).map_err(broken)
        };
        self.write(mark).await
    }

    async fn note(&self, name: &str, value: &str) -> Result<(), StoreError> {
        let note = [name.to_owned(), value.to_owned()];
        let keep = move |tables: &mut Tables| {
            let sql = "INSERT OR REPLACE INTO notes (name, value) VALUES (?1, ?2)";
            tables.connection.execute(sql, note).map(drop).map_err(broken)
        };
        self.write(keep).await
    }

    async fn noted(&self, name: &str) -> Result<Option<String>, StoreError> {
        let name = name.to_owned();
        let find = move |connection: &mut Connection| {
            let sql = "SELECT value FROM notes WHERE name = ?1";
            connection.query_row(sql, [name], |row| row.get(0)).optional().map_err(broken)
        };
        self.read(find).await
    }

    fn waiting(&self) -> usize {
        self.lanes.as_ref().map_or(0, |lanes| lanes.writer.waiting())
    }

    async fn add_project(&self, project: Project) -> Result<AddedProject, StoreError> {
        let add = move |tables: &mut Tables| {
            project_rows::add(&tables.connection, &project).map_err(broken)
        };
        self.write(add).await
    }

    async fn remove_project(&self, project: &ProjectId) -> Result<bool, StoreError> {
        let project = project.clone();
        let remove = move |tables: &mut Tables| {
            project_rows::remove(&tables.connection, &project).map_err(broken)
        };
        self.write(remove).await
    }

    async fn projects(&self) -> Result<Vec<Project>, StoreError> {
        self.read(|connection| project_rows::listed(connection).map_err(broken)).await
    }

    async fn create_session(&self, record: SessionRecord) -> Result<(), StoreError> {
        let create = move |tables: &mut Tables| {
            let is_new = session_rows::create(&tables.connection, &record).map_err(broken)?;
            is_new.then_some(()).ok_or(StoreError::DuplicateSession(record.session_id))
        };
        self.write(create).await
    }

    async fn record(&self, session: &SessionId) -> Result<SessionRecord, StoreError> {
        self.read_session(session, session_rows::record).await
    }

    async fn sessions(&self) -> Result<Vec<SessionRecord>, StoreError> {
        self.read(|connection| session_rows::all(connection).map_err(broken)).await
    }

    async fn session_count(&self) -> Result<usize, StoreError> {
        self.read(|connection| session_rows::count(connection).map_err(broken)).await
    }

    async fn failed(&self) -> Result<HashSet<SessionId>, StoreError> {
        self.read(|connection| session_rows::failed(connection).map_err(broken)).await
    }

    async fn unsettled(&self) -> Result<Vec<SessionId>, StoreError> {
        self.read(|connection| session_rows::unsettled(connection).map_err(broken)).await
    }

    async fn session(&self, session: &SessionId) -> Result<SavedSession, StoreError> {
        let session = session.clone();
        let read = move |connection: &mut Connection| {
            let snapshot = connection.transaction().map_err(broken)?;
            session_rows::saved(&snapshot, &session)
        };
        self.read(read).await
    }

    async fn append(&self, session: &SessionId, changes: Vec<Change>) -> Result<(), StoreError> {
        let session = session.clone();
        self.write(move |tables| changes::append(tables, &session, changes)).await
    }

    async fn history(
        &self,
        session: &SessionId,
        query: HistoryQuery,
    ) -> Result<HistoryPage, StoreError> {
        let session = session.clone();
        self.read(move |connection| pages::history(connection, &session, query)).await
    }

    async fn item(
        &self,
        session: &SessionId,
        item: &ItemId,
    ) -> Result<Option<Arc<UpsertObject>>, StoreError> {
        let item = item.clone();
        let find = move |connection: &Connection, session| {
            Ok(item_rows::by_id(connection, session, item.as_str())?.map(Arc::new))
        };
        self.read_session(session, find).await
    }

    async fn turn(
        &self,
        session: &SessionId,
        turn: &TurnId,
    ) -> Result<Option<TurnProgress>, StoreError> {
        let turn = turn.clone();
        let find = move |connection: &Connection, session| {
            pages::progress(connection, session, &turn).map_err(broken)
        };
        self.read_session(session, find).await
    }

    async fn permission(
        &self,
        session: &SessionId,
        id: &PermissionId,
    ) -> Result<Option<PermissionRequest>, StoreError> {
        let id = id.clone();
        let find = move |connection: &Connection, session: i64| {
            let sql = "SELECT body FROM permissions WHERE session = ?1 AND id = ?2";
            session_rows::body(connection, sql, session, id.as_str())
        };
        self.read_session(session, find).await
    }

    async fn sent(
        &self,
        session: &SessionId,
        id: &ClientMessageId,
    ) -> Result<Option<SessionSent>, StoreError> {
        let id = id.clone();
        let find = move |connection: &Connection, session: i64| {
            let sql = "SELECT body FROM sent WHERE session = ?1 AND client = ?2";
            session_rows::body(connection, sql, session, id.as_str())
        };
        self.read_session(session, find).await
    }

    async fn decisions(
        &self,
        session: Option<SessionId>,
        limit: usize,
    ) -> Result<Vec<PermissionRequest>, StoreError> {
        self.read(move |connection| {
            let snapshot = connection.transaction().map_err(broken)?;
            match session {
                Some(session) => {
                    let place = session_rows::place(&snapshot, &session)?;
                    decisions::of_session(&snapshot, place.row, limit)
                }
                None => decisions::of_all(&snapshot, limit),
            }
        })
        .await
    }

    async fn search(&self, wanted: Wanted, limit: usize) -> Result<Vec<Hit>, StoreError> {
        let words = &self.lanes()?.words;
        words.whole().await;
        let found = self.search_words(wanted.clone(), limit).await;
        if !found.as_ref().is_err_and(word_index::is_damage) {
            return found;
        }
        words.anew().await;
        self.search_words(wanted, limit).await
    }
}

/// No link is followed: the file is in a directory of ours, and a link there is somebody else's doing.
fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    Connection::open_with_flags(path, flags)
}

/// Made before SQLite makes it, which would give it the rights that the process gives every file. Those beside it follow.
fn make_private(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let file = std::fs::OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)?;
    file.set_permissions(std::fs::Permissions::from_mode(0o600))
}

fn log_of(path: &Path) -> PathBuf {
    beside(path, "-wal")
}

/// The file whose name goes on after that of another.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

fn broken(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Unavailable(error.into())
}

fn stopped() -> StoreError {
    broken("the journal is closed")
}

/// As SQLite counts.
fn number(seq: u64) -> i64 {
    i64::try_from(seq).unwrap_or(i64::MAX)
}
