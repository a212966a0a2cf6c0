//! Directories and environments for the real ACP agents: each runs against a scripted model and touches nothing of the
//! user's.
//!
//! What the agents need, found by trying:
//!
//! - **Codex** asks before it acts only with `approval_policy = "untrusted"`, which asks for every command that is not
//!   known to be harmless (`ls` is) and for every patch. With `on-request` and `danger-full-access` it asks nothing.
//!   Its sandboxes `read-only` and `workspace-write` need `bwrap` in `PATH`; without it a command fails inside the
//!   model's loop with exit code 101 and the client hears nothing of it. So the sandbox is `danger-full-access`. The pair
//!   is none of Codex's presets, so that a session has no `modes`. An unknown model's name costs a warning in the text
//!   of every turn, so that the name is one it knows.
//! - **claude-agent-acp** starts the Claude Code that `CLAUDE_CODE_EXECUTABLE` names and hands its own environment down.
//! - **OpenCode** takes its settings from `OPENCODE_CONFIG_CONTENT`. It asks its model for a title besides each first
//!   turn, and it fetches a package for plugins from the npm registry at every start in a new home unless npm is told
//!   to stay offline; it works without.
//! - **Gemini CLI** (`@google/gemini-cli` 0.61.0, `--acp`) ran offline, too, against a small stand-in: text and a tool that
//!   was allowed. It is left out because it would need a third scripted model; of the candidates none failed.

use std::ffi::OsString;
use std::fs;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use serde_json::json;
use tempfile::TempDir;

use crate::agents::{ClaudeVersion, claude};
use crate::claude_house::processes_with_home;
use crate::model_api::ModelApi;
use crate::responses_api::ResponsesApi;

/// The variable with the key of Codex's provider; the key itself does not matter.
const KEY: &str = "MOCK_API_KEY";

/// A home, a project and a place for temporary files, gone when it is dropped.
#[derive(Debug)]
pub struct AgentHome {
    directory: TempDir,
    environment: Vec<(OsString, OsString)>,
}

impl AgentHome {
    pub(crate) fn new(settings: &[(&str, &str)]) -> Self {
        let directory = directories();
        let within = |name: &str| directory.path().join(name).into_os_string();
        let mut environment = vec![
            ("PATH".into(), std::env::var_os("PATH").unwrap()),
            ("LANG".into(), "C.UTF-8".into()),
            ("HOME".into(), within("home")),
            ("TMPDIR".into(), within("tmp")),
        ];
        environment.extend(settings.iter().map(|(name, value)| (name.into(), value.into())));
        Self { directory, environment }
    }

    /// For an agent of the user's, with what it is started with; only the project is its own.
    pub(crate) fn of_user(environment: Vec<(OsString, OsString)>) -> Self {
        Self { directory: directories(), environment }
    }

    /// Everything is below it.
    pub(crate) fn root(&self) -> &Path {
        self.directory.path()
    }

    pub fn home(&self) -> PathBuf {
        self.directory.path().join("home")
    }

    /// Where sessions run.
    pub fn project(&self) -> PathBuf {
        self.directory.path().join("project")
    }

    /// Everything that the agent is started with; nothing else may be.
    pub fn environment(&self) -> Vec<(OsString, OsString)> {
        self.environment.clone()
    }

    /// Agents of this home, and whatever they started.
    pub fn processes(&self) -> Vec<u32> {
        processes_with_home(&self.home())
    }
}

fn directories() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for name in ["home", "project", "tmp"] {
        fs::create_dir(directory.path().join(name)).unwrap();
    }
    directory
}

/// For `agents::codex_acp()`. Its `CODEX_HOME` is [`AgentHome::home`].
#[derive(Debug)]
pub struct CodexHome(pub(crate) AgentHome);

impl CodexHome {
    /// Asks for a permission before every command that is not known to be harmless and before every patch; asks the
    /// model once.
    pub fn new(api: &ResponsesApi) -> Self {
        Self::with_settings(api, "untrusted", "danger-full-access", 0)
    }

    /// With a pair of `approval_policy` and `sandbox_mode`, and how often a request and a stream are tried again.
    pub fn with_settings(api: &ResponsesApi, approval: &str, sandbox: &str, retries: u32) -> Self {
        let mut home = AgentHome::new(&[(KEY, "test")]);
        let directory = home.home();
        fs::write(directory.join("config.toml"), config(api, approval, sandbox, retries)).unwrap();
        home.environment.push(("CODEX_HOME".into(), directory.into()));
        Self(home)
    }

    /// Nobody has put the provider's key into the environment.
    #[must_use]
    pub fn without_key(mut self) -> Self {
        self.0.environment.retain(|(name, _)| name != KEY);
        self
    }

    /// The records that Codex keeps of its sessions.
    pub fn sessions(&self) -> PathBuf {
        self.home().join("sessions")
    }
}

fn config(api: &ResponsesApi, approval: &str, sandbox: &str, retries: u32) -> String {
    let url = api.url();
    format!(
        r#"model = "gpt-5.4"
model_provider = "mock"
approval_policy = "{approval}"
sandbox_mode = "{sandbox}"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.mock]
name = "mock"
base_url = "{url}"
wire_api = "responses"
env_key = "{KEY}"
request_max_retries = {retries}
stream_max_retries = {retries}
"#
    )
}

/// For `agents::claude_agent_acp()`, with a Claude Code behind it.
#[derive(Debug)]
pub struct ClaudeAgentHome(pub AgentHome);

impl ClaudeAgentHome {
    pub fn new(api: &ModelApi) -> Self {
        let mut home = AgentHome::new(&[
            ("ANTHROPIC_BASE_URL", &api.url()),
            ("ANTHROPIC_API_KEY", "test"),
            ("CLAUDE_CODE_MAX_RETRIES", "2"),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
        ]);
        let program = claude(ClaudeVersion::V2_1_325).into_os_string();
        home.environment.push(("CLAUDE_CODE_EXECUTABLE".into(), program));
        Self(home)
    }
}

/// For `agents::opencode()`. Its model is the stand-in for Anthropic's API.
#[derive(Debug)]
pub struct OpencodeHome(pub AgentHome);

impl OpencodeHome {
    /// Asks for a permission before every command and every edit.
    pub fn new(api: &ModelApi) -> Self {
        let limit = json!({"context": 200_000, "output": 8_000});
        let model = json!({"name": "Mock", "tool_call": true, "limit": limit});
        let provider = json!({
            "npm": "@ai-sdk/anthropic",
            "name": "Mock",
            "options": {"baseURL": format!("{}/v1", api.url()), "apiKey": "test"},
            "models": {"model": model},
        });
        let config = json!({
            "model": "mock/model",
            "small_model": "mock/model",
            "autoupdate": false,
            "share": "disabled",
            "enabled_providers": ["mock"],
            "provider": {"mock": provider},
            "permission": {"bash": "ask", "edit": "ask"},
        });
        Self(AgentHome::new(&[
            ("OPENCODE_CONFIG_CONTENT", &config.to_string()),
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
            ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
            ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
            ("npm_config_offline", "true"),
        ]))
    }
}

impl Deref for CodexHome {
    type Target = AgentHome;

    fn deref(&self) -> &AgentHome {
        &self.0
    }
}

impl Deref for ClaudeAgentHome {
    type Target = AgentHome;

    fn deref(&self) -> &AgentHome {
        &self.0
    }
}

impl Deref for OpencodeHome {
    type Target = AgentHome;

    fn deref(&self) -> &AgentHome {
        &self.0
    }
}
