//! Items as rows. What changes with every state stands in columns of its own; the rest is JSON.

use contract::{ItemStatus, Seq, Text, Timestamp, UpsertObject};
use rusqlite::{Connection, OptionalExtension, params};

use super::growth::Grown;
use super::writer::Tables;
use super::{broken, number};
use crate::StoreError;

/// The text of an item that grows stands in its body while it is as short as this: rewriting it costs no more than noting what is
/// new elsewhere, and most items end before.
const SHORT: usize = 1024;

/// Writes the newest state of an item.
pub(super) fn put(
    tables: &mut Tables,
    session: i64,
    item: &UpsertObject,
) -> Result<(), StoreError> {
    let position = item.position.or(item.seq).unwrap_or_default();
    let row = ItemPlace { session, position, is_new: Some(position) == item.seq };
    let connection = &tables.connection;
    let before = tables.growth.take(session, position);
    if item.is_final() {
        let body = end(connection, row, item, before)?;
        return put_state(connection, row, item, body).map_err(broken);
    }
    let grown = grow(connection, row, item, before)?;
    put_state(connection, row, item, grown.row).map_err(broken)?;
    tables.growth.remember(session, position, grown);
    Ok(())
}

/// Where an item stands. A place that is its own last change was never written before.
#[derive(Clone, Copy)]
struct ItemPlace {
    session: i64,
    position: Seq,
    is_new: bool,
}

impl ItemPlace {
    fn position(self) -> i64 {
        number(self.position.0)
    }
}

fn put_state(
    connection: &Connection,
    row: ItemPlace,
    item: &UpsertObject,
    body: i64,
) -> rusqlite::Result<()> {
    if !row.is_new && update_state(connection, row, item)? {
        return Ok(());
    }
    let sql = "INSERT INTO items (session, position, seq, item, turn, status, final, size, source_at, emitted_at, body)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
    connection.prepare_cached(sql)?.execute(params![
        row.session,
        row.position(),
        number(item.seq.unwrap_or_default().0),
        item.item_id.as_str(),
        item.turn_id.as_str(),
        code_of(item.status),
        item.is_final(),
        size_of(item),
        item.source_timestamp.as_millis(),
        item.emitted_at.as_millis(),
        body,
    ])?;
    Ok(())
}

/// False if there is nothing to update.
fn update_state(
    connection: &Connection,
    row: ItemPlace,
    item: &UpsertObject,
) -> rusqlite::Result<bool> {
    let sql = "UPDATE items SET seq = ?3, status = ?4, final = ?5, size = ?6, source_at = ?7, emitted_at = ?8
         WHERE session = ?1 AND position = ?2";
    let changed = connection.prepare_cached(sql)?.execute(params![
        row.session,
        row.position(),
        number(item.seq.unwrap_or_default().0),
        code_of(item.status),
        item.is_final(),
        size_of(item),
        item.source_timestamp.as_millis(),
        item.emitted_at.as_millis(),
    ])?;
    Ok(changed > 0)
}

fn size_of(item: &UpsertObject) -> i64 {
    i64::try_from(item.approximate_size()).unwrap_or(i64::MAX)
}

/// An item that goes on: what is new of its text is appended, and its body is written where it changed.
fn grow(
    connection: &Connection,
    row: ItemPlace,
    item: &UpsertObject,
    before: Option<Grown>,
) -> Result<Grown, StoreError> {
    let text = item.growing_text().cloned().unwrap_or_default();
    let known = before.filter(|before| text.starts_with(&before.text));
    if known.is_none() {
        remove_chunks(connection, row).map_err(broken)?;
    }
    let beginning = match &known {
        Some(before) if before.chunks > 0 => before.beginning,
        _ if text.len() <= SHORT => text.len(),
        Some(before) => before.beginning,
        None => 0,
    };
    let body = body_of(item, &text.head(beginning))?;
    let n = match &known {
        Some(before) if before.body == body => before.row,
        before => {
            put_body(connection, row, before.as_ref().map(|it| it.row), &body).map_err(broken)?
        }
    };
    let chunks = known.as_ref().map_or(0, |before| before.chunks);
    let written = known.map_or(0, |before| before.text.len()).max(beginning);
    if text.len() == written {
        return Ok(Grown { row: n, body, text, beginning, chunks });
    }
    let sql = "INSERT INTO chunks (session, position, n, text) VALUES (?1, ?2, ?3, ?4)";
    let mut insert = connection.prepare_cached(sql).map_err(broken)?;
    insert
        .execute(params![row.session, row.position(), chunks, text.after(written)])
        .map_err(broken)?;
    Ok(Grown { row: n, body, text, beginning, chunks: chunks + 1 })
}

