//! What cargo knows about our crates and those they use.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use crate::command::Task;

/// How far to look.
#[derive(Clone, Copy)]
pub(crate) enum Depth {
    WorkspaceOnly,
    AllPackages,
}

#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    pub(crate) workspace_members: Vec<String>,
    pub(crate) target_directory: PathBuf,
}

#[derive(Clone, Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    /// Empty for packages that lie in a folder.
    pub(crate) source: Option<String>,
    pub(crate) manifest_path: PathBuf,
    pub(crate) dependencies: Vec<Dependency>,
}

#[derive(Clone, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// Empty for a normal dependency.
    pub(crate) kind: Option<SpecialKind>,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(crate) enum SpecialKind {
    Build,
    Dev,
}

impl Metadata {
    pub(crate) fn read(root: &Path, depth: Depth) -> Result<Self> {
        match depth {
            Depth::WorkspaceOnly => ask(root, "--no-deps"),
            // Someone who has just changed a dependency has no current lock file yet.
            Depth::AllPackages => ask(root, "--locked").or_else(|_| ask(root, "")),
        }
    }
}

fn ask(root: &Path, option: &str) -> Result<Metadata> {
    let line = format!("cargo metadata --format-version 1 {option}");
    let answer = Task::new(&line, root).capture()?;
    ensure!(answer.success, "`{line}` says: {}", answer.stderr.trim());
    serde_json::from_str(&answer.stdout).with_context(|| format!("cannot read `{line}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kinds_of_dependencies_are_told_apart() {
        let read = |text| serde_json::from_str::<Dependency>(text).unwrap();
        assert!(read(r#"{"name": "a", "kind": null}"#).kind.is_none());
        assert!(read(r#"{"name": "a", "kind": "dev"}"#).kind == Some(SpecialKind::Dev));
        assert!(read(r#"{"name": "a", "kind": "build"}"#).kind == Some(SpecialKind::Build));
    }
}
