//! The agents that this server runs, as the settings have them.

use std::ffi::OsString;
use std::sync::Arc;

use agent_process::{Launcher, ProcessRecords, allowed_environment};
use anyhow::Context;
use session::provider::acp::{AcpCli, AcpProvider, codex_home};
use session::provider::claude::{ClaudeCli, ClaudeProvider, config_dir};
use session::provider::{
    AgentCommand, AgentLabel, CliProvider, ExternalProvider, ProviderRegistry,
};
use session::{Environment, Recorder};
use tokio_util::task::TaskTracker;

use crate::agent_settings::{AgentSettings, CODEX, Protocol};
use crate::data_dir::DataDir;
use crate::settings::Settings;

/// Where the running agents are written down, so that the next start finds what a crash left.
const RECORDS: &str = "agents";
/// Where the demo agent keeps its sessions.
const DEMO_HOME: &str = "demo-agent";

pub(crate) struct Agents<'a> {
    pub(crate) settings: &'a Settings,
    /// Taken, so that no other server's agents are written down there.
    pub(crate) data_dir: Option<&'a DataDir>,
    pub(crate) environment: Environment,
    pub(crate) tasks: TaskTracker,
    pub(crate) recorder: Option<Recorder>,
    /// How many files agents may have open at once, unless as many as the server.
    pub(crate) open_files: Option<u64>,
}

impl Agents<'_> {
    /// Ends what an earlier server left running, and registers everything that can be run.
    pub(crate) async fn registry(self) -> anyhow::Result<ProviderRegistry> {
        let launcher = self.launcher().await?;
        let mut providers = ProviderRegistry::default();
        let external = ExternalProvider::new(self.environment.clone(), self.tasks.clone());
        providers.register(Arc::new(external));
        for agent in &self.settings.agents {
            let label = AgentLabel { name: agent.name.clone(), install_hint: Some(agent.hint()) };
            providers.register_agent(self.provider(agent, &launcher)?, label);
        }
        Ok(providers)
    }

    fn provider(
        &self,
        agent: &AgentSettings,
        launcher: &Launcher,
    ) -> anyhow::Result<Arc<dyn CliProvider>> {
        let (command, launcher) = (self.command(agent)?, launcher.clone());
        let (environment, tasks) = (self.environment.clone(), self.tasks.clone());
        let recorder = self.recorder.clone();
        Ok(match agent.protocol {
            Protocol::Claude => {
                let config_dir = config_dir(&command.environment);
                let cli = ClaudeCli::new(command, launcher, tasks.clone()).with_recorder(recorder);
                let claude = ClaudeProvider::new(Arc::new(cli), environment, tasks)
                    .with_cli_type(agent.cli_type.as_str().into())
                    .with_transcripts(config_dir.as_deref())
                    .with_bypass(self.settings.bypass);
                Arc::new(claude)
            }
            Protocol::Acp => {
                let (cli_type, name) = (agent.cli_type.as_str(), agent.name.as_str());
                let rollouts = (cli_type == CODEX).then(|| codex_home(&command.environment));
                let cli = AcpCli::new(cli_type, name, command, launcher, tasks.clone())
                    .with_install_hint(agent.install_hint.map(str::to_owned))
                    .with_recorder(recorder);
                let acp = AcpProvider::new(cli_type.into(), Arc::new(cli), environment, tasks);
                Arc::new(acp.with_rollouts(rollouts.flatten().as_deref()))
            }
        })
    }

    fn command(&self, agent: &AgentSettings) -> anyhow::Result<AgentCommand> {
        let mut environment = allowed_environment(&agent.pass_env, std::env::vars_os());
        if agent.protocol == Protocol::Claude {
            // Its version is the user's choice, and not to change under a running session.
            environment.push(("DISABLE_AUTOUPDATER".into(), "1".into()));
        }
        let mut command: Vec<OsString> = agent.command.iter().map(OsString::from).collect();
        if command.is_empty() {
            command = vec![ourselves()?, "demo-agent".into()];
            let home = self.data_dir.map(|data_dir| data_dir.join(DEMO_HOME).into_os_string());
            environment.extend(home.map(|home| ("LIMINAL_DEMO_HOME".into(), home)));
        }
        for (name, value) in &agent.env {
            environment.retain(|(known, _)| *known != name.as_str());
            environment.push((name.into(), value.into()));
        }
        Ok(AgentCommand { command, environment })
    }

    async fn launcher(&self) -> anyhow::Result<Launcher> {
        let guard = vec![ourselves()?, "agent-guard".into()];
        let secrets = self.environment.secrets.clone();
        let launcher = Launcher::new(guard, self.tasks.clone())
            .with_redaction(move |text| secrets.redact(text))
            .with_open_files(self.open_files);
        let Some(data_dir) = self.data_dir else { return Ok(launcher) };
        let records = records(data_dir)?;
        let swept = records.clone();
        let swept = tokio::task::spawn_blocking(move || swept.sweep()).await?;
        if swept > 0 {
            tracing::warn!(processes = swept, "agents of an earlier server were ended");
        }
        Ok(launcher.with_records(records))
    }
}

/// What is written down about the agents that run.
pub(crate) fn records(data_dir: &DataDir) -> anyhow::Result<ProcessRecords> {
    ProcessRecords::at(data_dir.join(RECORDS)).context("cannot write records")
}

fn ourselves() -> anyhow::Result<OsString> {
    let program = std::env::current_exe().context("cannot find our own program")?;
    Ok(program.into_os_string())
}
