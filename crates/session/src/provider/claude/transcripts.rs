//! Where Claude Code keeps its sessions: `projects/<directory>/<id>.jsonl` below its configuration.
//!
//! Nothing is written there, and only files whose names are ids are looked at.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use async_trait::async_trait;
use claude::{SubagentTranscript, TranscriptSummary};
use contract::{CallId, ProviderId, SessionId};
use serde::Deserialize;
use uuid::Uuid;

use crate::provider::transcript_files::{
    LISTED, LISTED_BYTES, LONGEST, is_same_directory, read, timestamp, too_long, used_at,
};
use crate::provider::transcripts::{AgentSession, ImportedHistory, Transcripts};
use crate::provider::{ProviderError, ProviderErrorCode};

/// Transcripts of subagents that are read with a session's own.
const SUBAGENTS: usize = 1000;

/// Where an agent with this environment keeps its sessions. `None` if it has no home.
pub fn config_dir(environment: &[(OsString, OsString)]) -> Option<PathBuf> {
    let value = |name: &str| {
        let found = environment.iter().rfind(|(known, _)| known == name);
        found.map(|(_, value)| PathBuf::from(value)).filter(|path| path.is_absolute())
    };
    value("CLAUDE_CONFIG_DIR").or_else(|| value("HOME").map(|home| home.join(".claude")))
}

#[derive(Clone, Debug)]
pub(super) struct ClaudeTranscripts {
    projects: PathBuf,
    /// Who told it, for several may keep their sessions in the same way.
    provider: ProviderId,
}

impl ClaudeTranscripts {
    pub(super) fn new(config_dir: &Path, provider: ProviderId) -> Self {
        Self { projects: config_dir.join("projects"), provider }
    }

    pub(super) fn told_by(self, provider: ProviderId) -> Self {
        Self { provider, ..self }
    }

    /// Does something with files where that may block.
    async fn blocking<T: Send + 'static>(
        &self,
        project_dir: &str,
        act: impl FnOnce(&ProjectTranscripts) -> Result<T, ProviderError> + Send + 'static,
    ) -> Result<T, ProviderError> {
        let (projects, project_dir) = (self.projects.clone(), PathBuf::from(project_dir));
        let read = tokio::task::spawn_blocking(move || {
            act(&ProjectTranscripts::of(&projects, project_dir))
        });
        read.await.unwrap_or_else(|error| Err(unreadable(error)))
    }
}

#[async_trait]
impl Transcripts for ClaudeTranscripts {
    async fn importable(&self, project_dir: &str) -> Result<Vec<AgentSession>, ProviderError> {
        self.blocking(project_dir, ProjectTranscripts::list).await
    }

    async fn history(
        &self,
        session: &SessionId,
        project_dir: &str,
    ) -> Result<ImportedHistory, ProviderError> {
        let (session, provider) = (session.clone(), self.provider.clone());
        self.blocking(project_dir, move |project| project.history(&session, &provider)).await
    }
}

/// The transcripts of one project.
struct ProjectTranscripts {
    project_dir: PathBuf,
    directory: PathBuf,
}

impl ProjectTranscripts {
    fn of(projects: &Path, project_dir: PathBuf) -> Self {
        // The agent names the directory by what it really is.
        let project_dir = fs::canonicalize(&project_dir).unwrap_or(project_dir);
        let directory = projects.join(slug(&project_dir));
        Self { project_dir, directory }
    }

    fn list(&self) -> Result<Vec<AgentSession>, ProviderError> {
        let entries = match fs::read_dir(&self.directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(unreadable(error)),
        };
        let mut files: Vec<(SystemTime, PathBuf)> = entries
            .flatten()
            .map(|entry| entry.path())
            .filter(|path| session_id(path).is_some())
            .filter_map(|path| Some((used_at(&path)?, path)))
            .collect();
        files.sort_by(|a, b| b.cmp(a));
        files.truncate(LISTED);
        let mut sessions: Vec<_> =
            files.iter().filter_map(|(used, path)| self.summarise(path, *used)).collect();
        sessions.sort_by_key(|session| std::cmp::Reverse(session.last_active_at));
        Ok(sessions)
    }

