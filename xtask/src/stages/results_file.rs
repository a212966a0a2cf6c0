//! The file in which a web test runner leaves its results.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::outcome::Outcome;
use crate::workspace::Workspace;

pub(super) struct ResultsFile {
    pub(super) path: PathBuf,
}

impl ResultsFile {
    /// Removes what an earlier run left, so that its results are never taken for ours.
    pub(super) fn fresh(workspace: &Workspace, name: &str) -> Result<Self> {
        let directory = workspace.target_directory()?;
        fs::create_dir_all(&directory)?;
        let path = directory.join(name);
        if path.exists() {
            fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
        }
        Ok(Self { path })
    }

    pub(super) fn outcome(&self, read: fn(&str) -> Result<Outcome>) -> Result<Outcome> {
        let text = fs::read_to_string(&self.path).context("the runner ended without results")?;
        read(&text)
    }
}
