//! The agents that this server runs, as the settings have them.

use std::ffi::OsString;
use std::sync::Arc;

use agent_process::{Launcher, ProcessRecords, allowed_environment};
use anyhow::Context;
use session::provider::AgentCommand;
use session::provider::claude::{ClaudeCli, ClaudeProvider, config_dir};
use session::provider::{ExternalProvider, ProviderRegistry};
use session::{Environment, Recorder};
use tokio_util::task::TaskTracker;

use crate::data_dir::DataDir;
use crate::settings::{AgentSettings, Settings};

/// Where the running agents are written down, so that the next start finds what a crash left.
const RECORDS: &str = "agents";

pub(crate) struct Agents<'a> {
    pub(crate) settings: &'a Settings,
    /// Taken, so that no other server's agents are written down there.
    pub(crate) data_dir: Option<&'a DataDir>,
    pub(crate) environment: Environment,
    pub(crate) tasks: TaskTracker,
    pub(crate) recorder: Option<Recorder>,
}

impl Agents<'_> {
    /// Ends what an earlier server left running, and registers everything that can be run.
    pub(crate) async fn registry(self) -> anyhow::Result<ProviderRegistry> {
        let launcher = self.launcher().await?;
        let mut providers = ProviderRegistry::default();
        let external = ExternalProvider::new(self.environment.clone(), self.tasks.clone());
        providers.register(Arc::new(external));
        let command = command(&self.settings.claude);
        let config_dir = config_dir(&command.environment);
        let cli =
            ClaudeCli::new(command, launcher, self.tasks.clone()).with_recorder(self.recorder);
        let claude = ClaudeProvider::new(Arc::new(cli), self.environment, self.tasks)
            .with_transcripts(config_dir.as_deref());
        providers.register(Arc::new(claude));
        Ok(providers)
    }

    async fn launcher(&self) -> anyhow::Result<Launcher> {
        let ourselves = std::env::current_exe().context("cannot find our own program")?;
        let guard = vec![ourselves.into_os_string(), "agent-guard".into()];
        let launcher = Launcher::new(guard, self.tasks.clone());
        let Some(data_dir) = self.data_dir else { return Ok(launcher) };
        let records = ProcessRecords::at(data_dir.join(RECORDS)).context("cannot write records")?;
        let swept = records.clone();
        let swept = tokio::task::spawn_blocking(move || swept.sweep()).await?;
        if swept > 0 {
            tracing::warn!(processes = swept, "agents of an earlier server were ended");
        }
        Ok(launcher.with_records(records))
    }
}

fn command(settings: &AgentSettings) -> AgentCommand {
    let mut environment = allowed_environment(&settings.pass_env, std::env::vars_os());
    // Its version is the user's choice, and not to change under a running session.
    environment.push(("DISABLE_AUTOUPDATER".into(), "1".into()));
    let set = settings.env.iter().map(|(name, value)| (OsString::from(name), value.into()));
    for (name, value) in set {
        environment.retain(|(known, _)| *known != name);
        environment.push((name, value));
    }
    let command = settings.command.iter().map(OsString::from).collect();
    AgentCommand { command, environment }
}
