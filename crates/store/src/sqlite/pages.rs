//! Pages of a session's history. Sizes are looked at first, so that only what fits is read.

use std::collections::{BTreeMap, HashSet};

use contract::{HistoryPage, Seq, SessionId, TurnEvent, TurnId};
use rusqlite::{Connection, OptionalExtension, params};

use super::session_rows::{self, Place, parse};
use super::{broken, item_rows, number};
use crate::room::Room;
use crate::{HistoryQuery, PageLimit, StoreError, TurnProgress};

/// Within one transaction: a page is what the journal held at one time.
pub(super) fn history(
    connection: &mut Connection,
    session: &SessionId,
    query: HistoryQuery,
) -> Result<HistoryPage, StoreError> {
    let snapshot = connection.transaction().map_err(broken)?;
    let place = session_rows::place(&snapshot, session)?;
    match query {
        HistoryQuery::Newest { limit } => before(&snapshot, place, place.head.next(), limit),
        HistoryQuery::Before { position, limit } => before(&snapshot, place, position, limit),
        HistoryQuery::After { seq, limit } => after(&snapshot, place, seq, limit),
        HistoryQuery::From { position, limit } => from(&snapshot, place, position, limit),
    }
}

/// The newest items before `position`, with the events of their turns and the newest of the stretch that belong to none of
/// them.
fn before(
    connection: &Connection,
    place: Place,
    position: Seq,
    limit: PageLimit,
) -> Result<HistoryPage, StoreError> {
    let mut room = Room::new(limit);
    let first = first_that_fits(connection, place, position, &mut room).map_err(broken)?;
    let until = number(position.0).saturating_sub(1);
    let entries = match first {
        Some(first) => item_rows::between(connection, place.row, (first, until))?,
        None => Vec::new(),
    };
    let oldest = first.filter(|_| room.is_full).unwrap_or_default();
    let shown: HashSet<_> = entries.iter().map(|entry| &entry.turn_id).collect();
    let mut turns = Events::new();
    for turn in &shown {
        turns.extend(events_of(connection, place, turn)?);
    }
    // As many as those of the shown turns are no hindrance to others being found.
    let beside = events(connection, place, (oldest, until), limit.entries + turns.len())?;
    let others = beside.into_iter().filter(|(_, event)| !shown.contains(&event.turn_id));
    // The newest: what is gathered from the end is put in order by itself.
    turns.extend(others.rev().take(limit.entries));
    page(connection, place, place.head, entries, turns, room.is_full)
}

fn first_that_fits(
    connection: &Connection,
    place: Place,
    position: Seq,
    room: &mut Room,
) -> rusqlite::Result<Option<i64>> {
    let sql = "SELECT position, size FROM items WHERE session = ?1 AND position < ?2 ORDER BY position DESC";
    let mut select = connection.prepare_cached(sql)?;
    let mut rows = select.query(params![place.row, number(position.0)])?;
    let mut first = None;
    while let Some(row) = rows.next()? {
        if !room.takes(size(row.get(1)?)) {
            break;
        }
        first = Some(row.get(0)?);
    }
    Ok(first)
}

/// What changed after `seq`, oldest change first.
fn after(
    connection: &Connection,
    place: Place,
    seq: Seq,
    limit: PageLimit,
) -> Result<HistoryPage, StoreError> {
    let mut room = Room::new(limit);
    let sql = "SELECT seq, size FROM items WHERE session = ?1 AND seq >= ?2
         UNION ALL SELECT seq, 0 FROM turns WHERE session = ?1 AND seq >= ?2 ORDER BY seq";
    let last = last_that_fits(connection, sql, place, seq.next(), &mut room).map_err(broken)?;
    let until = last.filter(|_| room.is_full).map_or(place.head, |last| Seq(last.unsigned_abs()));
    let within = (number(seq.next().0), number(until.0));
    let entries = item_rows::changed_between(connection, place.row, within)?;
    let turns = events(connection, place, within, usize::MAX)?;
    page(connection, place, until, entries, turns, room.is_full)
}

