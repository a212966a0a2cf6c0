//! Sessions as rows.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use contract::{
    Attachment, ENDED_BY_USER, PermissionRequest, Seq, SessionId, SessionSource, Timestamp,
    TurnEvent, TurnId,
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use serde::de::DeserializeOwned;

use super::{broken, item_rows};
use crate::{SavedSession, SessionRecord, StoreError};

/// A session's row and the last `seq` that it consumed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) row: i64,
    pub(super) head: Seq,
}

pub(super) fn place(connection: &Connection, session: &SessionId) -> Result<Place, StoreError> {
    let sql = "SELECT n, head FROM sessions WHERE id = ?1";
    let mut select = connection.prepare_cached(sql).map_err(broken)?;
    let found = select.query_row([session.as_str()], |row| {
        Ok(Place { row: row.get(0)?, head: Seq(row.get::<_, i64>(1)?.unsigned_abs()) })
    });
    found.optional().map_err(broken)?.ok_or_else(|| StoreError::UnknownSession(session.clone()))
}

/// False if there is one with its id.
pub(super) fn create(connection: &Connection, record: &SessionRecord) -> rusqlite::Result<bool> {
    let sql = "INSERT OR IGNORE INTO sessions (id, project_id, project_dir, cli_type, agent_session, epoch, title,
           created_at, last_active_at, archived, dead, source, choices, head, queue)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 0, '[]')";
    Ok(put(connection, sql, record)? == 1)
}

pub(super) fn update(connection: &Connection, record: &SessionRecord) -> rusqlite::Result<()> {
    let sql = "UPDATE sessions SET project_id = ?2, project_dir = ?3, cli_type = ?4, agent_session = ?5, epoch = ?6,
           title = ?7, created_at = ?8, last_active_at = ?9, archived = ?10, dead = ?11, source = ?12, choices = ?13 WHERE id = ?1";
    put(connection, sql, record).map(drop)
}

fn put(connection: &Connection, sql: &str, record: &SessionRecord) -> rusqlite::Result<usize> {
    let choices = serde_json::to_string(&record.choices)
        .map_err(|error| rusqlite::Error::ToSqlConversionFailure(error.into()))?;
    connection.prepare_cached(sql)?.execute(params![
        record.session_id.as_str(),
        record.project_id.as_str(),
        record.project_dir,
        record.cli_type.as_str(),
        record.agent_session,
        record.epoch.as_str(),
        record.title,
        record.created_at.as_millis(),
        record.last_active_at.as_millis(),
        record.archived,
        record.dead,
        word_of(record.source),
        choices,
    ])
}

const RECORD: &str = "id, project_id, project_dir, cli_type, agent_session, epoch, title, created_at, last_active_at,
     archived, dead, source, choices, queue FROM sessions";

pub(super) fn all(connection: &Connection) -> rusqlite::Result<Vec<SessionRecord>> {
    let sql = format!("SELECT {RECORD} ORDER BY n");
    connection.prepare_cached(&sql)?.query_map([], record_of)?.collect()
}

pub(super) fn count(connection: &Connection) -> rusqlite::Result<usize> {
    let sql = "SELECT count(*) FROM sessions";
    let count = connection.prepare_cached(sql)?.query_row([], |row| row.get::<_, i64>(0))?;
    Ok(usize::try_from(count).unwrap_or(usize::MAX))
}

pub(super) fn record(connection: &Connection, session: i64) -> Result<SessionRecord, StoreError> {
    let sql = format!("SELECT {RECORD} WHERE n = ?1");
    let mut select = connection.prepare_cached(&sql).map_err(broken)?;
    select.query_row([session], record_of).map_err(broken)
}

fn record_of(row: &Row<'_>) -> rusqlite::Result<SessionRecord> {
    let text = |column: usize| row.get::<_, String>(column);
    let time = |column: usize| row.get(column).map(Timestamp::from_millis);
    Ok(SessionRecord {
        session_id: text(0)?.into(),
        project_id: text(1)?.into(),
        project_dir: text(2)?,
        cli_type: text(3)?.into(),
        agent_session: row.get(4)?,
        epoch: text(5)?.into(),
        title: text(6)?,
        created_at: time(7)?,
        last_active_at: time(8)?,
        archived: row.get(9)?,
        dead: row.get(10)?,
        source: source_of(&text(11)?),
        // What cannot be read was chosen by a version that knew more; the agent is in its default then.
        choices: serde_json::from_str(&text(12)?).unwrap_or_default(),
    })
}

fn word_of(source: SessionSource) -> &'static str {
    match source {
        SessionSource::Created => "created",
        SessionSource::Imported => "imported",
    }
}

fn source_of(word: &str) -> SessionSource {
    if word == "imported" { SessionSource::Imported } else { SessionSource::Created }
}

/// Everything that its owner needs.
pub(super) fn saved(
    connection: &Connection,
    session: &SessionId,
) -> Result<SavedSession, StoreError> {
    let Place { row, head } = place(connection, session)?;
    let sql = format!("SELECT {RECORD} WHERE n = ?1");
    let mut select = connection.prepare_cached(&sql).map_err(broken)?;
    let (record, queue) = select
        .query_row([row], |row| Ok((record_of(row)?, row.get::<_, String>(13)?)))
        .map_err(broken)?;
    Ok(SavedSession {
        record,
        head,
        queue: serde_json::from_str(&queue).map_err(broken)?,
        attachments: attachments(connection, row)?,
        waiting: waiting(connection, row)?,
        started: started(connection, row).map_err(broken)?,
        has_run: has_run(connection, row).map_err(broken)?,
        bytes: bytes(connection, row).map_err(broken)?,
        last_failed: last_failed(connection, row)?,
        unfinished: item_rows::unfinished(connection, row)?.into_iter().map(Arc::new).collect(),
    })
}