    /// `None` for one that nobody said anything in, that is not this project's, or that cannot be read.
    fn summarise(&self, path: &Path, used: SystemTime) -> Option<AgentSession> {
        let id = session_id(path)?;
        match read(path, LISTED_BYTES) {
            Ok(text) => self.describe(id, &claude::summarise(text.lines()), used),
            Err(error) => {
                tracing::warn!(path = %path.display(), %error, "a transcript cannot be read");
                None
            }
        }
    }

    fn describe(
        &self,
        id: String,
        summary: &TranscriptSummary,
        used: SystemTime,
    ) -> Option<AgentSession> {
        // Different directories may have the same name here.
        let is_ours = |cwd: &str| is_same_directory(cwd, &self.project_dir);
        if summary.prompts == 0 || !summary.cwd.as_deref().is_none_or(is_ours) {
            return None;
        }
        Some(AgentSession {
            id,
            title: summary.title.clone(),
            created_at: summary.first,
            last_active_at: summary.last.unwrap_or_else(|| timestamp(used)),
            prompts: summary.prompts,
        })
    }

    fn history(
        &self,
        session: &SessionId,
        provider: &ProviderId,
    ) -> Result<ImportedHistory, ProviderError> {
        let unknown = || {
            let message = format!("Claude Code keeps no session {session} of this project");
            ProviderError::new(ProviderErrorCode::SessionNotFound, message)
        };
        let path = self.directory.join(format!("{session}.jsonl"));
        let id = session_id(&path).filter(|id| *session == **id).ok_or_else(unknown)?;
        let used = used_at(&path).ok_or_else(unknown)?;
        let length = fs::metadata(&path).map_err(unreadable)?.len();
        if length > LONGEST {
            return Err(too_long());
        }
        let text = read(&path, LONGEST).map_err(unreadable)?;
        let summary = claude::summarise(text.lines());
        let described = self.describe(id, &summary, used).ok_or_else(unknown)?;
        let subagents = subagents(&path.with_extension("").join("subagents"), LONGEST - length);
        let subagents: Vec<_> = subagents
            .iter()
            .map(|(call_id, text)| SubagentTranscript { call_id: call_id.clone(), text })
            .collect();
        let history = claude::history(session, provider, &text, &subagents);
        if history.broken_lines > 0 {
            tracing::warn!(%session, lines = history.broken_lines, "lines of a transcript are broken");
        }
        Ok(ImportedHistory { session: described, events: history.events })
    }
}

/// The CLI's name for a directory: every unit of UTF-16 that is no ASCII letter or digit becomes a dash.
fn slug(directory: &Path) -> String {
    let letter = |unit: u16| u8::try_from(unit).ok().filter(u8::is_ascii_alphanumeric);
    let name = directory.to_string_lossy();
    name.encode_utf16().map(|unit| letter(unit).map_or('-', char::from)).collect()
}

/// The id of the session that a transcript is of: an id and nothing else, so that no name leads elsewhere.
fn session_id(path: &Path) -> Option<String> {
    let is_transcript = path.extension() == Some(OsStr::new("jsonl"));
    let name = path.file_stem().filter(|_| is_transcript)?.to_str()?;
    let id = Uuid::try_parse(name).ok()?.to_string();
    (id == name).then_some(id)
}

