//! Builds the web UI with Node, in a directory of cargo's.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::web_sources::WebSources;

const NODE_NEEDED: (u32, u32) = (20, 19);

pub(crate) enum Problem {
    /// The product can be built without its page, and says so.
    NoNode(String),
    Failed(String),
}

pub(crate) fn build(sources: &WebSources, target: &Path) -> Result<PathBuf, Problem> {
    let failed =
        |error: std::io::Error| Problem::Failed(format!("the web UI cannot be prepared: {error}"));
    let dist = target.join("dist");
    if sources.is_built_in(&dist) {
        return Ok(dist);
    }
    check_node()?;
    fs::create_dir_all(target).map_err(failed)?;
    sources.copy_to(target).map_err(failed)?;
    install(target)?;
    npm(target, &["run", "build"])?;
    let stamp = sources.stamp().map_err(failed)?;
    fs::write(dist.join(".stamp"), stamp).map_err(failed)?;
    Ok(dist)
}

/// Installs the packages unless they are those of the lock file already.
fn install(target: &Path) -> Result<(), Problem> {
    let installed = target.join("node_modules/.installed-lock");
    let lock = fs::read(target.join("package-lock.json")).unwrap_or_default();
    if fs::read(&installed).is_ok_and(|found| found == lock) {
        return Ok(());
    }
    npm(target, &["ci", "--include=dev", "--ignore-scripts", "--no-audit", "--no-fund"])?;
    fs::write(installed, lock).map_err(|error| Problem::Failed(error.to_string()))
}

fn check_node() -> Result<(), Problem> {
    let (major, minor) = NODE_NEEDED;
    let needed = format!("install Node.js {major}.{minor} or newer and build again");
    let Some(version) = run(Path::new("."), "node", &["--version"]).ok() else {
        return Err(Problem::NoNode(needed));
    };
    if run(Path::new("."), "npm", &["--version"]).is_err() {
        return Err(Problem::NoNode(
            "npm is missing: install it beside Node.js and build again".to_owned(),
        ));
    }
    let mut parts = version
        .trim()
        .trim_start_matches('v')
        .split('.')
        .filter_map(|part| part.parse::<u32>().ok());
    let found = (parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    if found < NODE_NEEDED {
        return Err(Problem::NoNode(format!("Node.js {} is too old: {needed}", version.trim())));
    }
    Ok(())
}

fn npm(dir: &Path, arguments: &[&str]) -> Result<(), Problem> {
    run(dir, "npm", arguments).map(drop).map_err(Problem::Failed)
}

#[expect(
    clippy::disallowed_methods,
    reason = "a build script runs build tools; the server itself starts nothing"
)]
fn run(dir: &Path, program: &str, arguments: &[&str]) -> Result<String, String> {
    let command = format!("{program} {}", arguments.join(" "));
    let output =
        Command::new(program).args(arguments).current_dir(dir).env("NO_COLOR", "1").output();
    let output = output.map_err(|error| format!("{command}: {error}"))?;
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    if output.status.success() {
        return Ok(stdout);
    }
    Err(format!(
        "{command} ended with {}\n{stdout}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    ))
}
