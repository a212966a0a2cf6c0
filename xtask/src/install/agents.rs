//! The real agents that tests run, each version in a folder of its own below the target directory.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use super::node_packages;
use crate::workspace::Workspace;

/// One folder per agent and version, with what npm needs to know.
const LISTS: &str = "crates/testkit/agents";
const LIST_FILES: [&str; 2] = ["package.json", "package-lock.json"];

/// The program itself is an optional package for the platform. It is native, so that the Node.js which its package asks
/// for does not matter; the log level keeps npm from saying that it does.
const OPTIONS: &str = "--include=optional --no-engine-strict --loglevel=error";

pub(super) fn ensure(workspace: &Workspace) -> Result<()> {
    let target = workspace.target_directory()?.join("agents");
    for list in lists(&workspace.root.join(LISTS))? {
        let name = list.file_name().context("a folder of an agent has no name")?;
        let place = target.join(name);
        copy_list(&list, &place)?;
        node_packages::ensure(&place, OPTIONS)?;
    }
    Ok(())
}

fn lists(directory: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(directory).with_context(|| format!("cannot read {}", directory.display()))?;
    let mut lists = Vec::new();
    for entry in entries {
        lists.push(entry?.path());
    }
    lists.sort();
    Ok(lists)
}

/// npm installs beside the list, and nothing is installed in the source tree.
fn copy_list(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for file in LIST_FILES {
        let (from, to) = (from.join(file), to.join(file));
        fs::copy(&from, &to).with_context(|| format!("cannot copy {}", from.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed() -> Vec<PathBuf> {
        lists(&Workspace::find().unwrap().root.join(LISTS)).unwrap()
    }

    #[test]
    fn every_agent_is_listed_with_an_exact_version_that_its_folder_names() {
        assert!(!listed().is_empty());
        for list in listed() {
            let manifest = fs::read_to_string(list.join("package.json")).unwrap();
            let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
            let name = list.file_name().unwrap().to_str().unwrap();
            let packages = manifest["dependencies"].as_object().unwrap();
            let version = packages.values().next().unwrap().as_str().unwrap();
            assert_eq!((manifest["name"].as_str(), packages.len()), (Some(name), 1));
            assert!(name.ends_with(&format!("-{version}")), "{name} lists {version}");
        }
    }

    #[test]
    fn a_lock_file_says_what_and_not_where_from() {
        for list in listed() {
            let lock = fs::read_to_string(list.join("package-lock.json")).unwrap();
            assert!(lock.contains("\"integrity\""));
            assert!(!lock.contains("\"resolved\""), "{}", list.display());
        }
    }
}
