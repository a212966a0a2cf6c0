//! The tests of all crates, with nextest where it is installed, and the examples in their documentation.

use anyhow::Result;

use crate::command::Task;
use crate::count::Count;
use crate::runner_output;
use crate::workspace::Workspace;

pub(super) fn run(workspace: &Workspace) -> Result<Count> {
    if workspace.cargo("nextest --version").works() {
        run_with_nextest(workspace)
    } else {
        // `--tests`, because doc tests are a stage of their own and would count twice.
        run_with_cargo(workspace.cargo("test --workspace --tests --no-fail-fast"))
    }
}

pub(super) fn run_doc_tests(workspace: &Workspace) -> Result<Count> {
    run_with_cargo(workspace.cargo("test --workspace --doc --no-fail-fast"))
}

fn run_with_nextest(workspace: &Workspace) -> Result<Count> {
    let line = "nextest run --workspace --no-fail-fast --color=never";
    let finished = without_snapshot_updates(workspace.cargo(line)).stream()?;
    let count = runner_output::nextest(&finished.stderr).unwrap_or_default();
    Ok(count.of_runner_that(finished.success))
}

fn run_with_cargo(task: Task) -> Result<Count> {
    let finished = without_snapshot_updates(task).stream()?;
    Ok(runner_output::cargo_test(&finished.stdout).of_runner_that(finished.success))
}

/// A test run compares snapshots; it leaves no new ones behind.
fn without_snapshot_updates(task: Task) -> Task {
    task.env("UPDATE_SNAPSHOTS", "0")
}
