//! A whole house around the real Claude Code: session service, provider, guard, a scripted model, directories of its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_process::{Launcher, allowed_environment};
use contract::{CreateSessionRequest, SessionId};
use session::provider::AgentCommand;
use session::provider::ProviderRegistry;
use session::provider::claude::{ClaudeCli, ClaudeProvider, config_dir};
use session::{
    AllowedRoots, Autonomous, Environment, ServiceError, SessionService, SessionServiceParts,
};
use store::MemoryJournal;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::agents::{ClaudeVersion, claude};
use crate::edge::Edge;
use crate::model_api::ModelApi;
use crate::watched_session::{PATIENCE, WatchedSession};

pub struct ClaudeHouse {
    pub api: ModelApi,
    pub service: Arc<SessionService>,
    pub provider: Arc<ClaudeProvider>,
    /// What every agent of this house is started with.
    pub command: AgentCommand,
    directory: TempDir,
    stop: CancellationToken,
    tasks: TaskTracker,
}

impl ClaudeHouse {
    /// `guard` is the command that runs an agent's guard.
    pub async fn start(version: ClaudeVersion, guard: Vec<OsString>, api: ModelApi) -> Self {
        Self::start_with(guard, api, vec![claude(version).into()], &[]).await
    }

    /// With the user's own agent and account, and a real model behind it.
    pub async fn start_live(guard: Vec<OsString>) -> Self {
        let ours = allowed_environment(
            &["ANTHROPIC_*".to_owned(), "CLAUDE_CONFIG_DIR".to_owned()],
            std::env::vars_os(),
        );
        let unused = ModelApi::with_replies([]).await;
        Self::build(guard, unused, vec!["claude".into()], |_, _| ours).await
    }

    /// With a command of its own, and variables that are set, or taken away where they are empty.
    pub async fn start_with(
        guard: Vec<OsString>,
        api: ModelApi,
        command: Vec<OsString>,
        variables: &[(&str, &str)],
    ) -> Self {
        Self::build(guard, api, command, |directory, api| {
            let mut agent = agent_environment(directory, api);
            for (name, value) in variables {
                agent.retain(|(known, _)| known != name);
                if !value.is_empty() {
                    agent.push((name.into(), value.into()));
                }
            }
            agent
        })
        .await
    }

