//! Permission requests that are over.

use contract::PermissionRequest;
use rusqlite::{Connection, Params, params};

use super::broken;
use super::session_rows::parse;
use crate::StoreError;
use crate::decisions::within_room;

pub(super) fn of_session(
    connection: &Connection,
    session: i64,
    limit: usize,
) -> Result<Vec<PermissionRequest>, StoreError> {
    let sql = "SELECT body FROM permissions WHERE session = ?1 AND waiting = 0
         ORDER BY asked_at DESC, id DESC LIMIT ?2";
    select(connection, sql, params![session, most(limit)], limit)
}

/// Without those of removed projects.
pub(super) fn of_all(
    connection: &Connection,
    limit: usize,
) -> Result<Vec<PermissionRequest>, StoreError> {
    let sql = "SELECT p.body FROM permissions p JOIN sessions s ON s.n = p.session
         WHERE p.waiting = 0
           AND NOT EXISTS (SELECT 1 FROM projects x WHERE x.id = s.project_id AND x.removed = 1)
         ORDER BY p.asked_at DESC, p.id DESC LIMIT ?1";
    select(connection, sql, params![most(limit)], limit)
}

fn most(limit: usize) -> i64 {
    i64::try_from(limit).unwrap_or(i64::MAX)
}

/// Rows are read one by one, and no more of them than fit.
fn select(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    limit: usize,
) -> Result<Vec<PermissionRequest>, StoreError> {
    let mut select = connection.prepare_cached(sql).map_err(broken)?;
    let bodies = select.query_map(params, |row| row.get::<_, String>(0)).map_err(broken)?;
    let mut failure = None;
    let requests =
        bodies.map_while(|body| match body.map_err(broken).and_then(|body| parse(&body)) {
            Ok(request) => Some(request),
            Err(error) => {
                failure = Some(error);
                None
            }
        });
    let requests = within_room(requests, limit);
    failure.map_or(Ok(requests), Err)
}