/// An item that has ended stands whole in its body, and its words are to be found. Gives the row of the body.
fn end(
    connection: &Connection,
    row: ItemPlace,
    item: &UpsertObject,
    before: Option<Grown>,
) -> Result<i64, StoreError> {
    if before.as_ref().is_none_or(|before| before.chunks > 0) {
        remove_chunks(connection, row).map_err(broken)?;
    }
    let body = body_of(item, &item.growing_text().cloned().unwrap_or_default())?;
    let n = match before {
        // It stands there already.
        Some(before) if before.body == body => before.row,
        before => put_body(connection, row, before.map(|it| it.row), &body).map_err(broken)?,
    };
    let sql = "INSERT INTO ended (body) VALUES (?1)";
    connection.prepare_cached(sql).and_then(|mut note| note.execute([n])).map_err(broken)?;
    Ok(n)
}

/// Gives back the row of the body, which may be known. A statement that returns it by itself costs more than asking.
fn put_body(
    connection: &Connection,
    row: ItemPlace,
    known: Option<i64>,
    body: &str,
) -> rusqlite::Result<i64> {
    let known = match known {
        None if !row.is_new => row_of_body(connection, row)?,
        known => known,
    };
    if let Some(n) = known {
        let sql = "UPDATE bodies SET body = ?2 WHERE n = ?1";
        connection.prepare_cached(sql)?.execute(params![n, body])?;
        return Ok(n);
    }
    let sql = "INSERT INTO bodies (session, position, body) VALUES (?1, ?2, ?3)";
    connection.prepare_cached(sql)?.insert(params![row.session, row.position(), body])
}

fn row_of_body(connection: &Connection, row: ItemPlace) -> rusqlite::Result<Option<i64>> {
    let sql = "SELECT body FROM items WHERE session = ?1 AND position = ?2";
    let mut select = connection.prepare_cached(sql)?;
    select.query_row(params![row.session, row.position()], |found| found.get(0)).optional()
}

fn remove_chunks(connection: &Connection, row: ItemPlace) -> rusqlite::Result<()> {
    if row.is_new {
        return Ok(());
    }
    let sql = "DELETE FROM chunks WHERE session = ?1 AND position = ?2";
    connection.prepare_cached(sql)?.execute(params![row.session, row.position()])?;
    Ok(())
}

/// The item as it is kept, with so much of its text.
fn body_of(item: &UpsertObject, beginning: &Text) -> Result<String, StoreError> {
    let mut kept = UpsertObject {
        seq: None,
        status: ItemStatus::Create,
        source_timestamp: Timestamp::default(),
        emitted_at: Timestamp::default(),
        ..item.clone()
    };
    if let Some(text) = kept.growing_text_mut() {
        *text = beginning.clone();
    }
    // A text that is written into a buffer which grows with it is in memory twice more.
    let mut body = Vec::with_capacity(kept.approximate_size() + kept.approximate_size() / 8);
    serde_json::to_writer(&mut body, &kept).map_err(broken)?;
    String::from_utf8(body).map_err(broken)
}

/// The columns that `read` needs, of `items` joined with `bodies`.
const COLUMNS: &str = "i.position, i.seq, i.status, i.final, i.source_at, i.emitted_at, b.body
     FROM items i JOIN bodies b ON b.n = i.body";

