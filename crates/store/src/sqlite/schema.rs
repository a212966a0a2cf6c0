//! The file's shape: made, brought up to date, or refused.

use rusqlite::Connection;

use super::OpenError;

/// Marks a file as ours: "Limn".
pub(super) const APPLICATION: i32 = 0x4c69_6d6e;
/// Each brings a journal of the version before up to the next one.
pub(super) const MIGRATIONS: [&str; 7] = [
    include_str!("schema.sql"),
    include_str!("removed_projects.sql"),
    include_str!("decided_permissions.sql"),
    include_str!("notes.sql"),
    include_str!("words_elsewhere.sql"),
    include_str!("agent_choices.sql"),
    include_str!("fewer_pages.sql"),
];

/// What a connection needs, whatever it does. Durability is asked for by the writer.
pub(super) fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(64);
    connection.busy_timeout(std::time::Duration::from_secs(5))?;
    connection.pragma_update(None, "foreign_keys", "ON")?;
    // Nothing is written to temporary files: the data directory is the only place where sessions are.
    connection.pragma_update(None, "temp_store", "MEMORY")
}

/// For the one connection that writes. A change counts as committed when it is on the disk.
pub(super) fn configure_writer(connection: &Connection, version: u32) -> rusqlite::Result<()> {
    // Before the first page is written; later it would have no effect, but be written all the same.
    if version == 0 {
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    connection.pragma_update(None, "journal_mode", "WAL")?;
    configure_durable(connection)?;
    // A log that is begun anew keeps its room: writing over it is quicker than growing. It is given back at rest.
    connection.pragma_update(None, "journal_size_limit", 64 * 1024 * 1024)
}

/// For those that flush: what they report as done is on the disk.
pub(super) fn configure_durable(connection: &Connection) -> rusqlite::Result<()> {
    configure(connection)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    // On systems where a flush leaves the data in the disk's own cache.
    connection.pragma_update(None, "fullfsync", "ON")?;
    connection.pragma_update(None, "checkpoint_fullfsync", "ON")
}

/// Before anything is written: whether the file is one that this version may touch.
pub(super) fn check(connection: &Connection) -> Result<u32, OpenError> {
    let application: i32 =
        connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: u32 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if application != APPLICATION && tables > 0 {
        return Err(OpenError::Foreign);
    }
    let known = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
    if version > known {
        return Err(OpenError::Newer { found: version, known });
    }
    Ok(version)
}

/// Brings the file up to this version, in one step: a crash leaves the old shape or the new one. One that is up to date
/// is not written to: it must open also where there is no room.
pub(super) fn migrate(connection: &mut Connection, from: u32) -> Result<(), OpenError> {
    if usize::try_from(from) == Ok(MIGRATIONS.len()) {
        return Ok(());
    }
    if from > 0 {
        tracing::info!("the journal is brought up to date, which may take a while");
    }
    let missing = MIGRATIONS.iter().zip(1_u32..).skip(usize::try_from(from).unwrap_or_default());
    let transaction = connection.transaction()?;
    for (migration, version) in missing {
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", version)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    Ok(transaction.commit()?)
}
