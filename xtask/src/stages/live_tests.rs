//! Tests with the user's own, logged-in agents. They cost money, so they run only when asked for.

use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::Result;

use crate::outcome::Outcome;
use crate::runner_output;
use crate::terminal::say;
use crate::workspace::Workspace;

const ASKED_FOR: &str = "RUN_PROVIDER_LIVE_TESTS";

/// A program, and the module of the tests that run it.
const AGENTS: [(&str, &str); 2] = [("claude", "claude::"), ("codex-acp", "codex::")];

pub(super) fn run(workspace: &Workspace) -> Result<Outcome> {
    if std::env::var(ASKED_FOR).as_deref() != Ok("1") {
        say(format_args!("left out: {ASKED_FOR}=1 runs them with your own logged-in agents"));
        return Ok(Outcome::default());
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let (installed, missing): (Vec<_>, Vec<_>) =
        AGENTS.iter().partition(|(program, _)| is_in(&path, program));
    for (program, tests) in &missing {
        say(format_args!("left out: {tests} because {program} is not in PATH"));
    }
    if installed.is_empty() {
        return Ok(Outcome::default());
    }
    let tests: Vec<&str> = installed.iter().map(|(_, tests)| *tests).collect();
    let tests = tests.join(" ");
    let line =
        format!("test -p liminal --features live-tests --test live --no-fail-fast -- {tests}");
    let finished = workspace.cargo(&line).stream()?;
    Ok(runner_output::cargo_test(&finished.stdout).of_runner(&finished))
}

fn is_in(path: &OsStr, program: &str) -> bool {
    std::env::split_paths(path).any(|directory| is_program(&directory.join(program)))
}

fn is_program(file: &Path) -> bool {
    let metadata = file.metadata();
    metadata.is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_is_installed_where_a_program_of_its_name_is_in_the_path() {
        let path = std::env::join_paths(["/nowhere", "/bin", env!("CARGO_MANIFEST_DIR")]).unwrap();
        assert!(is_in(&path, "sh"));
        assert!(!is_in(&path, "no-such-agent"));
        assert!(!is_in(&path, "Cargo.toml"), "a file that cannot be run");
        assert!(!is_in(&path, "src"), "a directory");
    }
}
