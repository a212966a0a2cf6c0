//! The sessions that agents of the Agent Client Protocol keep: listed, read, imported.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use contract::{ImportSessionRequest, SessionId};
use serde_json::{Value, json};
use session::provider::acp::{
    AcpConnection, AcpProvider, AcpTransport, AgentWords, ConnectRequest, ConnectionControl,
    TransportError, Word,
};
use session::provider::{CliProvider, ProviderErrorCode, ProviderRegistry, Transcripts};
use session::{AllowedRoots, Autonomous, SessionService, SessionServiceParts};
use store::{Journal, MemoryJournal};
use tempfile::TempDir;
use testkit::{KeptSession, ScriptedProvider, fixed_environment};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// What an agent of a test answers.
#[derive(Default)]
struct Script {
    cannot_list: bool,
    is_silent: bool,
    sessions: Vec<Value>,
    history: Vec<Value>,
    /// Agents that run now, and all that were started.
    running: AtomicUsize,
    started: AtomicUsize,
}

struct Transport(Arc<Script>);
struct Words(Arc<Script>, mpsc::Receiver<String>, VecDeque<String>);
struct Control;

#[async_trait]
impl AcpTransport for Transport {
    async fn connect(&self, _: ConnectRequest) -> Result<AcpConnection, TransportError> {
        self.0.running.fetch_add(1, Ordering::Relaxed);
        self.0.started.fetch_add(1, Ordering::Relaxed);
        let (input, lines) = mpsc::channel(16);
        let output = Box::new(Words(self.0.clone(), lines, VecDeque::new()));
        Ok(AcpConnection { output, input, control: Arc::new(Control), variables: Vec::new() })
    }
}

impl Drop for Words {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::Relaxed);
    }
}

#[async_trait]
impl AgentWords for Words {
    async fn next(&mut self) -> Option<Word<'_>> {
        while self.2.is_empty() {
            let line: Value = serde_json::from_str(&self.1.recv().await?).unwrap();
            self.2.extend(self.0.answer(&line));
        }
        self.2.pop_front().map(Cow::Owned).map(Word::Line)
    }
}

#[async_trait]
impl ConnectionControl for Control {
    async fn close(&self) {}

    async fn ended(&self) -> String {
        std::future::pending().await
    }
}

impl Script {
    fn answer(&self, line: &Value) -> Vec<String> {
        let session = line["params"]["sessionId"].clone();
        let mut updates = Vec::new();
        let result = match line["method"].as_str().unwrap() {
            _ if self.is_silent => return Vec::new(),
            "initialize" => {
                let list = if self.cannot_list { Value::Null } else { json!({}) };
                let can = json!({ "loadSession": true, "sessionCapabilities": { "list": list } });
                json!({ "protocolVersion": 1, "agentCapabilities": can })
            }
            "session/list" => json!({ "sessions": self.sessions }),
            "session/new" => json!({ "sessionId": "made-here" }),
            "session/load" => {
                updates.extend(self.history.iter().map(|update| {
                    let params = json!({ "sessionId": session, "update": update });
                    json!({ "method": "session/update", "params": params }).to_string()
                }));
                json!({})
            }
            _ => return Vec::new(),
        };
        updates.push(json!({ "id": line["id"], "result": result }).to_string());
        updates
    }
}

fn acp(cli_type: &str, script: &Arc<Script>) -> AcpProvider {
    let transport = Arc::new(Transport(script.clone()));
    AcpProvider::new(cli_type.into(), transport, fixed_environment(), TaskTracker::new())
}

fn said(kind: &str, text: &str) -> Value {
    json!({ "sessionUpdate": kind, "content": { "type": "text", "text": text } })
}

fn listed(id: &str, cwd: &str) -> Value {
    json!({ "sessionId": id, "cwd": cwd, "title": format!("about {id}"), "updatedAt": "2026-01-02T03:04:05Z" })
}

