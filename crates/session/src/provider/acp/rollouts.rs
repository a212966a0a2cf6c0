//! Where Codex keeps its sessions: `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl` below its home.
//!
//! Nothing is written there. A session stays in the file of the day on which it began, however long it goes on.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use acp::rollout::{self, RolloutSummary};
use contract::{ProviderId, SessionId};

use crate::provider::transcript_files::{
    LISTED, LISTED_BYTES, LONGEST, is_same_directory, read, real_directory, timestamp, too_long,
    used_at,
};
use crate::provider::{AgentSession, ImportedHistory, ProviderError, ProviderErrorCode};

/// Rollouts whose first line is looked at for a list, the newest first.
const LOOKED_AT: usize = 5_000;
/// As much of all rollouts as is read for a list.
const READ_BYTES: u64 = 512 << 20;
/// The longest first line that is read; it holds the model's instructions.
const FIRST_LINE: u64 = 1 << 20;
/// Rollouts whose names are looked at for one session.
const NAMES: usize = 200_000;

/// Where a Codex with this environment keeps its things. `None` if it has no home.
pub fn codex_home(environment: &[(OsString, OsString)]) -> Option<PathBuf> {
    let value = |name: &str| {
        let found = environment.iter().rfind(|(known, _)| known == name);
        found.map(|(_, value)| PathBuf::from(value)).filter(|path| path.is_absolute())
    };
    value("CODEX_HOME").or_else(|| value("HOME").map(|home| home.join(".codex")))
}

#[derive(Clone, Debug)]
pub(super) struct Rollouts {
    sessions: PathBuf,
}

impl Rollouts {
    pub(super) fn new(codex_home: &Path) -> Self {
        Self { sessions: codex_home.join("sessions") }
    }

    /// Does something with files where that may block.
    pub(super) async fn blocking<T: Send + 'static>(
        &self,
        act: impl FnOnce(&Self) -> Result<T, ProviderError> + Send + 'static,
    ) -> Result<T, ProviderError> {
        let rollouts = self.clone();
        let read = tokio::task::spawn_blocking(move || act(&rollouts));
        read.await.unwrap_or_else(|error| Err(unreadable(error)))
    }

    pub(super) fn list(&self, project_dir: &str) -> Result<Vec<AgentSession>, ProviderError> {
        let project_dir = real_directory(project_dir);
        let mut room = READ_BYTES;
        let mut sessions = Vec::new();
        for path in self.newest_first().map_err(unreadable)?.take(LOOKED_AT) {
            if sessions.len() >= LISTED || room == 0 {
                break;
            }
            // Most are of other directories, and the first line tells.
            let Some(first) = first_line(&path) else { continue };
            room = room.saturating_sub(length(&first));
            if !is_of(&rollout::summarise([&*first]), &project_dir) {
                continue;
            }
            match read(&path, LISTED_BYTES.min(room)) {
                Ok(text) => {
                    room = room.saturating_sub(length(&text));
                    let summary = rollout::summarise(text.lines());
                    sessions.extend(describe(&summary, &path));
                }
                Err(error) => {
                    tracing::warn!(path = %path.display(), %error, "a rollout cannot be read");
                }
            }
        }
        sessions.sort_by_key(|session| std::cmp::Reverse(session.last_active_at));
        Ok(sessions)
    }

    pub(super) fn history(
        &self,
        session: &SessionId,
        provider: &ProviderId,
        project_dir: &str,
    ) -> Result<ImportedHistory, ProviderError> {
        let unknown = || {
            let message = format!("Codex keeps no session {session} of this project");
            ProviderError::new(ProviderErrorCode::SessionNotFound, message)
        };
        let end = format!("-{session}.jsonl");
        let mut names = self.newest_first().map_err(unreadable)?.take(NAMES);
        let path = names.find(|path| name(path).is_some_and(|name| name.ends_with(&end)));
        let path = path.ok_or_else(unknown)?;
        if fs::metadata(&path).map_err(unreadable)?.len() > LONGEST {
            return Err(too_long());
        }
        let text = read(&path, LONGEST).map_err(unreadable)?;
        let summary = rollout::summarise(text.lines());
        let is_it = *session == *summary.session_id;
        if !is_it || !is_of(&summary, &real_directory(project_dir)) {
            return Err(unknown());
        }
        let described = describe(&summary, &path).ok_or_else(unknown)?;
        let history = rollout::history(session, provider, &text);
        if history.broken_lines + history.unknown_lines > 0 {
            let (broken, unknown) = (history.broken_lines, history.unknown_lines);
            tracing::warn!(%session, broken, unknown, "lines of a rollout are passed over");
        }
        Ok(ImportedHistory { session: described, events: history.events })
    }

    /// All rollouts, by the days and then the times in their names. Nothing is read ahead of who asks.
    fn newest_first(&self) -> io::Result<impl Iterator<Item = PathBuf> + use<>> {
        let years = match newest_names(&self.sessions) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            years => years?,
        };
        let below = |directory: PathBuf| newest_names(&directory).unwrap_or_default();
        let days = years.into_iter().flat_map(below).flat_map(below);
        let files = days.flat_map(below);
        Ok(files.filter(|path| {
            name(path).is_some_and(|name| name.starts_with("rollout-") && name.ends_with(".jsonl"))
        }))
    }
}

