//! A whole house around a real agent of the Agent Client Protocol: session service, provider, guard, a scripted model,
//! directories of its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agent_process::{Launcher, allowed_environment};
use contract::{CreateSessionRequest, SessionId};
use session::provider::acp::{AcpCli, AcpProvider};
use session::provider::{AgentCommand, ProviderRegistry};
use session::{
    AllowedRoots, Autonomous, Environment, ServiceError, SessionService, SessionServiceParts,
};
use store::MemoryJournal;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::agent_home::{AgentHome, ClaudeAgentHome, CodexHome, OpencodeHome};
use crate::agents::{claude_agent_acp, codex_acp, opencode};
use crate::edge::Edge;
use crate::model_api::ModelApi;
use crate::responses_api::ResponsesApi;
use crate::watched_session::{PATIENCE, WatchedSession};

/// `Api` is the model behind the agent.
pub struct AcpHouse<Api> {
    pub api: Api,
    pub service: Arc<SessionService>,
    pub provider: Arc<AcpProvider>,
    plan: Plan,
    home: AgentHome,
    stop: CancellationToken,
    tasks: TaskTracker,
}

/// What a house is built of.
#[derive(Clone)]
struct Plan {
    cli_type: &'static str,
    /// The command that runs an agent's guard.
    guard: Vec<OsString>,
    command: Vec<OsString>,
}

impl AcpHouse<ResponsesApi> {
    /// Codex that asks before it acts, and asks its model once.
    pub async fn codex(guard: Vec<OsString>, api: ResponsesApi) -> Self {
        let home = CodexHome::new(&api);
        Self::codex_with(guard, api, home, vec![codex_acp().into()]).await
    }

    /// With a home and a command of its own.
    pub async fn codex_with(
        guard: Vec<OsString>,
        api: ResponsesApi,
        home: CodexHome,
        command: Vec<OsString>,
    ) -> Self {
        Self::build(Plan { cli_type: "codex", guard, command }, api, home.0).await
    }
}

impl AcpHouse<ModelApi> {
    pub async fn claude_agent(guard: Vec<OsString>, api: ModelApi) -> Self {
        let home = ClaudeAgentHome::new(&api).0;
        let plan = Plan { cli_type: "claude-agent", guard, command: claude_agent_acp() };
        Self::build(plan, api, home).await
    }

    pub async fn opencode(guard: Vec<OsString>, api: ModelApi) -> Self {
        let home = OpencodeHome::new(&api).0;
        Self::build(Plan { cli_type: "opencode", guard, command: opencode() }, api, home).await
    }
}

impl AcpHouse<()> {
    /// The demo agent, which needs no model and here no time between its words.
    pub async fn demo(guard: Vec<OsString>, liminal: &Path) -> Self {
        Self::paced_demo(guard, liminal, 0).await
    }

    /// The demo agent with so many milliseconds between its words.
    pub async fn paced_demo(guard: Vec<OsString>, liminal: &Path, pace: u32) -> Self {
        let words = ["demo-agent", "--pace-ms", &pace.to_string()].map(OsString::from);
        let command = std::iter::once(liminal.into()).chain(words).collect();
        Self::build(Plan { cli_type: "demo", guard, command }, (), AgentHome::new(&[])).await
    }

    /// With the user's own Codex and account, and a real model behind it.
    pub async fn live_codex(guard: Vec<OsString>) -> Self {
        let passed = ["OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_API_KEY", "CODEX_HOME"];
        let passed = passed.map(str::to_owned);
        let home = AgentHome::of_user(allowed_environment(&passed, std::env::vars_os()));
        let command = vec!["codex-acp".into()];
        Self::build(Plan { cli_type: "codex", guard, command }, (), home).await
    }
}

impl<Api> AcpHouse<Api> {
    async fn build(plan: Plan, api: Api, home: AgentHome) -> Self {
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let environment = Environment::default();
        let command =
            AgentCommand { command: plan.command.clone(), environment: home.environment() };
        let launcher = Launcher::new(plan.guard.clone(), tasks.clone());
        let cli = AcpCli::new(plan.cli_type, plan.cli_type, command, launcher, tasks.clone());
        let cli_type = plan.cli_type.into();
        let provider =
            AcpProvider::new(cli_type, Arc::new(cli), environment.clone(), tasks.clone());
        let provider = Arc::new(provider);
        let mut providers = ProviderRegistry::default();
        providers.register(provider.clone());
        let service = Arc::new(SessionService::new(SessionServiceParts {
            providers,
            journal: Arc::new(MemoryJournal::default()),
            allowed_roots: AllowedRoots::resolve([home.root().to_owned()]).await,
            environment,
            autonomous: Autonomous::default(),
            stop: stop.clone(),
            tasks: tasks.clone(),
        }));
        Self { api, service, provider, plan, home, stop, tasks }
    }

    /// Another house that knows nothing of this one, which ends; the agent's home and its model stay.
    pub async fn rebuilt(self) -> Self {
        self.leave().await;
        Self::build(self.plan, self.api, self.home).await
    }

    pub fn project(&self) -> PathBuf {
        self.home.project()
    }

    pub fn home(&self) -> PathBuf {
        self.home.home()
    }

    /// A session that is there, as a client sees it that opens it now.
    pub async fn watch(&self, session: SessionId) -> WatchedSession<'_> {
        WatchedSession::open(&self.service, session).await
    }

    pub async fn session(&self) -> WatchedSession<'_> {
        self.watch(self.create().await.unwrap()).await
    }

    pub async fn create(&self) -> Result<SessionId, ServiceError> {
        self.create_set_to(None, None).await
    }

    /// A session that begins with a mode and a model.
    pub async fn create_set_to(
        &self,
        mode: Option<&str>,
        model: Option<&str>,
    ) -> Result<SessionId, ServiceError> {
        let request = CreateSessionRequest {
            cli_type: self.plan.cli_type.into(),
            project_dir: self.project().to_str().unwrap().to_owned(),
            title: None,
            model_id: model.map(Into::into),
            mode_id: mode.map(Into::into),
            provider_options: None,
        };
        Ok(self.service.create(request).await?.session_id)
    }

    /// Agents, and whatever they started.
    pub fn processes(&self) -> Vec<u32> {
        self.home.processes()
    }

    /// The agent itself, not what it started. With two sessions, the older one's.
    pub fn agent(&self) -> u32 {
        self.processes().into_iter().min().expect("an agent runs")
    }

    /// Waits until no agent runs and nothing that one started.
    pub async fn nothing_runs(&self) {
        for _ in 0..60 {
            if self.processes().is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("{:?} still run after 6 s", self.processes());
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
        self.leave().await;
    }

    async fn leave(&self) {
        self.stop.cancel();
        self.tasks.close();
        tokio::time::timeout(PATIENCE, self.tasks.wait()).await.expect("everything ends");
        assert_eq!(self.processes(), Vec::<u32>::new(), "processes were left behind");
    }
}

impl<Api> std::fmt::Debug for AcpHouse<Api> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AcpHouse").field("command", &self.plan.command).finish_non_exhaustive()
    }
}
