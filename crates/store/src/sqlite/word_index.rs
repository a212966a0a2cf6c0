//! The words of items, in a file of their own that a thread of its own brings up to date. Putting a word in its place takes long
//! now and then, and no commit of the journal waits for it. Nothing here is told only here: what is lost is made again.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use contract::UpsertObject;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, params};
use tokio::sync::oneshot;

use super::checkpoints::{Added, step_back};
use super::{OpenError, broken, connect, make_private, schema};
use crate::StoreError;
use crate::search::searched_text;

/// Asks that wait. Nobody waits for a place: the writer tells again, and who looks for words searches what there is.
const QUEUE: usize = 64;
/// Items that are added in one step.
const BATCH: usize = 64;
const BATCH_BYTES: usize = 1024 * 1024;
/// Much is added with little more effort than little.
const GATHERING: Duration = Duration::from_millis(500);
/// Who looks for words waits so long for what was written before; what is found then is what there is.
const PATIENCE: Duration = Duration::from_secs(5);

enum Ask {
    /// Something has ended.
    Grown,
    /// Answered when all that has ended until now can be found.
    Whole(oneshot::Sender<()>),
    /// The same, after damage was met in the file.
    Anew(oneshot::Sender<()>),
}

/// For the writer: tells that there may be something to add.
#[derive(Debug)]
pub(super) struct Poke {
    asks: SyncSender<Ask>,
    is_told: Arc<AtomicBool>,
}

impl Poke {
    /// Told already is told: it takes all there is.
    pub(super) fn grown(&self) {
        if !self.is_told.swap(true, Ordering::AcqRel) && self.asks.try_send(Ask::Grown).is_err() {
            self.is_told.store(false, Ordering::Release);
        }
    }
}

/// For those who look for words.
#[derive(Debug)]
pub(super) struct WordIndex(SyncSender<Ask>);

impl WordIndex {
    pub(super) fn new() -> (Self, Poke, Asks) {
        let (asks, asked) = sync_channel(QUEUE);
        let is_told = Arc::new(AtomicBool::new(false));
        let poke = Poke { asks: asks.clone(), is_told: is_told.clone() };
        (Self(asks), poke, Asks { asked, is_told })
    }

    /// When what was written before can be found. Also when it cannot: then what is there is searched.
    pub(super) async fn whole(&self) {
        self.ask(Ask::Whole).await;
    }

    /// The same where the file turned out to be damaged.
    pub(super) async fn anew(&self) {
        self.ask(Ask::Anew).await;
    }

    async fn ask(&self, what: fn(oneshot::Sender<()>) -> Ask) {
        let (reply, answer) = oneshot::channel();
        if self.0.try_send(what(reply)).is_ok() {
            answer.await.ok();
        }
    }
}

pub(super) struct Asks {
    asked: Receiver<Ask>,
    is_told: Arc<AtomicBool>,
}

impl Asks {
    /// The next one, or nothing when it is time to do something.
    fn next(&self, due: Option<Instant>) -> Result<Ask, RecvTimeoutError> {
        let ask = match due {
            Some(due) => self.asked.recv_timeout(due.saturating_duration_since(now()))?,
            None => self.asked.recv().map_err(|_| RecvTimeoutError::Disconnected)?,
        };
        self.is_told.store(false, Ordering::Release);
        Ok(ask)
    }
}

/// Beside the journal, under a name that begins like its own.
pub(super) fn path_of(journal: &Path) -> PathBuf {
    let mut name = journal.file_stem().unwrap_or_default().to_owned();
    name.push("-words.db");
    journal.with_file_name(name)
}

/// What a connection of the journal finds while it sees the words. It does not hold on to the file, which may be made anew.
pub(super) fn while_attached<T>(
    connection: &mut Connection,
    journal: &Path,
    find: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    attach(connection, journal).map_err(broken)?;
    let found = find(connection);
    connection.execute_batch("DETACH found").map_err(broken)?;
    found
}

