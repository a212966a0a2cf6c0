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
const OPTIONS: &str = "--no-engine-strict --loglevel=error";
const WITH_PROGRAM: &str = "--include=optional";

/// An adapter in JavaScript runs the agent that is installed beside it, and needs none of its own.
const WITHOUT_PROGRAM: &str = "--omit=optional";
const ADAPTERS: [&str; 1] = ["claude-agent-acp-"];

pub(super) fn ensure(workspace: &Workspace) -> Result<()> {
    let target = workspace.target_directory()?.join("agents");
    for list in lists(&workspace.root.join(LISTS))? {
        let name = list.file_name().context("a folder of an agent has no name")?;
        let place = target.join(name);
        copy_list(&list, &place)?;
        node_packages::ensure(&place, &options(&name.to_string_lossy()))?;
    }
    Ok(())
}

fn options(name: &str) -> String {
    let is_adapter = ADAPTERS.iter().any(|adapter| name.starts_with(adapter));
    let program = if is_adapter { WITHOUT_PROGRAM } else { WITH_PROGRAM };
    format!("{OPTIONS} {program}")
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
            let packages: Vec<_> = ["dependencies", "optionalDependencies"]
                .iter()
                .filter_map(|kind| manifest[kind].as_object())
                .flatten()
                .collect();
            let version = packages[0].1.as_str().unwrap();
            assert_eq!((manifest["name"].as_str(), packages.len()), (Some(name), 1));
            assert!(name.ends_with(&format!("-{version}")), "{name} lists {version}");
        }
    }

    #[test]
    fn every_adapter_is_listed_and_comes_without_a_program() {
        for adapter in ADAPTERS {
            let names = listed().into_iter().map(|list| list.file_name().unwrap().to_owned());
            let mut names = names.map(|name| name.into_string().unwrap());
            let name = names.find(|name| name.starts_with(adapter)).expect(adapter);
            assert!(options(&name).contains(WITHOUT_PROGRAM));
        }
        assert!(options("claude-2.1.325").contains(WITH_PROGRAM));
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