async fn offered(provider: &AcpProvider, directory: &str) -> Vec<String> {
    let transcripts: &dyn Transcripts = provider.transcripts().unwrap();
    let found = transcripts.importable(directory).await.unwrap();
    found.into_iter().map(|session| session.id).collect()
}

async fn read(
    provider: &AcpProvider,
    id: &str,
    directory: &str,
) -> Result<Vec<String>, ProviderErrorCode> {
    let transcripts: &dyn Transcripts = provider.transcripts().unwrap();
    let history = transcripts.history(&SessionId::from(id), directory).await;
    let history = history.map_err(|error| error.code)?;
    assert_eq!(history.session.id, id);
    Ok(history.events.iter().map(ToString::to_string).collect())
}

#[tokio::test]
async fn an_agent_is_asked_for_its_sessions_and_ended() {
    let ids = ["one", "../up", ".hidden", "a/b", "", &"x".repeat(129)];
    let mut sessions: Vec<_> = ids.iter().map(|id| listed(id, "/home/dev/here")).collect();
    sessions.push(listed("elsewhere", "/home/dev/there"));
    sessions.push(json!({ "sessionId": "bare" }));
    let script = Arc::new(Script { sessions, ..Script::default() });
    let provider = acp("acp", &script);
    let found = provider.transcripts().unwrap().importable("/home/dev/here").await.unwrap();
    let found: Vec<_> = found.iter().map(|it| (&*it.id, &*it.title, it.prompts)).collect();
    assert!(
        found.contains(&("one", "about one", 0)) && found.contains(&("bare", "", 0)),
        "{found:?}"
    );
    assert_eq!(found.len(), 2);
    assert_eq!(script.running.load(Ordering::Relaxed), 0, "nothing is left running");
}

#[tokio::test]
async fn a_session_is_read_as_its_agent_tells_it() {
    let call = json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "title": "look", "status": "completed", "rawOutput": "seen" });
    let history = vec![
        said("user_message_chunk", "hello"),
        said("agent_message_chunk", "Hi "),
        said("agent_message_chunk", "there."),
        call,
        said("user_message_chunk", "more"),
        said("agent_message_chunk", "No."),
    ];
    let sessions = vec![listed("one", "/home/dev/here")];
    let script = Arc::new(Script { sessions, history, ..Script::default() });
    let provider = acp("acp", &script);
    let expected = [
        "turn-1:0:0 User complete: hello",
        "turn turn-1 started (user, unknown)",
        "turn-1:1:0 Agent complete: Hi there.",
        "turn-1:2:0 look complete {} → seen",
        "turn turn-1 completed",
        "turn-2:0:0 User complete: more",
        "turn turn-2 started (user, unknown)",
        "turn-2:1:0 Agent complete: No.",
        "turn turn-2 completed",
    ];
    assert_eq!(read(&provider, "one", "/home/dev/here").await.unwrap(), expected);
    let started = script.started.load(Ordering::Relaxed);
    let elsewhere = read(&provider, "one", "/home/dev/there").await;
    assert_eq!(elsewhere, Err(ProviderErrorCode::SessionNotFound));
    assert_eq!(script.started.load(Ordering::Relaxed), started + 1, "it is not even loaded");
    for id in ["../one", "", ".one", "one two"] {
        let refused = read(&provider, id, "/home/dev/here").await;
        assert_eq!(refused, Err(ProviderErrorCode::SessionNotFound), "{id}");
    }
    assert_eq!(script.started.load(Ordering::Relaxed), started + 1, "nobody is asked for those");
    assert_eq!(script.running.load(Ordering::Relaxed), 0);
}