/// Whether a search failed for damage, of which it cannot be told whose it is.
pub(super) fn is_damage(error: &StoreError) -> bool {
    let StoreError::Unavailable(cause) = error else { return false };
    cause.downcast_ref().is_some_and(is_nonsense)
}

/// Makes the file, or one in place of a file that cannot be read, and gives its connection.
pub(super) fn open(journal: &Path) -> Result<Connection, OpenError> {
    let path = path_of(journal);
    match opened(journal, &path) {
        Err(OpenError::Sqlite(error)) if is_nonsense(&error) => {
            tracing::warn!(%error, "the words of items cannot be read and are gathered again");
            remove(&path)?;
            opened(journal, &path)
        }
        result => result,
    }
}

/// With those beside it. Who still reads it reads what is nobody's any more.
fn remove(words: &Path) -> std::io::Result<()> {
    for end in ["", "-wal", "-shm"] {
        let file = super::beside(words, end);
        if file.try_exists()? {
            std::fs::remove_file(file)?;
        }
    }
    Ok(())
}

fn is_nonsense(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
}

fn opened(journal: &Path, path: &Path) -> Result<Connection, OpenError> {
    make_private(path)?;
    let connection = connect(journal)?;
    schema::configure(&connection)?;
    attach(&connection, journal)?;
    // Written without waiting for the disk: a crash of the machine takes back the last steps, and nothing else.
    connection.pragma_update(Some("found"), "journal_mode", "WAL")?;
    connection.pragma_update(Some("found"), "synchronous", "NORMAL")?;
    make(&connection)?;
    begin(&connection)?;
    Ok(connection)
}

/// Lets a connection of the journal see the words, as `found.words`.
fn attach(connection: &Connection, journal: &Path) -> rusqlite::Result<()> {
    let path = path_of(journal);
    // Names of files are bytes.
    let name = ToSqlOutput::Borrowed(ValueRef::Text(path.as_os_str().as_bytes()));
    connection.execute("ATTACH ?1 AS found", [name]).map(drop)
}

fn make(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "SELECT count(*) FROM found.sqlite_schema";
    let tables: u32 = connection.query_row(sql, [], |row| row.get(0))?;
    if tables > 0 {
        return Ok(());
    }
    let shape = include_str!("words.sql").replace("TABLE ", "TABLE found.");
    connection.execute_batch(&format!("BEGIN; {shape} COMMIT;"))
}

/// Goes on where it was, unless these are the words of another journal or of one that was put back.
fn begin(connection: &Connection) -> rusqlite::Result<()> {
    let sql = "SELECT EXISTS (SELECT 1 FROM found.progress p
         JOIN notes j ON j.name = 'journal' AND j.value = p.journal
         WHERE p.ended <= (SELECT coalesce(max(n), 0) FROM ended))";
    if connection.query_row(sql, [], |row| row.get(0))? {
        return Ok(());
    }
    connection.execute_batch(
        "BEGIN;
         INSERT INTO found.words (words) VALUES ('delete-all');
         DELETE FROM found.progress;
         INSERT INTO found.progress (journal, scanned, goal, ended) SELECT value, 0,
           (SELECT coalesce(max(n), 0) FROM bodies),
           (SELECT coalesce(max(n), 0) FROM ended)
           FROM notes WHERE name = 'journal';
         COMMIT;",
    )
}

/// The file, while there is one that can be read.
pub(super) struct Words {
    journal: PathBuf,
    connection: Option<Connection>,
    /// What cannot be added is told once.
    has_failed: bool,
    /// Damage that comes back is the disk's, and gathering all again would not end.
    was_made_anew: bool,
}

impl Words {
    pub(super) fn open(journal: &Path) -> Result<Self, OpenError> {
        let connection = Some(open(journal)?);
        let journal = journal.to_owned();
        Ok(Self { journal, connection, has_failed: false, was_made_anew: false })
    }

