//! Says which code was measured.

use anyhow::{Result, ensure};

use crate::command::Task;
use crate::workspace::Workspace;

/// A line for the document: the commit, its date, and whether there were changes beside it.
pub(super) fn told(workspace: &Workspace) -> Result<String> {
    let commit = git(workspace, "log -1", "--format=%h, of %cs")?;
    // The document itself changes with every benchmark.
    let changed = git(workspace, "status --porcelain -uno -- .", ":!docs/BENCHMARKS.md")?;
    let changes = if changed.is_empty() { "" } else { ", with changes that are not in it" };
    Ok(format!("Measured on commit {commit}{changes}."))
}

fn git(workspace: &Workspace, line: &str, last: &str) -> Result<String> {
    let task = Task::new(&format!("git {line}"), &workspace.root);
    let finished = task.argument(last).capture()?;
    ensure!(finished.success, "git {line}: {}", finished.stderr);
    Ok(finished.stdout.trim().to_owned())
}
