//! Which agents there are, and how each is run: three that exist without being written, and whatever `config.toml` adds.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::settings::{SettingsError, expand_home};

pub(crate) const CLAUDE: &str = "claude-code";
pub(crate) const CODEX: &str = "codex";
pub(crate) const DEMO: &str = "demo";
/// Sessions that programs feed; no agent can be called so.
pub(crate) const EXTERNAL: &str = "external";
/// Longer names fit nowhere.
const LONGEST_NAME: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// Claude Code's own.
    Claude,
    /// The Agent Client Protocol.
    Acp,
}

/// How an agent is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct AgentSettings {
    pub(crate) cli_type: String,
    /// For people.
    pub(crate) name: String,
    pub(crate) protocol: Protocol,
    /// Empty for the agent that is built in.
    pub(crate) command: Vec<String>,
    /// Set for the agent.
    pub(crate) env: BTreeMap<String, String>,
    /// Copied from our environment, by name or by the beginning of a name; nothing else of ours is.
    pub(crate) pass_env: Vec<String>,
    /// How somebody gets it who does not have it.
    pub(crate) install_hint: Option<&'static str>,
}

/// A table of the file. Unknown keys are an error that names them.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct AgentTable {
    protocol: Option<String>,
    command: Option<Vec<String>>,
    name: Option<String>,
    env: Option<BTreeMap<String, String>>,
    pass_env: Option<Vec<String>>,
}

struct Known {
    cli_type: &'static str,
    name: &'static str,
    protocol: Protocol,
    command: &'static [&'static str],
    pass_env: &'static [&'static str],
    install_hint: Option<&'static str>,
}

const KNOWN: [Known; 3] = [
    Known {
        cli_type: CLAUDE,
        name: claude::NAME,
        protocol: Protocol::Claude,
        command: &["claude"],
        pass_env: &["ANTHROPIC_*", "CLAUDE_CONFIG_DIR"],
        install_hint: Some(
            "npm install -g @anthropic-ai/claude-code, then run `claude` once and log in",
        ),
    },
    Known {
        cli_type: CODEX,
        name: "Codex",
        protocol: Protocol::Acp,
        command: &["codex-acp"],
        // Not all of CODEX_*: an agent that runs us has marked us as its own by one of them.
        pass_env: &["OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_API_KEY", "CODEX_HOME"],
        install_hint: Some(
            "npm install -g @zed-industries/codex-acp, and log in with Codex or set OPENAI_API_KEY",
        ),
    },
    Known {
        cli_type: DEMO,
        name: "Demo agent",
        protocol: Protocol::Acp,
        command: &[],
        // Variables of ours are never passed on; its pace is set by `env`.
        pass_env: &[],
        install_hint: None,
    },
];

/// All agents, those that need no table first.
pub(crate) fn agents(
    tables: &BTreeMap<String, AgentTable>,
    home: Option<&Path>,
) -> Result<Vec<AgentSettings>, SettingsError> {
    let table = |name: &str| tables.get(name).cloned().unwrap_or_default();
    let known = KNOWN.iter().map(|known| known.settings().with(table(known.cli_type), home));
    let is_new = |name: &&String| !KNOWN.iter().any(|known| known.cli_type == **name);
    let new = tables.keys().filter(is_new).map(|name| new_agent(name)?.with(table(name), home));
    known.chain(new).collect()
}

impl Known {
    fn settings(&self) -> AgentSettings {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        AgentSettings {
            cli_type: self.cli_type.to_owned(),
            name: self.name.to_owned(),
            protocol: self.protocol,
            command: words(self.command),
            env: BTreeMap::new(),
            pass_env: words(self.pass_env),
            install_hint: self.install_hint,
        }
    }
}

fn new_agent(cli_type: &str) -> Result<AgentSettings, SettingsError> {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
    if cli_type.is_empty() || cli_type.len() > LONGEST_NAME || !cli_type.chars().all(is_plain) {
        return refuse(cli_type, "a name is made of small letters, digits, - and _");
    }
    if cli_type == EXTERNAL {
        return refuse(cli_type, "this name is taken by sessions that programs feed");
    }
    Ok(AgentSettings {
        cli_type: cli_type.to_owned(),
        name: cli_type.to_owned(),
        protocol: Protocol::Acp,
        command: Vec::new(),
        env: BTreeMap::new(),
        pass_env: Vec::new(),
        install_hint: None,
    })
}

impl AgentSettings {
    /// What to do when it cannot be run.
    pub(crate) fn hint(&self) -> String {
        let usual = || {
            let table = &self.cli_type;
            let speaks = match self.protocol {
                Protocol::Claude => "stream-json as Claude Code does",
                Protocol::Acp => "the Agent Client Protocol",
            };
            format!(
                "check the command in `[agents.{table}]` of config.toml: it must start an agent that speaks {speaks}"
            )
        };
        self.install_hint.map_or_else(usual, str::to_owned)
    }