    /// Runs until nobody can ask any more. What is not added then is added the next time.
    pub(super) fn run(mut self, asks: &Asks, added: &Added, quiet: Duration) {
        step_back();
        // There may be something left from the last time.
        let mut state = State::Behind(now());
        loop {
            state = match (asks.next(state.due()), state) {
                (Err(RecvTimeoutError::Disconnected), _) => return,
                (Ok(Ask::Whole(reply)), _) => State::after(self.answer(reply), quiet),
                (Ok(Ask::Anew(reply)), _) => {
                    self.make_anew();
                    State::after(self.answer(reply), quiet)
                }
                // What comes while it waits is added with it.
                (Ok(Ask::Grown), State::Behind(due)) => State::Behind(due),
                (Ok(Ask::Grown), _) => State::Behind(now() + GATHERING),
                (Err(RecvTimeoutError::Timeout), State::Behind(_)) => {
                    State::after(self.add(), quiet)
                }
                (Err(RecvTimeoutError::Timeout), _) => {
                    self.connection.iter().for_each(|connection| settle(connection, added));
                    State::Resting
                }
            };
        }
    }

    /// Adds what there is, and gives whether there is more than it had the patience for.
    fn answer(&mut self, reply: oneshot::Sender<()>) -> bool {
        let until = now() + PATIENCE;
        let mut has_more = true;
        while has_more && now() < until {
            has_more = self.add();
        }
        reply.send(()).ok();
        has_more
    }

    /// Adds some, and gives whether there may be more. What fails is tried again when there is something new.
    fn add(&mut self) -> bool {
        let Some(connection) = &self.connection else { return false };
        let error = match add_some(connection) {
            Ok(has_more) => {
                self.has_failed = false;
                return has_more;
            }
            Err(error) => error,
        };
        if !connection.is_autocommit() {
            connection.execute_batch("ROLLBACK").ok();
        }
        if !std::mem::replace(&mut self.has_failed, true) {
            tracing::warn!(%error, "new items cannot be found by their words yet");
        }
        is_nonsense(&error) && self.make_anew()
    }

    /// Gives whether there is a new file, to which everything is to be added.
    fn make_anew(&mut self) -> bool {
        if std::mem::replace(&mut self.was_made_anew, true) {
            return false;
        }
        tracing::warn!("the words of items are damaged and are gathered again");
        self.connection = None;
        let made = remove(&path_of(&self.journal)).map_err(OpenError::from);
        match made.and_then(|()| open(&self.journal)) {
            Ok(connection) => self.connection = Some(connection),
            Err(error) => tracing::error!(%error, "items cannot be found by their words"),
        }
        self.connection.is_some()
    }
}

/// Of a thread of its own, whose clock no test can pause.
#[expect(clippy::disallowed_methods, reason = "it waits for a channel, which knows no other clock")]
fn now() -> Instant {
    Instant::now()
}

/// What it is going to do when nobody asks for anything, and when.
enum State {
    /// Add what has ended.
    Behind(Instant),
    /// Bring all to the disk.
    Whole(Instant),
    Resting,
}

impl State {
    fn after(has_more: bool, quiet: Duration) -> Self {
        if has_more { Self::Behind(now()) } else { Self::Whole(now() + quiet) }
    }

    fn due(&self) -> Option<Instant> {
        match self {
            Self::Behind(due) | Self::Whole(due) => Some(*due),
            Self::Resting => None,
        }
    }
}

struct Progress {
    scanned: i64,
    goal: i64,
    ended: i64,
}

impl Progress {
    fn read(connection: &Connection) -> rusqlite::Result<Self> {
        let sql = "SELECT scanned, goal, ended FROM found.progress";
        connection.prepare_cached(sql)?.query_row([], |row| {
            Ok(Self { scanned: row.get(0)?, goal: row.get(1)?, ended: row.get(2)? })
        })
    }

    fn is_scanning(&self) -> bool {
        self.scanned < self.goal
    }

    /// As it is once these are added.
    fn after(self, next: &[Next]) -> Self {
        let last = next.last().map(|next| next.at);
        if self.is_scanning() {
            Self { scanned: last.unwrap_or(self.goal), ..self }
        } else {
            Self { ended: last.unwrap_or(self.ended), ..self }
        }
    }
}

