//! Which agents can be run, found out without asking a model.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use contract::{AgentInfo, ModeInfo};
use futures_util::future::BoxFuture;
use futures_util::{FutureExt, StreamExt, stream};
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

use super::program_file::KnownHash;
use super::{BypassModes, CliProvider, ProviderRegistry};
use crate::secrets::Secrets;

/// How long an agent has to show that it runs. A cold start on a busy machine takes seconds.
const DEADLINE: Duration = Duration::from_secs(10);
/// How long an answer holds. Who just installed an agent asks for a fresh one.
const KEPT: Duration = Duration::from_secs(60);
/// Agents that are looked at at the same time; each is a process or two.
const AT_ONCE: usize = 4;

/// An agent as people know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentLabel {
    pub name: String,
    /// How somebody gets it who does not have it.
    pub install_hint: Option<String>,
}

/// What is known of an agent that can be run, before it has a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentCheck {
    pub version: Option<String>,
    pub modes: Vec<ModeInfo>,
}

/// Looks at all agents that have a label, and keeps for a while what it found.
pub struct AgentCatalogue {
    agents: Vec<Listed>,
    last: Mutex<Option<Found>>,
    /// Whoever asks while the agents are looked at waits for that answer.
    turn: Semaphore,
    bypass: BypassModes,
    secrets: Secrets,
}

/// An agent of the settings, whether it can be run or not.
struct Listed {
    provider: Arc<dyn CliProvider>,
    label: AgentLabel,
    hash: Arc<KnownHash>,
}

struct Found {
    since: Instant,
    agents: Vec<AgentInfo>,
}

impl AgentCatalogue {
    pub fn new(providers: &ProviderRegistry) -> Self {
        let listed = |(provider, label)| Listed { provider, label, hash: Arc::default() };
        Self {
            agents: providers.labelled().into_iter().map(listed).collect(),
            last: Mutex::default(),
            turn: Semaphore::new(1),
            bypass: BypassModes::default(),
            secrets: Secrets::default(),
        }
    }

    /// What an agent says of its problem may hold what it was given to keep.
    #[must_use]
    pub(crate) fn with_secrets(self, secrets: Secrets) -> Self {
        Self { secrets, ..self }
    }

    /// Modes that may not be chosen are not told.
    #[must_use]
    pub(crate) fn with_bypass(self, bypass: BypassModes) -> Self {
        Self { bypass, ..self }
    }

    /// In the order of their types. A `refresh` is no older than the question.
    pub async fn agents(&self, refresh: bool) -> Vec<AgentInfo> {
        let asked = Instant::now();
        // It is never closed.
        let _turn = self.turn.acquire().await;
        if let Some(agents) = self
            .kept(|found| if refresh { found.since >= asked } else { found.since.elapsed() < KEPT })
        {
            return agents;
        }
        let since = Instant::now();
        let looks = self.agents.iter().map(|agent| agent.look().boxed());
        let looks: Vec<BoxFuture<'_, _>> = looks.collect();
        // One that is slow holds up no others.
        let mut agents: Vec<_> = stream::iter(looks).buffer_unordered(AT_ONCE).collect().await;
        for agent in &mut agents {
            agent.modes = self.bypass.choosable(std::mem::take(&mut agent.modes));
            agent.problem = agent.problem.as_deref().map(|problem| self.secrets.redact(problem));
        }
        agents.sort_by(|a, b| a.cli_type.cmp(&b.cli_type));
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Found { since, agents: agents.clone() });
        agents
    }

    /// As found last, without another look.
    pub(crate) fn known(&self) -> Option<Vec<AgentInfo>> {
        self.kept(|_| true)
    }

    fn kept(&self, holds: impl FnOnce(&Found) -> bool) -> Option<Vec<AgentInfo>> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|found| holds(found)).map(|found| found.agents.clone())
    }
}

impl Listed {
    /// A large program takes a second to hash, about as long as it takes to say its version.
    async fn look(&self) -> AgentInfo {
        let (provider, label) = (&*self.provider, &self.label);
        let program = provider.program();
        let hash = async { self.hash.of(program.clone()?).await };
        let (checked, sha256) = tokio::join!(checked(provider), hash);
        let (check, problem) = match checked {
            Ok(check) => (check, None),
            Err(problem) => (AgentCheck::default(), Some(problem)),
        };
        AgentInfo {
            cli_type: provider.cli_type().clone(),
            name: label.name.clone(),
            available: problem.is_none(),
            version: check.version,
            program: program.map(|path| path.to_string_lossy().into_owned()),
            sha256,
            install_hint: label.install_hint.clone().filter(|_| problem.is_some()),
            problem,
            models: Vec::new(),
            modes: check.modes,
            capabilities: provider.capabilities(),
        }
    }
}

async fn checked(provider: &dyn CliProvider) -> Result<AgentCheck, String> {
    let late = || format!("it did not answer within {} seconds", DEADLINE.as_secs());
    timeout(DEADLINE, provider.check()).await.unwrap_or_else(|_| Err(late()))
}

impl std::fmt::Debug for AgentCatalogue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let types = self.agents.iter().map(|agent| agent.provider.cli_type());
        f.debug_set().entries(types).finish()
    }
}