#[tokio::test]
async fn an_agent_that_lists_nothing_offers_nothing() {
    let sessions = vec![listed("one", "/home/dev/here")];
    let script = Arc::new(Script { cannot_list: true, sessions, ..Script::default() });
    assert_eq!(offered(&acp("acp", &script), "/home/dev/here").await, [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_does_not_answer_is_waited_for_so_long_and_ended() {
    let script = Arc::new(Script { is_silent: true, ..Script::default() });
    let provider = acp("acp", &script);
    let asked = provider.transcripts().unwrap().importable("/home/dev/here").await;
    assert_eq!(asked.unwrap_err().code, ProviderErrorCode::ProcessCrash);
    assert_eq!(script.running.load(Ordering::Relaxed), 0);
}

const TOOLS: &str = "01a1e273-d529-71c0-9340-05a10f0217eb";
const ENDINGS: &str = "01a1e273-afbc-70c3-9873-746c52ccd873";

fn rollout(name: &str) -> String {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../acp/tests/rollouts");
    fs::read_to_string(samples.join(format!("rollout_{name}.jsonl"))).unwrap()
}

fn put(home: &TempDir, day: &str, id: &str, text: &str) {
    let directory = home.path().join("sessions").join(day);
    fs::create_dir_all(&directory).unwrap();
    fs::write(directory.join(format!("rollout-2026-11-16T03-43-00-{id}.jsonl")), text).unwrap();
}

#[tokio::test]
async fn codex_sessions_of_a_directory_are_found_and_read_without_an_agent() {
    let home = tempfile::tempdir().unwrap();
    let script = Arc::new(Script::default());
    let codex = acp("codex", &script).with_rollouts(Some(home.path()));
    assert_eq!(offered(&codex, "/home/dev/project").await, [""; 0], "no sessions yet");
    put(&home, "2026/11/16", ENDINGS, &rollout("endings"));
    // Begun earlier, and used last.
    put(&home, "2025/01/01", TOOLS, &rollout("tools"));
    let other = "01a1e273-0000-71c0-9340-05a10f0217eb";
    put(&home, "2026/11/16", other, &rollout("tools"));
    let (agents, mine) = ("01a1e273-1111-71c0-9340-05a10f0217eb", r#""source":"unknown""#);
    let text =
        rollout("tools").replace(TOOLS, agents).replace(mine, r#""source":{"subagent":"review"}"#);
    put(&home, "2026/11/16", agents, &text);
    fs::write(home.path().join("sessions/2026/11/16/rollout-notes.txt"), "x").unwrap();
    fs::write(home.path().join("sessions/stray"), "x").unwrap();
    assert_eq!(offered(&codex, "/home/dev/project").await, [TOOLS, ENDINGS]);
    assert_eq!(offered(&codex, "/home/dev/other").await, [""; 0]);

    let told = read(&codex, TOOLS, "/home/dev/project").await.unwrap();
    assert!(told[0].ends_with("User complete: Look around."), "{}", told[0]);
    assert_eq!(told.iter().filter(|line| line.contains(" completed (")).count(), 8);
    for (id, directory) in
        [(TOOLS, "/home/dev/other"), (other, "/home/dev/project"), ("none", "/home/dev/project")]
    {
        assert_eq!(
            read(&codex, id, directory).await,
            Err(ProviderErrorCode::SessionNotFound),
            "{id}"
        );
    }
    let refused = read(&codex, "../../x", "/home/dev/project").await;
    assert_eq!(refused, Err(ProviderErrorCode::SessionNotFound));
    assert_eq!(script.started.load(Ordering::Relaxed), 0, "no agent is started for it");
}

#[cfg(unix)]
#[tokio::test]
async fn a_rollout_that_is_no_file_is_not_waited_for() {
    let home = tempfile::tempdir().unwrap();
    let codex = acp("codex", &Arc::default()).with_rollouts(Some(home.path()));
    put(&home, "2026/11/16", TOOLS, "");
    let path = format!("sessions/2026/11/16/rollout-2026-11-16T03-43-00-{TOOLS}.jsonl");
    let path = home.path().join(path);
    fs::remove_file(&path).unwrap();
    let kind = rustix::fs::FileType::Fifo;
    rustix::fs::mknodat(rustix::fs::CWD, &path, kind, 0o600.into(), 0).unwrap();
    let told = tokio::time::timeout(Duration::from_secs(5), read(&codex, TOOLS, "/home/dev")).await;
    // Whoever waits for it is let go, so that the test ends.
    drop(fs::File::options().read(true).write(true).open(&path).unwrap());
    assert_eq!(told.expect("a pipe is waited for"), Err(ProviderErrorCode::SessionCreateFailed));
}

/// A service with an agent that keeps a session, one that does not start, and one of the protocol.
async fn service(script: &Arc<Script>, journal: Arc<MemoryJournal>) -> (SessionService, TempDir) {
    struct Broken;
    #[async_trait]
    impl AcpTransport for Broken {
        async fn connect(&self, _: ConnectRequest) -> Result<AcpConnection, TransportError> {
            Err(TransportError("it is not installed".to_owned()))
        }
    }
    let project = tempfile::tempdir().unwrap();
    let (environment, tasks) = (fixed_environment(), TaskTracker::new());
    let scripted = ScriptedProvider::default();
    scripted.keep(KeptSession::new("kept", "fix the login", []));
    let mut providers = ProviderRegistry::default();
    providers.register(Arc::new(scripted));
    let broken =
        AcpProvider::new("broken".into(), Arc::new(Broken), environment.clone(), tasks.clone());
    providers.register(Arc::new(broken));
    providers.register(Arc::new(acp("acp", script)));
    let service = SessionService::new(SessionServiceParts {
        providers,
        journal,
        allowed_roots: AllowedRoots::resolve([project.path().to_owned()]).await,
        environment,
        autonomous: Autonomous::default(),
        stop: CancellationToken::new(),
        tasks,
    });
    (service, project)
}

#[tokio::test]
async fn what_is_ours_is_not_offered_and_one_agent_that_fails_hides_no_other() {
    let sessions =
        vec![json!({ "sessionId": "made-here" }), json!({ "sessionId": "made-elsewhere" })];
    let script = Arc::new(Script { sessions, ..Script::default() });
    let journal = Arc::new(MemoryJournal::default());
    let (service, directory) = service(&script, journal.clone()).await;
    let path = directory.path().to_str().unwrap();
    let project = service.add_project(path).await.unwrap().id;
    let offered = async || -> Vec<String> {
        let offered = service.importable(&project).await.unwrap();
        let mut ids: Vec<_> = offered.into_iter().map(|it| it.provider_session_id).collect();
        ids.sort();
        ids
    };
    assert_eq!(offered().await, ["kept", "made-elsewhere", "made-here"]);
    let request = contract::CreateSessionRequest {
        cli_type: "acp".into(),
        project_dir: path.to_owned(),
        title: None,
        model_id: None,
        mode_id: None,
        provider_options: None,
    };
    let created = service.create(request).await.unwrap();
    assert_ne!(created.session_id, "made-here");
    // The session notes its agent's id a little after it is there.
    while journal.session(&created.session_id).await.unwrap().record.agent_session.is_none() {
        tokio::task::yield_now().await;
    }
    assert_eq!(offered().await, ["kept", "made-elsewhere"]);
    let import = |id: &str| ImportSessionRequest {
        cli_type: "acp".into(),
        provider_session_id: id.to_owned(),
        project_id: project.clone(),
    };
    let again = service.import(import("made-here")).await.unwrap();
    assert_eq!(again, created, "the agent's session is one of ours");
    assert_eq!(
        service.import(import("made-elsewhere")).await.unwrap().session_id,
        "made-elsewhere"
    );
    assert_eq!(offered().await, ["kept"]);
    let refused = service.import(import("../made-elsewhere")).await.unwrap_err();
    assert_eq!(refused.code().as_str(), "SESSION_NOT_FOUND");
}