/// Transcripts of subagents with the calls that ran them. What does not fit in `room` is left out.
fn subagents(directory: &Path, mut room: u64) -> Vec<(CallId, String)> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Meta {
        tool_use_id: String,
    }
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    let mut paths: Vec<_> =
        paths.filter(|path| path.extension() == Some(OsStr::new("jsonl"))).collect();
    paths.sort();
    let with_call = paths.into_iter().take(SUBAGENTS).filter_map(|path| {
        let meta = read(&path.with_extension("meta.json"), LISTED_BYTES).ok()?;
        let meta: Meta = serde_json::from_str(&meta).ok()?;
        let length = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?.len();
        room = room.checked_sub(length)?;
        Some((CallId::from(meta.tool_use_id), read(&path, length).ok()?))
    });
    with_call.collect()
}

fn unreadable(error: impl std::error::Error + Send + Sync + 'static) -> ProviderError {
    let message = format!("the sessions of Claude Code cannot be read: {error}");
    ProviderError::new(ProviderErrorCode::SessionCreateFailed, message).caused_by(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_named_as_the_cli_names_it() {
        assert_eq!(slug(Path::new("/home/dev/my_project.rs")), "-home-dev-my-project-rs");
        assert_eq!(slug(Path::new("/tmp/ü/😀")), "-tmp-----");
    }

    #[tokio::test]
    async fn a_history_is_told_by_the_agent_whose_it_is() {
        let (home, project) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let id = "8aef91cc-bc1d-4f52-8f04-6a9a4a1f2f7c";
        let directory = fs::canonicalize(project.path()).unwrap();
        let kept = home.path().join("projects").join(slug(&directory));
        fs::create_dir_all(&kept).unwrap();
        let line = |kind: &str, uuid: &str, parent: Option<&str>, message: serde_json::Value| {
            let line = serde_json::json!({
                "type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": id, "cwd": directory,
                "timestamp": "2026-01-01T00:00:00.000Z", "isSidechain": false, "message": message,
            });
            format!("{line}\n")
        };
        let asked = serde_json::json!({ "role": "user", "content": "hi" });
        let thought =
            serde_json::json!([{ "type": "thinking", "thinking": "well", "signature": "s" }]);
        let said =
            serde_json::json!({ "id": "m", "role": "assistant", "model": "m", "content": thought });
        let text = line("user", "u1", None, asked) + &line("assistant", "a1", Some("u1"), said);
        fs::write(kept.join(format!("{id}.jsonl")), text).unwrap();
        let transcripts =
            ClaudeTranscripts::new(home.path(), "claude-code".into()).told_by("second".into());
        let history = transcripts.history(&id.into(), directory.to_str().unwrap()).await.unwrap();
        let told = format!("{:?}", history.events);
        assert!(told.contains("second") && !told.contains("claude-code"), "{told}");
    }

    #[test]
    fn only_an_id_names_a_transcript() {
        let id = "8aef91cc-bc1d-4f52-8f04-6a9a4a1f2f7c";
        assert_eq!(session_id(Path::new(&format!("{id}.jsonl"))).as_deref(), Some(id));
        for name in [
            "notes.jsonl".to_owned(),
            format!("{id}.json"),
            format!("{}.jsonl", id.to_uppercase()),
            format!("{}.jsonl", id.replace('-', "")),
            "agent-a5b8ff00764d8e9fb.jsonl".to_owned(),
        ] {
            assert_eq!(session_id(Path::new(&name)), None, "{name}");
        }
    }

    #[test]
    fn the_agents_own_environment_says_where_it_keeps_things() {
        let environment = |pairs: &[(&str, &str)]| -> Vec<(OsString, OsString)> {
            pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
        };
        let home = ("HOME", "/home/dev");
        let found = |pairs: &[(&str, &str)]| config_dir(&environment(pairs));
        assert_eq!(found(&[home]), Some(PathBuf::from("/home/dev/.claude")));
        assert_eq!(
            found(&[home, ("CLAUDE_CONFIG_DIR", "/etc/claude")]),
            Some(PathBuf::from("/etc/claude"))
        );
        assert_eq!(found(&[home, ("CLAUDE_CONFIG_DIR", "")]), found(&[home]));
        assert_eq!(found(&[]), None);
    }
}