/// An item to add.
struct Next {
    /// How far it brings the progress.
    at: i64,
    row: i64,
    /// If it has ended.
    body: Option<String>,
}

/// The journal is read first: while words are put in their place, nothing of it is held on to.
fn add_some(connection: &Connection) -> rusqlite::Result<bool> {
    let progress = Progress::read(connection)?;
    let is_scanning = progress.is_scanning();
    let (next, has_more) =
        if is_scanning { unscanned(connection, &progress) } else { ended(connection, &progress) }?;
    if next.is_empty() && !is_scanning {
        return Ok(false);
    }
    connection.execute_batch("BEGIN")?;
    for item in &next {
        item.body.as_ref().map_or(Ok(()), |body| index(connection, item.row, body))?;
    }
    let progress = progress.after(&next);
    let sql = "UPDATE found.progress SET scanned = ?1, ended = ?2";
    connection.prepare_cached(sql)?.execute([progress.scanned, progress.ended])?;
    connection.execute_batch("COMMIT")?;
    Ok(is_scanning || has_more)
}

fn unscanned(connection: &Connection, at: &Progress) -> rusqlite::Result<(Vec<Next>, bool)> {
    let sql = "SELECT b.n, b.n, iif(i.final = 1, b.body, NULL) FROM bodies b
         JOIN items i ON i.session = b.session AND i.position = b.position
         WHERE b.n > ?1 AND b.n <= ?2 ORDER BY b.n";
    listed(connection, sql, at.scanned, at.goal)
}

fn ended(connection: &Connection, at: &Progress) -> rusqlite::Result<(Vec<Next>, bool)> {
    let sql = "SELECT e.n, e.body, iif(i.final = 1, b.body, NULL) FROM ended e
         LEFT JOIN bodies b ON b.n = e.body
         LEFT JOIN items i ON i.session = b.session AND i.position = b.position
         WHERE e.n > ?1 AND e.n <= ?2 ORDER BY e.n";
    listed(connection, sql, at.ended, i64::MAX)
}

/// As many as are added in one step, fewer if they are large; and whether there may be more.
fn listed(
    connection: &Connection,
    sql: &str,
    from: i64,
    to: i64,
) -> rusqlite::Result<(Vec<Next>, bool)> {
    let mut select = connection.prepare_cached(sql)?;
    let mut rows = select.query([from, to])?;
    let (mut next, mut bytes) = (Vec::new(), 0);
    while let Some(row) = rows.next()? {
        let body: Option<String> = row.get(2)?;
        bytes += body.as_ref().map_or(0, String::len);
        next.push(Next { at: row.get(0)?, row: row.get(1)?, body });
        if bytes > BATCH_BYTES || next.len() == BATCH {
            return Ok((next, true));
        }
    }
    Ok((next, false))
}

/// Makes an item that has ended findable, by what it is now.
fn index(connection: &Connection, row: i64, body: &str) -> rusqlite::Result<()> {
    let Ok(item) = serde_json::from_str::<UpsertObject>(body) else {
        tracing::warn!(row, "an item cannot be read, and not be found by its words");
        return Ok(());
    };
    let sql = "INSERT OR REPLACE INTO found.words (rowid, text) VALUES (?1, ?2)";
    connection.prepare_cached(sql)?.execute(params![row, searched_text(&item)])?;
    Ok(())
}

/// When nothing happens: the journal need not note any more what is here, once it is on the disk.
fn settle(connection: &Connection, added: &Added) {
    let settled = (|| {
        // The newest stays in any case.
        let noted = "SELECT min(n) < max(n) FROM ended";
        if connection.query_row(noted, [], |row| row.get::<_, Option<bool>>(0))? == Some(true) {
            connection.query_row("PRAGMA found.wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
            added.tell(Progress::read(connection)?.ended);
        }
        Ok(())
    })();
    if let Err::<(), rusqlite::Error>(error) = settled {
        tracing::debug!(%error, "the words are brought to the disk later");
    }
}
