//! Sessions that were begun with an agent itself, imported and gone on with: Codex by its files, others by asking them.
#![cfg(test)]

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use agent_process::Launcher;
use contract::{ImportSessionRequest, MessageOrigin, TurnEventKind, TurnStatus, UpsertBody};
use serde_json::{Value, json};
use session::provider::acp::{AcpCli, AcpProvider, codex_home};
use session::provider::{AgentCommand, ProviderRegistry};
use session::{AllowedRoots, Autonomous, Environment, SessionService, SessionServiceParts};
use store::MemoryJournal;
use testkit::CodexHome;
use testkit::agents::codex_acp;
use testkit::claude_house::processes_with_home;
use testkit::responses_api::{ResponsesApi, ResponsesReply};
use testkit::watched_session::{PATIENCE, WatchedSession};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

const LIMINAL: &str = env!("CARGO_BIN_EXE_liminal");

/// One conversation with an agent that nobody of ours started. Returns the agent's id of it.
#[expect(clippy::disallowed_methods, reason = "an agent that is not ours")]
fn talk(agent: &AgentCommand, project: &Path, prompts: &[&str]) -> String {
    let mut child = Command::new(&agent.command[0])
        .args(&agent.command[1..])
        .current_dir(project)
        .env_clear()
        .envs(agent.environment.clone())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut number = 0;
    let mut call = |method: &str, params: &Value| -> Value {
        number += 1;
        let line = json!({ "jsonrpc": "2.0", "id": number, "method": method, "params": params });
        input.write_all(format!("{line}\n").as_bytes()).unwrap();
        loop {
            let line: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
            if line["id"] == number {
                assert!(line["error"].is_null(), "{line}");
                return line["result"].clone();
            }
        }
    };
    call("initialize", &json!({ "protocolVersion": 1 }));
    let opened = call("session/new", &json!({ "cwd": project, "mcpServers": [] }));
    for prompt in prompts {
        let prompt = json!([{ "type": "text", "text": prompt }]);
        call("session/prompt", &json!({ "sessionId": opened["sessionId"], "prompt": prompt }));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    opened["sessionId"].as_str().unwrap().to_owned()
}

struct House {
    service: SessionService,
    home: PathBuf,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl House {
    async fn new(cli_type: &str, command: AgentCommand, home: PathBuf, root: &Path) -> Self {
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let rollouts = (cli_type == "codex").then(|| codex_home(&command.environment));
        let launcher = Launcher::new(vec![LIMINAL.into(), "agent-guard".into()], tasks.clone());
        let cli = AcpCli::new(cli_type, cli_type, command, launcher, tasks.clone());
        let environment = Environment::default();
        let provider =
            AcpProvider::new(cli_type.into(), Arc::new(cli), environment.clone(), tasks.clone())
                .with_rollouts(rollouts.flatten().as_deref());
        let mut providers = ProviderRegistry::default();
        providers.register(Arc::new(provider));
        let service = SessionService::new(SessionServiceParts {
            providers,
            journal: Arc::new(MemoryJournal::default()),
            allowed_roots: AllowedRoots::resolve([root.to_owned()]).await,
            environment,
            autonomous: Autonomous::default(),
            stop: stop.clone(),
            tasks: tasks.clone(),
        });
        Self { service, home, stop, tasks }
    }

    /// Imports the only session that is offered, which must be this one.
    async fn import(&self, cli_type: &str, project: &Path, session: &str) -> WatchedSession<'_> {
        let project = self.service.add_project(project.to_str().unwrap()).await.unwrap().id;
        let offered = self.service.importable(&project).await.unwrap();
        let ids: Vec<_> = offered.iter().map(|it| it.provider_session_id.as_str()).collect();
        assert_eq!(ids, [session]);
        assert!(!offered[0].title.is_empty());
        let request = ImportSessionRequest {
            cli_type: cli_type.into(),
            provider_session_id: session.to_owned(),
            project_id: project.clone(),
        };
        let imported = self.service.import(request).await.unwrap();
        assert_eq!(imported.session_id, session);
        assert_eq!(self.service.importable(&project).await.unwrap(), []);
        assert_eq!(processes_with_home(&self.home), [0; 0], "nothing runs for it");
        let mut watched = WatchedSession::open(&self.service, imported.session_id).await;
        watched.until("the history is there", |seen| !seen.items.is_empty()).await;
        watched
    }

    async fn end(self) {
        self.stop.cancel();
        self.tasks.close();
        tokio::time::timeout(PATIENCE, self.tasks.wait()).await.expect("everything ends");
        assert_eq!(processes_with_home(&self.home), [0; 0], "processes were left behind");
    }
}

fn prompts(session: &WatchedSession<'_>) -> Vec<String> {
    let prompts = session.items.iter().filter_map(|item| match &item.body {
        UpsertBody::Message { content, origin: MessageOrigin::User } => Some(content.to_string()),
        UpsertBody::Message { .. } | UpsertBody::Thinking { .. } | UpsertBody::ToolCall(_) => None,
    });
    prompts.collect()
}

fn is_completed(end: &TurnEventKind) -> bool {
    matches!(end, TurnEventKind::TurnComplete { status: TurnStatus::Completed, .. })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_with_codex_goes_on_here() {
    let api = ResponsesApi::with_replies([
        ResponsesReply::reasoning("**Looking**").then_shell("ls").usage(100, 10),
        ResponsesReply::text("One file.").usage(120, 12),
        ResponsesReply::text("Again: one file."),
    ])
    .await;
    let codex = CodexHome::new(&api);
    let project = codex.project().canonicalize().unwrap();
    std::fs::write(project.join("notes"), "x").unwrap();
    let command =
        AgentCommand { command: vec![codex_acp().into()], environment: codex.environment() };
    let kept = talk(&command, &project, &["What is here?"]);
    let house = House::new("codex", command, codex.home(), &project).await;
    let mut session = house.import("codex", &project, &kept).await;
    assert_eq!(
        (prompts(&session), session.said()),
        (vec!["What is here?".to_owned()], vec!["One file.".to_owned()])
    );
    assert_eq!(session.tools()[0].tool_output.as_ref().unwrap().to_string(), "notes\n");
    let (_, end) = session.turn("And now?").await;
    assert!(is_completed(&end), "{end:?}");
    assert_eq!(session.said(), ["One file.", "Again: one file."]);
    let asked = format!("{:?}", api.turns().last().unwrap());
    assert!(
        asked.contains("What is here?") && asked.contains("One file."),
        "the model is told what was before"
    );
    house.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_conversation_with_an_agent_that_lists_its_sessions_goes_on_here() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let (home, project) = (root.join("home"), root.join("project"));
    std::fs::create_dir(&home).unwrap();
    std::fs::create_dir(&project).unwrap();
    let environment: Vec<(OsString, OsString)> = vec![
        ("HOME".into(), home.clone().into()),
        ("LIMINAL_DEMO_HOME".into(), home.join("demo").into()),
        ("LIMINAL_DEMO_PACE_MS".into(), "0".into()),
    ];
    let command = AgentCommand { command: vec![LIMINAL.into(), "demo-agent".into()], environment };
    let kept = talk(&command, &project, &["help", "think"]);
    let house = House::new("demo", command, home, &root).await;
    let mut session = house.import("demo", &project, &kept).await;
    assert_eq!(prompts(&session), ["help", "think"]);
    let before = session.said();
    assert!(before.len() >= 2, "{before:?}");
    let (_, end) = session.turn("help").await;
    assert!(is_completed(&end), "{end:?}");
    assert_eq!(prompts(&session), ["help", "think", "help"]);
    assert_eq!(session.said()[..before.len()], before, "what was before stays");
    assert!(session.said().len() > before.len());
    house.end().await;
}