    fn with(mut self, table: AgentTable, home: Option<&Path>) -> Result<Self, SettingsError> {
        self.protocol = self.spoken(table.protocol.as_deref())?;
        let is_named = table.command.as_ref().map(|command| !command.is_empty());
        let needs_command = self.command.is_empty() && self.cli_type != DEMO;
        if is_named == Some(false) || (needs_command && is_named.is_none()) {
            return refuse(&self.cli_type, "command: must name a program");
        }
        self.command = table.command.unwrap_or(self.command);
        if let Some(program) = self.command.first_mut().filter(|word| word.starts_with("~/")) {
            *program = expand_home(program, home).to_string_lossy().into_owned();
        }
        let is_relative = |word: &&String| word.contains('/') && !word.starts_with('/');
        if self.command.first().filter(is_relative).is_some() {
            // It would be looked for in the directory of each session: a project could bring the program that is run.
            let why = "command: must be a name, or a path that begins with / or ~/";
            return refuse(&self.cli_type, why);
        }
        self.name = table.name.unwrap_or(self.name);
        self.env = table.env.unwrap_or(self.env);
        self.pass_env = table.pass_env.unwrap_or(self.pass_env);
        Ok(self)
    }
}

impl AgentSettings {
    /// Agents that exist without being written speak what they speak; any other one may speak either.
    fn spoken(&self, protocol: Option<&str>) -> Result<Protocol, SettingsError> {
        let wanted = match protocol {
            None => return Ok(self.protocol),
            Some("claude") => Protocol::Claude,
            Some("acp") => Protocol::Acp,
            Some(_) => return refuse(&self.cli_type, "protocol: must be claude or acp"),
        };
        let is_known = KNOWN.iter().any(|known| known.cli_type == self.cli_type);
        if is_known && wanted != self.protocol {
            let why = "protocol: it speaks another one; give an agent that speaks this a table of its own";
            return refuse(&self.cli_type, why);
        }
        Ok(wanted)
    }
}

fn refuse<T>(name: &str, why: &str) -> Result<T, SettingsError> {
    Err(SettingsError::new(format!("agents.{name}: {why}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(config: &str) -> Result<Vec<AgentSettings>, SettingsError> {
        let tables = toml::from_str(config).unwrap();
        agents(&tables, Some(Path::new("/home/me")))
    }

    fn found(config: &str, cli_type: &str) -> AgentSettings {
        let agents = read(config).unwrap();
        agents.into_iter().find(|agent| agent.cli_type == cli_type).unwrap()
    }

    #[test]
    fn three_agents_exist_without_being_written() {
        let agents = read("").unwrap();
        let told: Vec<_> =
            agents.iter().map(|agent| (agent.cli_type.as_str(), agent.protocol)).collect();
        let expected = [(CLAUDE, Protocol::Claude), (CODEX, Protocol::Acp), (DEMO, Protocol::Acp)];
        assert_eq!(told, expected);
        assert_eq!(found("", CODEX).command, ["codex-acp"]);
    }

    #[test]
    fn an_agent_is_run_as_its_table_says() {
        let claude =
            found("[claude-code]\ncommand = [\"/opt/claude\"]\nenv = { A = \"b\" }", CLAUDE);
        assert_eq!(claude.command, ["/opt/claude"]);
        assert_eq!(claude.env.get("A").map(String::as_str), Some("b"));
        assert_eq!(claude.pass_env, ["ANTHROPIC_*", "CLAUDE_CONFIG_DIR"], "the default");
        let claude = found("[claude-code]\ncommand = [\"~/bin/claude\", \"~/x\"]", CLAUDE);
        assert_eq!(claude.command, ["/home/me/bin/claude", "~/x"]);
        let table =
            "[my-agent]\nprotocol = \"acp\"\ncommand = [\"my-agent\", \"--acp\"]\nname = \"Mine\"";
        let mine = found(table, "my-agent");
        assert_eq!((mine.name.as_str(), mine.protocol), ("Mine", Protocol::Acp));
        assert_eq!(mine.command, ["my-agent", "--acp"]);
        let other = found("[beta]\nprotocol = \"claude\"\ncommand = [\"claude-beta\"]", "beta");
        assert_eq!(other.protocol, Protocol::Claude, "another Claude Code beside the usual one");
    }

    #[test]
    fn a_table_that_makes_no_agent_is_refused_by_name() {
        for (config, word) in [
            ("[claude-code]\ncommand = []", "command"),
            ("[claude-code]\nprotocol = \"acp\"", "protocol"),
            ("[other]\nprotocol = \"acp\"", "command"),
            ("[other]\nprotocol = \"claude\"", "command"),
            ("[codex]\nprotocol = \"claude\"", "protocol"),
            ("[other]\nprotocol = \"smoke\"\ncommand = [\"x\"]", "protocol"),
            ("[external]\ncommand = [\"x\"]", "taken"),
            ("[other]\ncommand = [\"./agent\"]", "path that begins with /"),
            ("[other]\ncommand = [\"bin/agent\", \"/x\"]", "path that begins with /"),
            ("[\"Über\"]\ncommand = [\"x\"]", "letters"),
        ] {
            let error = read(config).unwrap_err().to_string();
            assert!(error.starts_with("agents.") && error.contains(word), "{config}: {error}");
        }
        let error = toml::from_str::<BTreeMap<String, AgentTable>>("[x]\ncomand = []").unwrap_err();
        assert!(error.to_string().contains("comand"), "{error}");
    }
}
