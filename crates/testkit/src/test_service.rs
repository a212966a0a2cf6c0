//! A session service on a scripted agent and a journal in memory.

use std::sync::Arc;

use contract::{CreateSessionRequest, ProjectId, SendRequest, SessionId};
use session::provider::{AgentLabel, BypassModes, ExternalProvider, ProviderRegistry};
use session::{
    AllowedRoots, Autonomous, Caps, Environment, SessionService, SessionServiceParts, Subscriber,
};
use store::{Journal, MemoryJournal};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::fixed::fixed_environment;
use crate::scripted_provider::ScriptedProvider;

pub struct TestService {
    pub service: Arc<SessionService>,
    pub agent: Arc<ScriptedProvider>,
    pub stop: CancellationToken,
    pub tasks: TaskTracker,
    pub project: TempDir,
}

impl TestService {
    pub async fn start() -> Self {
        Self::with_journal(Arc::new(MemoryJournal::default())).await
    }

    pub async fn with_journal(journal: Arc<dyn Journal>) -> Self {
        Self::build(journal, ScriptedProvider::default(), Autonomous::default()).await
    }

    /// As a server that starts after another one, whose ids are not given out again.
    pub async fn with_environment(
        journal: Arc<dyn Journal>,
        agent: ScriptedProvider,
        environment: Environment,
    ) -> Self {
        Self::build_in(journal, agent, Autonomous::default(), environment).await
    }

    /// With an agent that was prepared, and a rule for turns that nobody asked for.
    pub async fn with_agent(agent: ScriptedProvider, autonomous: Autonomous) -> Self {
        Self::build(Arc::new(MemoryJournal::default()), agent, autonomous).await
    }

    /// On a journal that others wrote before, with an agent of any type.
    pub async fn with_journal_and_agent(
        journal: Arc<dyn Journal>,
        agent: ScriptedProvider,
    ) -> Self {
        Self::build(journal, agent, Autonomous::default()).await
    }

    /// Where modes in which agents never ask are forbidden.
    pub async fn without_bypass() -> Self {
        let parts = Self::start().await;
        let service = Arc::into_inner(parts.service).expect("nobody else has it yet");
        let service = Arc::new(service.with_bypass(BypassModes::Forbidden));
        Self { service, ..parts }
    }

    /// Where so many sessions are kept at the most.
    pub async fn keeping(sessions: usize, journal: Arc<dyn Journal>) -> Self {
        let parts = Self::with_journal(journal).await;
        let service = Arc::into_inner(parts.service).expect("nobody else has it yet");
        let service = Arc::new(service.with_caps(Caps { sessions, ..Caps::default() }));
        Self { service, ..parts }
    }

    /// Ends as a server does that is told to.
    pub async fn stop(&self) {
        self.stop.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }

    async fn build(
        journal: Arc<dyn Journal>,
        agent: ScriptedProvider,
        autonomous: Autonomous,
    ) -> Self {
        Self::build_in(journal, agent, autonomous, fixed_environment()).await
    }

    async fn build_in(
        journal: Arc<dyn Journal>,
        agent: ScriptedProvider,
        autonomous: Autonomous,
        environment: Environment,
    ) -> Self {
        let project = tempfile::tempdir().unwrap();
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let agent = Arc::new(agent);
        let mut providers = ProviderRegistry::default();
        let label = AgentLabel { name: "Scripted".to_owned(), install_hint: None };
        providers.register_agent(agent.clone(), label);
        providers.register(Arc::new(ExternalProvider::new(environment.clone(), tasks.clone())));
        let service = SessionService::new(SessionServiceParts {
            providers,
            journal,
            allowed_roots: AllowedRoots::resolve([project.path().to_owned()]).await,
            environment,
            autonomous,
            stop: stop.clone(),
            tasks: tasks.clone(),
        });
        Self { service: Arc::new(service), agent, stop, tasks, project }
    }

    pub fn create_request(&self, cli_type: &str) -> CreateSessionRequest {
        CreateSessionRequest {
            cli_type: cli_type.into(),
            project_dir: self.project.path().to_str().unwrap().to_owned(),
            title: None,
            model_id: None,
            mode_id: None,
            provider_options: None,
        }
    }

    pub async fn create(&self, cli_type: &str) -> (SessionId, ProjectId) {
        let created = self.service.create(self.create_request(cli_type)).await.unwrap();
        (created.session_id, created.project_id)
    }

    pub fn send_request(content: &str) -> SendRequest {
        SendRequest {
            content: content.to_owned(),
            client_message_id: None,
            delivery: None,
            attachments: None,
        }
    }

    /// A connection that has opened a session.
    pub async fn watch(&self, session: &SessionId) -> Arc<Subscriber> {
        let connection = Arc::new(Subscriber::new(1 << 20));
        self.service.connect(&connection);
        self.service.subscribe(session, &connection, None, None).await.unwrap();
        connection
    }
}

impl std::fmt::Debug for TestService {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestService").finish_non_exhaustive()
    }
}