fn newest_names(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<_> = fs::read_dir(directory)?.flatten().map(|entry| entry.path()).collect();
    paths.sort_by(|a, b| b.cmp(a));
    Ok(paths)
}

fn name(path: &Path) -> Option<&str> {
    path.file_name()?.to_str()
}

fn first_line(path: &Path) -> Option<String> {
    used_at(path)?;
    let mut line = String::new();
    BufReader::new(File::open(path).ok()?.take(FIRST_LINE)).read_line(&mut line).ok()?;
    Some(line)
}

/// Whether a person began the session, in this directory.
fn is_of(summary: &RolloutSummary, project_dir: &Path) -> bool {
    let is_here = summary.cwd.as_deref().is_some_and(|cwd| is_same_directory(cwd, project_dir));
    is_here && !summary.is_of_agent
}

/// `None` for one that nobody said anything in, or whose id is not what its file is called.
fn describe(summary: &RolloutSummary, path: &Path) -> Option<AgentSession> {
    let id = summary.session_id.clone();
    let is_named = name(path)?.ends_with(&format!("-{id}.jsonl"));
    if summary.prompts == 0 || !is_named || !super::transcripts::is_usable(&id) {
        return None;
    }
    // Of a long one the end was not read.
    let written = used_at(path).filter(|_| length_of(path) > LISTED_BYTES).map(timestamp);
    Some(AgentSession {
        id,
        title: summary.title.clone(),
        created_at: summary.first,
        last_active_at: written.max(summary.last).or(summary.first).unwrap_or_default(),
        prompts: summary.prompts,
    })
}

fn length(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}

fn length_of(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |found| found.len())
}

fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> ProviderError {
    let message = format!("the sessions of Codex cannot be read: {error}");
    ProviderError::new(ProviderErrorCode::SessionCreateFailed, message).caused_by(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agents_own_environment_says_where_it_keeps_things() {
        let found = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter().map(|(name, value)| (name.into(), value.into()));
            codex_home(&pairs.collect::<Vec<_>>())
        };
        let home = ("HOME", "/home/dev");
        assert_eq!(found(&[home]), Some(PathBuf::from("/home/dev/.codex")));
        assert_eq!(found(&[home, ("CODEX_HOME", "/etc/codex")]), Some(PathBuf::from("/etc/codex")));
        assert_eq!(found(&[home, ("CODEX_HOME", "")]), found(&[home]));
        assert_eq!(found(&[]), None);
    }
}