fn read(
    connection: &Connection,
    session: i64,
    row: &rusqlite::Row<'_>,
) -> Result<UpsertObject, StoreError> {
    let body: String = row.get(6).map_err(broken)?;
    let mut item: UpsertObject = serde_json::from_str(&body).map_err(broken)?;
    let position: i64 = row.get(0).map_err(broken)?;
    let seq: i64 = row.get(1).map_err(broken)?;
    item.seq = Some(Seq(seq.unsigned_abs()));
    item.status = status_of(row.get(2).map_err(broken)?);
    let is_final: bool = row.get(3).map_err(broken)?;
    item.source_timestamp = Timestamp::from_millis(row.get(4).map_err(broken)?);
    item.emitted_at = Timestamp::from_millis(row.get(5).map_err(broken)?);
    if let Some(text) = item.growing_text_mut().filter(|_| !is_final) {
        text.push_str(&chunks(connection, session, position).map_err(broken)?);
    }
    Ok(item)
}

fn chunks(connection: &Connection, session: i64, position: i64) -> rusqlite::Result<String> {
    let sql = "SELECT text FROM chunks WHERE session = ?1 AND position = ?2 ORDER BY n";
    let mut select = connection.prepare_cached(sql)?;
    let mut whole = String::new();
    let mut rows = select.query(params![session, position])?;
    while let Some(row) = rows.next()? {
        whole.push_str(row.get_ref(0)?.as_str()?);
    }
    Ok(whole)
}

pub(super) fn by_id(
    connection: &Connection,
    session: i64,
    item: &str,
) -> Result<Option<UpsertObject>, StoreError> {
    let sql = format!("SELECT {COLUMNS} WHERE i.session = ?1 AND i.item = ?2");
    let mut select = connection.prepare_cached(&sql).map_err(broken)?;
    let found = select.query_row(params![session, item], |row| Ok(read(connection, session, row)));
    found.optional().map_err(broken)?.transpose()
}

/// Items whose position lies between two, both included, in that order.
pub(super) fn between(
    connection: &Connection,
    session: i64,
    (first, last): (i64, i64),
) -> Result<Vec<UpsertObject>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} WHERE i.session = ?1 AND i.position BETWEEN ?2 AND ?3 ORDER BY i.position"
    );
    select(connection, session, &sql, [first, last])
}

/// Items whose last change lies between two, both included, in the order of their positions.
pub(super) fn changed_between(
    connection: &Connection,
    session: i64,
    (first, last): (i64, i64),
) -> Result<Vec<UpsertObject>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} WHERE i.session = ?1 AND i.seq BETWEEN ?2 AND ?3 ORDER BY i.position"
    );
    select(connection, session, &sql, [first, last])
}

pub(super) fn unfinished(
    connection: &Connection,
    session: i64,
) -> Result<Vec<UpsertObject>, StoreError> {
    let sql = format!(
        "SELECT {COLUMNS} WHERE i.session = ?1 AND i.final = 0 AND ?2 = ?3 ORDER BY i.position"
    );
    select(connection, session, &sql, [0, 0])
}

fn select(
    connection: &Connection,
    session: i64,
    sql: &str,
    [first, last]: [i64; 2],
) -> Result<Vec<UpsertObject>, StoreError> {
    let mut select = connection.prepare_cached(sql).map_err(broken)?;
    let mut rows = select.query(params![session, first, last]).map_err(broken)?;
    let mut items = Vec::new();
    while let Some(row) = rows.next().map_err(broken)? {
        items.push(read(connection, session, row)?);
    }
    Ok(items)
}

fn code_of(status: ItemStatus) -> i64 {
    match status {
        ItemStatus::Create => 0,
        ItemStatus::Update => 1,
        ItemStatus::Complete => 2,
        ItemStatus::Error => 3,
    }
}

fn status_of(code: i64) -> ItemStatus {
    match code {
        0 => ItemStatus::Create,
        1 => ItemStatus::Update,
        2 => ItemStatus::Complete,
        _ => ItemStatus::Error,
    }
}
