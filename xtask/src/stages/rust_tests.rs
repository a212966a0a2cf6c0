//! The tests of all crates, with nextest where it is installed, and the examples in their documentation.

use anyhow::Result;

use crate::command::Task;
use crate::outcome::Outcome;
use crate::runner_output;
use crate::workspace::Workspace;

pub(super) fn run(workspace: &Workspace) -> Result<Outcome> {
    if workspace.cargo("nextest --version").works() {
        run_with_nextest(workspace, "--workspace")
    } else {
        // `--tests`, because doc tests are a stage of their own and would count twice.
        run_with_cargo(
            workspace.cargo("test --workspace --tests --no-fail-fast -- --skip _as_root"),
        )
    }
}

/// Those whose names say that they need root, and no others. They are tests of the binary alone.
pub(super) fn run_as_root(workspace: &Workspace) -> Result<Outcome> {
    if workspace.cargo("nextest --version").works() {
        let tests = "-p liminal --test safety --ignore-default-filter -E test(/_as_root$/)";
        run_with_nextest(workspace, tests)
    } else {
        let line = "test -p liminal --test safety --no-fail-fast -- _as_root";
        run_with_cargo(workspace.cargo(line))
    }
}

pub(super) fn run_doc_tests(workspace: &Workspace) -> Result<Outcome> {
    run_with_cargo(workspace.cargo("test --workspace --doc --no-fail-fast"))
}

fn run_with_nextest(workspace: &Workspace, tests: &str) -> Result<Outcome> {
    let line = format!("nextest run {tests} --no-fail-fast --color=never");
    let finished = without_snapshot_updates(workspace.cargo(&line)).stream()?;
    let outcome = runner_output::nextest(&finished.stderr).unwrap_or_default();
    Ok(outcome.of_runner(&finished))
}

fn run_with_cargo(task: Task) -> Result<Outcome> {
    let finished = without_snapshot_updates(task).stream()?;
    Ok(runner_output::cargo_test(&finished.stdout).of_runner(&finished))
}

/// A test run compares snapshots; it leaves no new ones behind.
fn without_snapshot_updates(task: Task) -> Task {
    task.env("UPDATE_SNAPSHOTS", "0")
}
