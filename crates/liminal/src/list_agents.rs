//! `liminal agents`: which agents can be run here, and what is missing.

use std::io::Write;

use contract::AgentInfo;
use session::Environment;
use session::provider::AgentCatalogue;
use tokio_util::task::TaskTracker;

use crate::agents::Agents;
use crate::arguments::{AgentsOptions, ServeOptions};
use crate::settings::Settings;
use crate::terminal::{escaped_json, shown};

pub(crate) fn run(options: &AgentsOptions) -> anyhow::Result<()> {
    let settings = Settings::load(&ServeOptions::in_data_dir(options.data_dir.clone()))?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let agents = runtime.block_on(find(&settings))?;
    let text = if options.json { json(&agents)? } else { table(&agents) };
    match std::io::stdout().lock().write_all(text.as_bytes()) {
        // Whoever read the output has seen enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => Ok(result?),
    }
}

/// Without the data directory, which a server may be using.
async fn find(settings: &Settings) -> anyhow::Result<Vec<AgentInfo>> {
    let tasks = TaskTracker::new();
    let agents = Agents {
        settings,
        data_dir: None,
        environment: Environment::default(),
        tasks: tasks.clone(),
        recorder: None,
        open_files: None,
    };
    let found = AgentCatalogue::new(&agents.registry().await?).agents(true).await;
    // Until nothing of what was started is left.
    tasks.close();
    tasks.wait().await;
    Ok(found)
}

fn json(agents: &[AgentInfo]) -> anyhow::Result<String> {
    let text = serde_json::to_string_pretty(agents)?;
    // Line by line: the ends of lines are its own, and inside of strings there are none.
    Ok(text.lines().map(|line| escaped_json(line) + "\n").collect())
}

fn table(agents: &[AgentInfo]) -> String {
    let widest = |width: fn(&AgentInfo) -> usize| agents.iter().map(width).max().unwrap_or(0);
    let name_width = widest(|agent| agent.name.chars().count());
    let type_width = widest(|agent| agent.cli_type.as_str().chars().count());
    let mut text = String::new();
    for agent in agents {
        let (name, cli_type) = (&agent.name, agent.cli_type.as_str());
        for (line, words) in words(agent).into_iter().enumerate() {
            let (name, cli_type) = if line == 0 { (name.as_str(), cli_type) } else { ("", "") };
            text.push_str(&format!("{name:name_width$}  {cli_type:type_width$}  {words}\n"));
        }
    }
    text
}

/// How many digits of a hash people compare. Programs get all of them.
const DIGITS: usize = 16;

/// What stands beside an agent's name, line by line.
fn words(agent: &AgentInfo) -> Vec<String> {
    let Some(problem) = &agent.problem else {
        let version = agent.version.as_deref().map_or_else(|| "available".to_owned(), shown);
        return std::iter::once(version).chain(program(agent)).collect();
    };
    let mut lines: Vec<_> = problem.lines().map(|line| shown(line.trim_end())).collect();
    if let Some(first) = lines.first_mut() {
        first.insert_str(0, "not available: ");
    }
    lines.extend(agent.install_hint.iter().map(|hint| format!("what to do: {hint}")));
    lines
}

/// Which file is run.
fn program(agent: &AgentInfo) -> Option<String> {
    let path = shown(agent.program.as_deref()?);
    let Some(sha256) = &agent.sha256 else { return Some(path) };
    let digits: String = sha256.chars().take(DIGITS).collect();
    Some(format!("{path} (sha256 {digits}…)"))
}

#[cfg(test)]
mod tests {
    use contract::AgentCapabilities;

    use super::*;

    fn agent(name: &str, cli_type: &str) -> AgentInfo {
        AgentInfo {
            cli_type: cli_type.into(),
            name: name.to_owned(),
            available: true,
            version: Some("1.2".to_owned()),
            program: None,
            sha256: None,
            problem: None,
            install_hint: None,
            models: Vec::new(),
            modes: Vec::new(),
            capabilities: AgentCapabilities::default(),
        }
    }

    #[test]
    fn a_table_tells_versions_and_what_is_missing() {
        let missing = AgentInfo {
            available: false,
            version: None,
            program: Some("/bin/codex".to_owned()),
            problem: Some("it exited\nwith words".to_owned()),
            install_hint: Some("npm install it".to_owned()),
            ..agent("Codex", "codex")
        };
        let silent = AgentInfo { version: None, ..agent("Other", "other") };
        let rude = AgentInfo {
            version: Some("1\u{1b}[2J".to_owned()),
            program: Some("/bin/\u{1b}[2J".to_owned()),
            ..agent("Rude", "rude")
        };
        let told = table(&[agent("Claude Code", "claude-code"), missing, silent, rude]);
        let expected = "\
Claude Code  claude-code  1.2
Codex        codex        not available: it exited
                          with words
                          what to do: npm install it
Other        other        available
Rude         rude         1\u{fffd}[2J
                          /bin/\u{fffd}[2J
";
        assert_eq!(told, expected);
    }

    #[test]
    fn s_40_a_table_tells_which_files_are_run_and_how_their_hashes_begin() {
        let hashed = AgentInfo {
            program: Some("/opt/claude".to_owned()),
            sha256: Some("0123456789abcdef".repeat(4)),
            ..agent("Claude Code", "claude-code")
        };
        let unread = AgentInfo { sha256: None, ..hashed.clone() };
        let expected = "\
Claude Code  claude-code  1.2
                          /opt/claude (sha256 0123456789abcdef…)
Claude Code  claude-code  1.2
                          /opt/claude
";
        assert_eq!(table(&[hashed, unread]), expected);
    }
}