fn waiting(connection: &Connection, session: i64) -> Result<Vec<PermissionRequest>, StoreError> {
    let sql =
        "SELECT body FROM permissions WHERE session = ?1 AND waiting = 1 ORDER BY asked_at, id";
    let mut select = connection.prepare_cached(sql).map_err(broken)?;
    let bodies = select.query_map([session], |row| row.get::<_, String>(0)).map_err(broken)?;
    bodies.map(|body| parse(&body.map_err(broken)?)).collect()
}

fn last_failed(connection: &Connection, session: i64) -> Result<bool, StoreError> {
    let sql =
        "SELECT body FROM turns WHERE session = ?1 AND terminal = 1 ORDER BY seq DESC LIMIT 1";
    let mut select = connection.prepare_cached(sql).map_err(broken)?;
    let last = select.query_row([session], |row| row.get::<_, String>(0)).optional();
    let Some(body) = last.map_err(broken)? else { return Ok(false) };
    let event: TurnEvent = parse(&body)?;
    Ok(event.kind.is_failure())
}

fn started(connection: &Connection, session: i64) -> rusqlite::Result<Vec<TurnId>> {
    let sql = "SELECT turn FROM open_turns WHERE session = ?1 ORDER BY seq";
    let mut select = connection.prepare_cached(sql)?;
    let turns = select.query_map([session], |row| row.get::<_, String>(0))?;
    turns.map(|turn| turn.map(TurnId::from)).collect()
}

fn has_run(connection: &Connection, session: i64) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM turns WHERE session = ?1)";
    connection.prepare_cached(sql)?.query_row([session], |row| row.get(0))
}

/// What its items hold; an index has all of it.
fn bytes(connection: &Connection, session: i64) -> rusqlite::Result<u64> {
    let sql = "SELECT coalesce(sum(size), 0) FROM items WHERE session = ?1";
    let bytes = connection.prepare_cached(sql)?.query_row([session], |row| row.get::<_, i64>(0))?;
    Ok(bytes.unsigned_abs())
}

fn attachments(
    connection: &Connection,
    session: i64,
) -> Result<HashMap<TurnId, Vec<Attachment>>, StoreError> {
    let sql = "SELECT turn, body FROM attachments WHERE session = ?1 ORDER BY turn, n";
    let mut select = connection.prepare_cached(sql).map_err(broken)?;
    let rows = select
        .query_map([session], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))
        .map_err(broken)?;
    let mut kept: HashMap<TurnId, Vec<Attachment>> = HashMap::new();
    for row in rows {
        let (turn, body) = row.map_err(broken)?;
        kept.entry(turn.into()).or_default().push(parse(&body)?);
    }
    Ok(kept)
}

/// The last end of each is near the end of its turns, so this looks at a few rows of each.
pub(super) fn failed(connection: &Connection) -> rusqlite::Result<HashSet<SessionId>> {
    let sql = "SELECT id FROM sessions s WHERE (
           SELECT json_extract(body, '$.type') = 'turn_error' AND NOT (
             json_extract(body, '$.errorCode') = 'INTERRUPTED' AND coalesce(json_extract(body, '$.errorClass'), '') = ?1)
           FROM turns WHERE session = s.n AND terminal = 1 ORDER BY seq DESC LIMIT 1
         )";
    let mut select = connection.prepare_cached(sql)?;
    let ids = select.query_map([ENDED_BY_USER], |row| row.get::<_, String>(0))?;
    ids.map(|id| id.map(SessionId::from)).collect()
}

/// Sessions that their last owner left in the middle of something.
pub(super) fn unsettled(connection: &Connection) -> rusqlite::Result<Vec<SessionId>> {
    let sql = "SELECT id FROM sessions s WHERE
           EXISTS (SELECT 1 FROM open_turns WHERE session = s.n)
           OR EXISTS (SELECT 1 FROM items WHERE session = s.n AND final = 0)
           OR EXISTS (SELECT 1 FROM permissions WHERE session = s.n AND waiting = 1)
           OR queue <> '[]'
         ORDER BY n";
    let mut select = connection.prepare_cached(sql)?;
    let ids = select.query_map([], |row| row.get::<_, String>(0))?;
    ids.map(|id| id.map(SessionId::from)).collect()
}

/// The one body that a session has under an id; `sql` takes both.
pub(super) fn body<T: DeserializeOwned>(
    connection: &Connection,
    sql: &str,
    session: i64,
    id: &str,
) -> Result<Option<T>, StoreError> {
    let mut select = connection.prepare_cached(sql).map_err(broken)?;
    let found = select.query_row(params![session, id], |row| row.get::<_, String>(0));
    found.optional().map_err(broken)?.map(|body| parse(&body)).transpose()
}

pub(super) fn parse<T: DeserializeOwned>(body: &str) -> Result<T, StoreError> {
    serde_json::from_str(body).map_err(broken)
}
