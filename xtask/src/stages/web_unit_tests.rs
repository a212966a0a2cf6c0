//! The tests of the web UI that need no browser.

use anyhow::Result;

use super::results_file::ResultsFile;
use crate::count::Count;
use crate::runner_output;
use crate::workspace::Workspace;

pub(super) fn run(workspace: &Workspace) -> Result<Count> {
    let results = ResultsFile::fresh(workspace, "vitest.json")?;
    let success = workspace
        .web("npx --no-install vitest run --reporter=default --reporter=json")
        .argument(&format!("--outputFile.json={}", results.path.display()))
        .show()?;
    Ok(results.count(runner_output::vitest)?.of_runner_that(success))
}
