//! Projects as rows. One that is removed stays, so that its sessions find it again.

use contract::{Project, ProjectId, Timestamp};
use rusqlite::{Connection, Row, params};

use crate::AddedProject;

pub(super) fn add(connection: &Connection, project: &Project) -> rusqlite::Result<AddedProject> {
    let sql = "INSERT INTO projects (id, path, name, added_at) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (path) DO UPDATE SET removed = 0 WHERE removed = 1";
    let (id, added) = (project.id.as_str(), project.added_at.as_millis());
    let values = params![id, project.path, project.name, added];
    let is_new = connection.prepare_cached(sql)?.execute(values)? == 1;
    let sql = "SELECT id, path, name, added_at FROM projects WHERE path = ?1";
    let project = connection.prepare_cached(sql)?.query_row([&project.path], project_of)?;
    Ok(AddedProject { project, is_new })
}

/// False if it is not there.
pub(super) fn remove(connection: &Connection, project: &ProjectId) -> rusqlite::Result<bool> {
    let sql = "UPDATE projects SET removed = 1 WHERE id = ?1 AND removed = 0";
    Ok(connection.prepare_cached(sql)?.execute([project.as_str()])? == 1)
}

pub(super) fn listed(connection: &Connection) -> rusqlite::Result<Vec<Project>> {
    let sql = "SELECT id, path, name, added_at FROM projects WHERE removed = 0 ORDER BY n";
    connection.prepare_cached(sql)?.query_map([], project_of)?.collect()
}

fn project_of(row: &Row<'_>) -> rusqlite::Result<Project> {
    Ok(Project {
        id: row.get::<_, String>(0)?.into(),
        path: row.get(1)?,
        name: row.get(2)?,
        added_at: Timestamp::from_millis(row.get(3)?),
    })
}