/// The timeline from a place on.
fn from(
    connection: &Connection,
    place: Place,
    position: Seq,
    limit: PageLimit,
) -> Result<HistoryPage, StoreError> {
    let mut room = Room::new(limit);
    let sql = "SELECT position, size FROM items WHERE session = ?1 AND position >= ?2
         UNION ALL SELECT seq, 0 FROM turns WHERE session = ?1 AND seq >= ?2 ORDER BY position";
    let last = last_that_fits(connection, sql, place, position, &mut room).map_err(broken)?;
    let until = last.filter(|_| room.is_full).map_or(place.head, |last| Seq(last.unsigned_abs()));
    let within = (number(position.0), number(until.0));
    let entries = item_rows::between(connection, place.row, within)?;
    let turns = events(connection, place, within, usize::MAX)?;
    page(connection, place, until, entries, turns, room.is_full)
}

/// The last of the numbered rows that `sql` selects, from a number on, that there is room for.
fn last_that_fits(
    connection: &Connection,
    sql: &str,
    place: Place,
    first: Seq,
    room: &mut Room,
) -> rusqlite::Result<Option<i64>> {
    let mut select = connection.prepare_cached(sql)?;
    let mut rows = select.query(params![place.row, number(first.0)])?;
    let mut last = None;
    while let Some(row) = rows.next()? {
        if !room.takes(size(row.get(1)?)) {
            break;
        }
        last = Some(row.get(0)?);
    }
    Ok(last)
}

type Events = BTreeMap<Seq, TurnEvent>;

/// The newest events between two, both included.
fn events(
    connection: &Connection,
    place: Place,
    (first, last): (i64, i64),
    limit: usize,
) -> Result<Events, StoreError> {
    let sql = "SELECT body FROM turns WHERE session = ?1 AND seq BETWEEN ?2 AND ?3 ORDER BY seq DESC LIMIT ?4";
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut select = connection.prepare_cached(sql).map_err(broken)?;
    let rows = select.query_map(params![place.row, first, last, limit], |row| row.get(0));
    collect(rows.map_err(broken)?)
}

fn events_of(connection: &Connection, place: Place, turn: &TurnId) -> Result<Events, StoreError> {
    let sql = "SELECT body FROM turns WHERE session = ?1 AND turn = ?2 ORDER BY seq";
    let mut select = connection.prepare_cached(sql).map_err(broken)?;
    let rows = select.query_map(params![place.row, turn.as_str()], |row| row.get(0));
    collect(rows.map_err(broken)?)
}

fn collect(bodies: impl Iterator<Item = rusqlite::Result<String>>) -> Result<Events, StoreError> {
    let mut events = Events::new();
    for body in bodies {
        let event: TurnEvent = parse(&body.map_err(broken)?)?;
        events.insert(event.seq.unwrap_or_default(), event);
    }
    Ok(events)
}

fn page(
    connection: &Connection,
    place: Place,
    seq: Seq,
    entries: Vec<contract::UpsertObject>,
    turns: Events,
    more: bool,
) -> Result<HistoryPage, StoreError> {
    let sql = "SELECT epoch FROM sessions WHERE n = ?1";
    let mut select = connection.prepare_cached(sql).map_err(broken)?;
    let epoch: String = select.query_row([place.row], |row| row.get(0)).map_err(broken)?;
    Ok(HistoryPage {
        epoch: epoch.into(),
        seq,
        entries,
        turns: turns.into_values().collect(),
        more,
    })
}

/// How far a turn got.
pub(super) fn progress(
    connection: &Connection,
    session: i64,
    turn: &TurnId,
) -> rusqlite::Result<Option<TurnProgress>> {
    let sql =
        "SELECT terminal FROM turns WHERE session = ?1 AND turn = ?2 ORDER BY seq DESC LIMIT 1";
    let mut select = connection.prepare_cached(sql)?;
    let is_over = select.query_row(params![session, turn.as_str()], |row| row.get::<_, bool>(0));
    let progress = |is_over| if is_over { TurnProgress::Ended } else { TurnProgress::Started };
    Ok(is_over.optional()?.map(progress))
}

fn size(bytes: i64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
