//! The tests of the web UI that need no browser.

use anyhow::Result;

use super::results_file::ResultsFile;
use crate::outcome::Outcome;
use crate::runner_output;
use crate::workspace::Workspace;

pub(super) fn run(workspace: &Workspace) -> Result<Outcome> {
    let results = ResultsFile::fresh(workspace, "vitest.json")?;
    let finished = workspace
        .web("npx --no-install vitest run --reporter=default --reporter=json")
        .argument(&format!("--outputFile.json={}", results.path.display()))
        .stream()?;
    Ok(results.outcome(runner_output::vitest)?.of_runner(&finished))
}