    async fn build(
        guard: Vec<OsString>,
        api: ModelApi,
        command: Vec<OsString>,
        environment_of: impl FnOnce(&Path, &ModelApi) -> Vec<(OsString, OsString)>,
    ) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for name in ["home", "project", "tmp"] {
            std::fs::create_dir(directory.path().join(name)).unwrap();
        }
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let environment = Environment::default();
        let agent = environment_of(directory.path(), &api);
        let command = AgentCommand { command, environment: agent };
        let launcher = Launcher::new(guard, tasks.clone());
        let config_dir = config_dir(&command.environment);
        let cli = ClaudeCli::new(command.clone(), launcher, tasks.clone());
        let provider = ClaudeProvider::new(Arc::new(cli), environment.clone(), tasks.clone())
            .with_transcripts(config_dir.as_deref());
        let provider = Arc::new(provider);
        let mut providers = ProviderRegistry::default();
        providers.register(provider.clone());
        let service = Arc::new(SessionService::new(SessionServiceParts {
            providers,
            journal: Arc::new(MemoryJournal::default()),
            allowed_roots: AllowedRoots::resolve([directory.path().to_owned()]).await,
            environment,
            autonomous: Autonomous::default(),
            stop: stop.clone(),
            tasks: tasks.clone(),
        }));
        Self { api, service, provider, command, directory, stop, tasks }
    }

    pub fn project(&self) -> PathBuf {
        self.directory.path().join("project")
    }

    pub fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    /// A session that is there, as a client sees it that opens it now.
    pub async fn watch(&self, session: SessionId) -> WatchedSession<'_> {
        WatchedSession::open(&self.service, session).await
    }

    pub async fn session(&self) -> WatchedSession<'_> {
        WatchedSession::open(&self.service, self.create().await.unwrap()).await
    }

    pub async fn create(&self) -> Result<SessionId, ServiceError> {
        let request = CreateSessionRequest {
            cli_type: "claude-code".into(),
            project_dir: self.project().to_str().unwrap().to_owned(),
            title: None,
            model_id: None,
            mode_id: None,
            provider_options: None,
        };
        Ok(self.service.create(request).await?.session_id)
    }

    /// What the agent wrote down as its own words, in its own record of the session.
    pub fn transcript(&self, session: &SessionId) -> Vec<String> {
        let projects = std::fs::read_dir(self.home().join(".claude/projects")).unwrap();
        let files =
            projects.map(|project| project.unwrap().path().join(format!("{session}.jsonl")));
        let file = files.into_iter().find(|file| file.exists()).expect("there is a transcript");
        let text = std::fs::read_to_string(file).unwrap();
        let lines =
            text.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let said = lines.filter(|line| line["type"] == "assistant" && line["isSidechain"] != true);
        let texts = said.flat_map(|line| {
            let blocks = line["message"]["content"].as_array().cloned().unwrap_or_default();
            blocks.into_iter().filter_map(|block| block["text"].as_str().map(str::to_owned))
        });
        texts.collect()
    }

    /// Agents, and whatever they started.
    pub fn processes(&self) -> Vec<u32> {
        processes_with_home(&self.home())
    }

    /// The agents themselves, not what they start: Claude Code runs a `git` or a shell whenever it likes.
    pub fn agents(&self) -> Vec<u32> {
        let all = self.processes();
        let is_agent = |pid: &u32| parent(*pid).is_some_and(|parent| !all.contains(&parent));
        all.iter().copied().filter(is_agent).collect()
    }

    /// The edge in front of this house, for as long as the house stands.
    pub async fn edge(&self) -> Edge {
        self.edge_with_window(true).await
    }

    /// The same, open or closed to old clients.
    pub async fn edge_with_window(&self, is_open: bool) -> Edge {
        Edge::start(self.service.clone(), is_open, self.stop.clone(), &self.tasks).await
    }

    /// Ends everything as a server does, and looks for what was left behind.
    pub async fn end(self) {
        self.stop.cancel();
        self.tasks.close();
        tokio::time::timeout(PATIENCE, self.tasks.wait()).await.expect("everything ends");
        assert_eq!(self.processes(), Vec::<u32>::new(), "processes were left behind");
    }
}

/// Processes that carry this home directory in their environment, as all of one house do and no others.
pub fn processes_with_home(home: &Path) -> Vec<u32> {
    let mark = format!("HOME={}", home.display());
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let numbers = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    let is_ours = |pid: &u32| {
        let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|entry| entry == mark.as_bytes())
    };
    numbers.filter(is_ours).collect()
}

/// None for a process that has ended.
fn parent(pid: u32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok()
}

fn agent_environment(directory: &Path, api: &ModelApi) -> Vec<(OsString, OsString)> {
    let within = |name: &str| directory.join(name).into_os_string();
    let text = |(name, value): (&str, &str)| (OsString::from(name), OsString::from(value));
    let mut environment: Vec<_> = [
        ("LANG", "C.UTF-8"),
        ("ANTHROPIC_API_KEY", "test"),
        ("CLAUDE_CODE_MAX_RETRIES", "2"),
        ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
        ("DISABLE_AUTOUPDATER", "1"),
        ("ANTHROPIC_BASE_URL", &api.url()),
    ]
    .map(text)
    .into();
    environment.push(("PATH".into(), std::env::var_os("PATH").unwrap()));
    environment.push(("HOME".into(), within("home")));
    environment.push(("TMPDIR".into(), within("tmp")));
    environment
}

impl std::fmt::Debug for ClaudeHouse {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClaudeHouse").finish_non_exhaustive()
    }
}
