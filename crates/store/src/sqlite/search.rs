//! Items found by their words.

use contract::SessionId;
use rusqlite::{Connection, params};

use super::{broken, item_rows};
use crate::StoreError;
use crate::search::{Hit, Wanted, searched_text, snippet};

/// The newest items that have all of the words: of a session, or of all without those of removed projects.
pub(super) fn search(
    connection: &Connection,
    wanted: &Wanted,
    limit: usize,
) -> Result<Vec<Hit>, StoreError> {
    let sql = "SELECT s.n, s.id, i.item FROM found.words
         JOIN bodies b ON b.n = words.rowid
         JOIN items i ON i.session = b.session AND i.position = b.position AND i.final = 1
         JOIN sessions s ON s.n = b.session
         WHERE words MATCH ?1 AND CASE WHEN ?3 IS NOT NULL THEN s.id = ?3
           ELSE NOT EXISTS (SELECT 1 FROM projects p WHERE p.id = s.project_id AND p.removed = 1) END
         ORDER BY words.rowid DESC LIMIT ?2";
    let mut select = connection.prepare_cached(sql).map_err(broken)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let session = wanted.session().map(ToString::to_string);
    let rows = select
        .query_map(params![phrase(wanted), limit, session], |row| {
            Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?, row.get::<_, String>(2)?))
        })
        .map_err(broken)?;
    let mut hits = Vec::new();
    for row in rows {
        let (session, id, item) = row.map_err(broken)?;
        let Some(found) = item_rows::by_id(connection, session, &item)? else { continue };
        let snippet = snippet(&searched_text(&found), wanted);
        hits.push(Hit { session_id: SessionId::from(id), item_id: found.item_id, snippet });
    }
    Ok(hits)
}

/// Words in quotes are words, whatever they would mean to the search engine. The last may go on.
fn phrase(wanted: &Wanted) -> String {
    let words = wanted.words().map(|word| format!("\"{}\"*", word.replace('"', "\"\"")));
    words.collect::<Vec<_>>().join(" ")
}
