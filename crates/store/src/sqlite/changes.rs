//! Changes of a session, written.

use std::collections::HashSet;

use contract::{Attachment, PermissionRequest, QueuedTurn, SessionId, TurnEvent, TurnId};
use rusqlite::{Connection, params};

use super::session_rows::Place;
use super::writer::Tables;
use super::{broken, item_rows, number, session_rows};
use crate::order::check_order;
use crate::{Change, StoreError};

/// Writes all changes, or fails and leaves it to the caller to take them back.
pub(super) fn append(
    tables: &mut Tables,
    session: &SessionId,
    changes: Vec<Change>,
) -> Result<(), StoreError> {
    let Place { row, head } = place(tables, session)?;
    let after = check_order(session, head, &changes)?;
    for change in changes {
        apply(tables, row, change)?;
    }
    if after != head {
        let sql = "UPDATE sessions SET head = ?2 WHERE n = ?1";
        let mut update = tables.connection.prepare_cached(sql).map_err(broken)?;
        update.execute(params![row, number(after.0)]).map_err(broken)?;
    }
    tables.sessions.insert(session.clone(), Place { row, head: after });
    Ok(())
}

fn place(tables: &Tables, session: &SessionId) -> Result<Place, StoreError> {
    if let Some(known) = tables.sessions.get(session) {
        return Ok(*known);
    }
    session_rows::place(&tables.connection, session)
}

fn apply(tables: &mut Tables, session: i64, change: Change) -> Result<(), StoreError> {
    let connection = &tables.connection;
    match change {
        Change::Upsert(item) => item_rows::put(tables, session, &item),
        Change::Turn(event) => put_turn(connection, session, &event),
        Change::Queue(queue) => put_queue(connection, session, &queue),
        Change::Attachments(turn, attachments) => {
            put_attachments(connection, session, &turn, &attachments)
        }
        Change::Permission(request) => put_permission(connection, session, &request),
        Change::Sent(client, answer) => {
            let body = serde_json::to_string(&answer).map_err(broken)?;
            let sql = "INSERT OR REPLACE INTO sent (session, client, body) VALUES (?1, ?2, ?3)";
            let values = params![session, client.as_str(), body];
            execute(connection, sql, values)
        }
        Change::Record(record) => session_rows::update(connection, &record).map_err(broken),
    }
}

fn put_turn(connection: &Connection, session: i64, event: &TurnEvent) -> Result<(), StoreError> {
    let seq = number(event.seq.unwrap_or_default().0);
    let turn = event.turn_id.as_str();
    let is_over = event.kind.is_terminal();
    let body = serde_json::to_string(event).map_err(broken)?;
    let sql = "INSERT INTO turns (session, seq, turn, terminal, body) VALUES (?1, ?2, ?3, ?4, ?5)";
    execute(connection, sql, params![session, seq, turn, is_over, body])?;
    if is_over {
        let sql = "DELETE FROM open_turns WHERE session = ?1 AND turn = ?2";
        return execute(connection, sql, params![session, turn]);
    }
    let sql = "INSERT OR REPLACE INTO open_turns (session, turn, seq) VALUES (?1, ?2, ?3)";
    execute(connection, sql, params![session, turn, seq])
}

/// What was sent along with turns that wait no more goes with them.
fn put_queue(
    connection: &Connection,
    session: i64,
    queue: &[QueuedTurn],
) -> Result<(), StoreError> {
    let body = serde_json::to_string(queue).map_err(broken)?;
    execute(connection, "UPDATE sessions SET queue = ?2 WHERE n = ?1", params![session, body])?;
    let waiting: HashSet<&str> = queue.iter().map(|turn| turn.turn_id.as_str()).collect();
    let sql = "SELECT DISTINCT turn FROM attachments WHERE session = ?1";
    let mut select = connection.prepare_cached(sql).map_err(broken)?;
    let kept = select.query_map([session], |row| row.get::<_, String>(0)).map_err(broken)?;
    for turn in kept.collect::<Result<Vec<_>, _>>().map_err(broken)? {
        if !waiting.contains(turn.as_str()) {
            let sql = "DELETE FROM attachments WHERE session = ?1 AND turn = ?2";
            execute(connection, sql, params![session, turn])?;
        }
    }
    Ok(())
}

fn put_attachments(
    connection: &Connection,
    session: i64,
    turn: &TurnId,
    attachments: &[Attachment],
) -> Result<(), StoreError> {
    let sql = "INSERT INTO attachments (session, turn, n, body) VALUES (?1, ?2, ?3, ?4)";
    for (attachment, n) in attachments.iter().zip(0_i64..) {
        let body = serde_json::to_string(attachment).map_err(broken)?;
        execute(connection, sql, params![session, turn.as_str(), n, body])?;
    }
    Ok(())
}

fn put_permission(
    connection: &Connection,
    session: i64,
    request: &PermissionRequest,
) -> Result<(), StoreError> {
    let body = serde_json::to_string(request).map_err(broken)?;
    let sql = "INSERT OR REPLACE INTO permissions (session, id, waiting, asked_at, body) VALUES (?1, ?2, ?3, ?4, ?5)";
    let (id, asked) = (request.permission_id.as_str(), request.asked_at.as_millis());
    execute(connection, sql, params![session, id, request.outcome.is_none(), asked, body])
}

fn execute(
    connection: &Connection,
    sql: &str,
    values: impl rusqlite::Params,
) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(sql).map_err(broken)?;
    statement.execute(values).map(drop).map_err(broken)
}
