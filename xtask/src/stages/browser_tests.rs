//! The tests that drive the built product in a real browser.

use std::env::consts::EXE_SUFFIX;

use anyhow::{Result, ensure};

use super::results_file::ResultsFile;
use crate::install;
use crate::outcome::Outcome;
use crate::runner_output;
use crate::workspace::Workspace;

pub(super) fn run(workspace: &Workspace) -> Result<Outcome> {
    let browser = install::browser(workspace)?;
    install::agents(workspace)?;
    let build = "build -p liminal -p testkit --bin liminal --bin real-agents";
    ensure!(workspace.cargo(build).show()?, "the product does not build");
    let built = |name| {
        workspace.target_directory().map(|target| target.join(format!("debug/{name}{EXE_SUFFIX}")))
    };
    let results = ResultsFile::fresh(workspace, "playwright.json")?;
    let finished = workspace
        .web("npx --no-install playwright test --reporter=list,json")
        .env("LIMINAL_BIN", built("liminal")?)
        .env("LIMINAL_REAL_AGENTS", built("real-agents")?)
        .env("CHROMIUM", browser)
        .env("PLAYWRIGHT_JSON_OUTPUT_NAME", &results.path)
        .stream()?;
    Ok(results.outcome(runner_output::playwright)?.of_runner(&finished))
}
