//! The sessions that Claude Code keeps on disk, found and read.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use contract::SessionId;
use session::Environment;
use session::provider::claude::{
    ClaudeProvider, ClaudeSdkAdapter, QueryError, QueryHandle, QueryRequest,
};
use session::provider::{CliProvider, HistoryEvent, ProviderErrorCode};
use tempfile::TempDir;
use tokio_util::task::TaskTracker;

/// Where the recorded conversations took place.
const PROJECT: &str = "/home/dev/project";
const FIRST: &str = "11111111-aaaa-4000-8000-000000000001";
const SECOND: &str = "22222222-aaaa-4000-8000-000000000002";

struct NoAgent;

#[async_trait]
impl ClaudeSdkAdapter for NoAgent {
    async fn query(&self, _: QueryRequest) -> Result<QueryHandle, QueryError> {
        Err(QueryError::new("nothing is started here"))
    }
}

/// A configuration of the agent's with a directory for the project.
struct Disk {
    root: TempDir,
    provider: ClaudeProvider,
}

impl Disk {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("projects/-home-dev-project")).unwrap();
        let provider =
            ClaudeProvider::new(Arc::new(NoAgent), Environment::default(), TaskTracker::new())
                .with_transcripts(Some(root.path()));
        Self { root, provider }
    }

    fn project(&self) -> PathBuf {
        self.root.path().join("projects/-home-dev-project")
    }

    fn put(&self, name: &str, text: &str) {
        let path = self.project().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    async fn listed(&self, directory: &str) -> Vec<(String, String, u64)> {
        let found = self.provider.transcripts().unwrap().importable(directory).await.unwrap();
        found.into_iter().map(|session| (session.id, session.title, session.prompts)).collect()
    }

    async fn history(&self, id: &str) -> Result<Vec<String>, ProviderErrorCode> {
        let transcripts = self.provider.transcripts().unwrap();
        let history = transcripts.history(&SessionId::from(id), PROJECT).await;
        let told =
            history.map_err(|error| error.code)?.events.into_iter().map(|event| match event {
                HistoryEvent::Upsert(item) => {
                    assert_eq!(item.session_id, id);
                    item.item_id.to_string()
                }
                HistoryEvent::Turn(event) => format!("turn {}", event.turn_id),
            });
        Ok(told.collect())
    }
}

fn recorded(name: &str) -> String {
    let recordings = Path::new(env!("CARGO_MANIFEST_DIR")).join("../claude/tests/recordings");
    fs::read_to_string(recordings.join(name)).unwrap()
}

#[tokio::test]
async fn sessions_of_a_directory_are_listed_the_last_used_first() {
    let disk = Disk::new();
    assert_eq!(disk.listed(PROJECT).await, []);
    disk.put(&format!("{FIRST}.jsonl"), &recorded("2.1.197/transcript_chain.jsonl"));
    disk.put(&format!("{SECOND}.jsonl"), &recorded("2.1.325/transcript_int_tool.jsonl"));
    disk.put("notes.jsonl", &recorded("2.1.197/transcript_chain.jsonl"));
    disk.put("33333333-aaaa-4000-8000-000000000003.jsonl", "");
    disk.put("44444444-aaaa-4000-8000-000000000004.jsonl/inside", "");
    let expected = [
        (SECOND.to_owned(), "KSLEEPTOOL please".to_owned(), 2),
        (FIRST.to_owned(), "KCHAIN hello".to_owned(), 2),
    ];
    assert_eq!(disk.listed(PROJECT).await, expected);
    // Another directory whose name becomes the same here.
    assert_eq!(disk.listed("/home/dev-project").await, []);
    assert_eq!(disk.listed("/home/dev/other").await, []);
}

#[tokio::test]
async fn a_session_is_read_with_its_subagents() {
    let disk = Disk::new();
    disk.put(&format!("{FIRST}.jsonl"), &recorded("2.1.325/transcript_compact.jsonl"));
    let call = "toolu_139902867084160";
    let subagent = recorded(&format!("2.1.325/transcript_compact.agent.{call}.jsonl"));
    disk.put(&format!("{FIRST}/subagents/agent-a.jsonl"), &subagent);
    let meta = format!(r#"{{"agentType":"general-purpose","toolUseId":"{call}"}}"#);
    disk.put(&format!("{FIRST}/subagents/agent-a.meta.json"), &meta);
    disk.put(&format!("{FIRST}/subagents/agent-b.jsonl"), "no meta, no place");
    let told = disk.history(FIRST).await.unwrap();
    assert!(told.iter().any(|line| line.ends_with(&format!(":{call}:0"))), "{told:?}");
    assert_eq!(told.len(), 17);
}

#[tokio::test]
async fn only_a_session_of_the_project_can_be_read() {
    let disk = Disk::new();
    disk.put(&format!("{FIRST}.jsonl"), &recorded("2.1.197/transcript_chain.jsonl"));
    disk.put("plain.jsonl", &recorded("2.1.197/transcript_chain.jsonl"));
    assert!(disk.history(FIRST).await.is_ok());
    let elsewhere = format!("../-home-dev-project/{FIRST}");
    for id in [SECOND, "plain", &elsewhere, "", "..", "/etc/passwd"] {
        assert_eq!(disk.history(id).await, Err(ProviderErrorCode::SessionNotFound), "{id}");
    }
}

#[tokio::test]
async fn a_provider_that_was_not_told_where_reads_nothing() {
    let provider =
        ClaudeProvider::new(Arc::new(NoAgent), Environment::default(), TaskTracker::new());
    assert!(provider.transcripts().is_none());
    assert!(provider.with_transcripts(None).transcripts().is_none());
}
