//! Projects and sessions of the program before this one, taken over once. Its files are read and never changed.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Context;
use contract::{Project, ProjectId, SessionSource, Timestamp};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use session::Environment;
use store::{AgentChoices, Journal, SessionRecord, StoreError};

/// Set when everything was taken over, so that what is removed here later does not come back.
const MARK: &str = "predecessor";
/// A file that is longer was not written by that program.
const LONGEST: u64 = 64 * 1024 * 1024;

/// Both files: `{"version":1,"data":[…]}`, or the list under its name, or the bare list.
#[derive(Deserialize)]
#[serde(untagged)]
enum File<T> {
    Named {
        #[serde(alias = "projects", alias = "sessions")]
        data: Vec<T>,
    },
    Bare(Vec<T>),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OldProject {
    id: String,
    path: String,
    #[serde(default)]
    added_at: Option<OldTime>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OldSession {
    #[serde(alias = "sessionId")]
    id: String,
    project_id: String,
    cli_type: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    created_at: Option<OldTime>,
    #[serde(default)]
    last_active_at: Option<OldTime>,
    #[serde(default)]
    archived: bool,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum OldTime {
    Written(Timestamp),
    Millis(i64),
}

impl From<OldTime> for Timestamp {
    fn from(time: OldTime) -> Self {
        match time {
            OldTime::Written(time) => time,
            OldTime::Millis(millis) => Self::from_millis(millis),
        }
    }
}

/// How much was taken over.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct TakenOver {
    pub(crate) projects: usize,
    pub(crate) sessions: usize,
}

/// Takes over what is there, unless that was done before. What a session said is read from its agent when it is opened.
pub(crate) async fn take_over(
    directory: &Path,
    journal: &dyn Journal,
    environment: &Environment,
) -> anyhow::Result<TakenOver> {
    if journal.is_marked(MARK).await? {
        return Ok(TakenOver::default());
    }
    let projects: Vec<OldProject> = read(&directory.join("projects.json"))?;
    let sessions: Vec<OldSession> = read(&directory.join("sessions.json"))?;
    let known = add_projects(projects, journal, environment).await?;
    let mut taken = TakenOver { projects: known.len(), sessions: 0 };
    for session in sessions {
        let Some(project) = known.get(&session.project_id) else { continue };
        match journal.create_session(record(session, project, environment)).await {
            Ok(()) => taken.sessions += 1,
            // An earlier attempt came that far.
            Err(StoreError::DuplicateSession(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    journal.mark(MARK).await?;
    Ok(taken)
}

/// By the ids that the sessions name them by.
async fn add_projects(
    projects: Vec<OldProject>,
    journal: &dyn Journal,
    environment: &Environment,
) -> anyhow::Result<HashMap<String, Project>> {
    let mut known = HashMap::new();
    for project in projects {
        // Of two by one name the first has it: a file that was written badly keeps nobody from the rest of it.
        if known.contains_key(&project.id) {
            continue;
        }
        // One whose directory is away just now may come back.
        let path = std::fs::canonicalize(&project.path).unwrap_or_else(|_| project.path.into());
        let Some(path) = path.to_str() else { continue };
        let name = Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
        let added = Project {
            id: ProjectId::from(project.id.as_str()),
            path: path.to_owned(),
            name: name.unwrap_or_else(|| path.to_owned()),
            added_at: project.added_at.map_or_else(|| environment.clock.now(), Into::into),
        };
        known.insert(project.id, journal.add_project(added).await?.project);
    }
    Ok(known)
}

fn record(old: OldSession, project: &Project, environment: &Environment) -> SessionRecord {
    let last_active_at = old.last_active_at.or(old.created_at).map(Into::into);
    let last_active_at = last_active_at.unwrap_or_else(|| environment.clock.now());
    // The agent knows it without the name of its type in front.
    let prefix = format!("{}:", old.cli_type);
    let agent_session = old.id.strip_prefix(&prefix).unwrap_or(&old.id).to_owned();
    SessionRecord {
        session_id: old.id.into(),
        project_id: project.id.clone(),
        project_dir: project.path.clone(),
        cli_type: old.cli_type.into(),
        agent_session: Some(agent_session),
        choices: AgentChoices::default(),
        epoch: environment.ids.epoch(),
        title: old.title.filter(|title| !title.is_empty()).unwrap_or("New Session".to_owned()),
        created_at: old.created_at.map_or(last_active_at, Into::into),
        last_active_at,
        archived: old.archived,
        dead: false,
        source: SessionSource::Imported,
    }
}

/// An entry that cannot be read costs only itself; a file that cannot be read is told.
fn read<T: DeserializeOwned>(path: &Path) -> anyhow::Result<Vec<T>> {
    let described = || format!("the predecessor's {}", path.display());
    match std::fs::metadata(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Ok(found) if found.len() > LONGEST => anyhow::bail!("{} is too long", described()),
        Ok(_) => {}
        Err(error) => return Err(error).with_context(described),
    }
    let text = std::fs::read_to_string(path).with_context(described)?;
    let file: File<serde_json::Value> = serde_json::from_str(&text).with_context(described)?;
    let (File::Named { data } | File::Bare(data)) = file;
    let entries = data.into_iter().filter_map(|entry| match serde_json::from_value(entry) {
        Ok(entry) => Some(entry),
        Err(error) => {
            tracing::warn!(%error, file = %path.display(), "an entry is left out");
            None
        }
    });
    Ok(entries.collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use store::MemoryJournal;

    use super::*;

    async fn taken(
        projects: &serde_json::Value,
        sessions: &serde_json::Value,
    ) -> (MemoryJournal, TakenOver) {
        let directory = tempfile::tempdir().unwrap();
        let write = |name: &str, value: &serde_json::Value| {
            std::fs::write(directory.path().join(name), value.to_string()).unwrap();
        };
        write("projects.json", projects);
        write("sessions.json", sessions);
        let journal = MemoryJournal::default();
        let environment = Environment::default();
        let taken = take_over(directory.path(), &journal, &environment).await.unwrap();
        let again = take_over(directory.path(), &journal, &environment).await.unwrap();
        assert_eq!(again, TakenOver::default(), "once");
        (journal, taken)
    }

    #[tokio::test]
    async fn projects_and_sessions_are_taken_over_once() {
        let project = tempfile::tempdir().unwrap();
        let path = project.path().canonicalize().unwrap();
        let projects = json!({"version": 1, "data": [
            {"id": "p1", "path": path, "name": "old name", "addedAt": "2026-01-02T03:04:05.000Z"},
            {"id": "p2", "path": "/nowhere/at/all", "addedAt": 1_700_000_000_000_i64},
            {"path": "/without/an/id"},
        ]});
        let sessions = json!({"version": 1, "data": [
            {"id": "claude-code:abc", "projectId": "p1", "cliType": "claude-code", "title": "Fix it",
             "createdAt": "2026-01-02T03:04:05.000Z", "lastActiveAt": "2026-01-03T03:04:05.000Z", "archived": true},
            {"sessionId": "def", "projectId": "p2", "cliType": "codex"},
            {"id": "lost", "projectId": "gone", "cliType": "codex"},
            17,
        ]});
        let (journal, taken) = taken(&projects, &sessions).await;
        assert_eq!(taken, TakenOver { projects: 2, sessions: 2 });
        let projects = journal.projects().await.unwrap();
        assert_eq!(projects[0].path, path.to_str().unwrap());
        assert_eq!(projects[0].added_at.to_string(), "2026-01-02T03:04:05.000Z");
        let mut records = journal.sessions().await.unwrap();
        records.sort_by_key(|record| record.session_id.clone());
        assert_eq!(records[0].agent_session.as_deref(), Some("abc"));
        assert_eq!((records[0].title.as_str(), records[0].archived), ("Fix it", true));
        assert_eq!(
            (records[1].title.as_str(), records[1].source),
            ("New Session", SessionSource::Imported)
        );
    }

    #[tokio::test]
    async fn two_projects_by_one_name_keep_nothing_else_from_being_taken_over() {
        let directory = tempfile::tempdir().unwrap();
        let projects = json!([{"id": "p", "path": "/one"}, {"id": "p", "path": "/two"}, {"id": "q", "path": "/three"}]);
        std::fs::write(directory.path().join("projects.json"), projects.to_string()).unwrap();
        let journal = store::SqliteJournal::open(&directory.path().join("journal.db")).unwrap();
        let taken = take_over(directory.path(), &journal, &Environment::default()).await.unwrap();
        assert_eq!(taken, TakenOver { projects: 2, sessions: 0 });
        let paths: Vec<_> =
            journal.projects().await.unwrap().into_iter().map(|one| one.path).collect();
        assert_eq!(paths, ["/one", "/three"]);
    }

    #[tokio::test]
    async fn other_shapes_of_the_files_are_read_too() {
        let projects = json!({"projects": [{"id": "p", "path": "/nowhere"}]});
        let sessions = json!([{"id": "s", "projectId": "p", "cliType": "codex"}]);
        let (_, taken) = taken(&projects, &sessions).await;
        assert_eq!(taken, TakenOver { projects: 1, sessions: 1 });
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_read_is_told_and_left_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("projects.json");
        std::fs::write(&path, "{ half").unwrap();
        let journal = MemoryJournal::default();
        let error = take_over(directory.path(), &journal, &Environment::default()).await;
        assert!(error.unwrap_err().to_string().contains("projects.json"));
        assert_eq!(std::fs::read_to_string(path).unwrap(), "{ half");
    }
}
