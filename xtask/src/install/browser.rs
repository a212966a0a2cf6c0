//! The Chromium that browser tests drive.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use crate::command::Task;
use crate::workspace::Workspace;

const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
const UPDATE: &str = "apt-get update";
const INSTALL: &str = "apt-get install -y --no-install-recommends chromium fonts-liberation";

pub(super) fn ensure(workspace: &Workspace) -> Result<PathBuf> {
    if let Some(named) = env::var_os("CHROMIUM") {
        return existing(PathBuf::from(named));
    }
    if let Some(found) = in_search_path() {
        return Ok(found);
    }
    install(&workspace.root)?;
    in_search_path().context("chromium was installed but is not in PATH")
}

fn existing(named: PathBuf) -> Result<PathBuf> {
    ensure!(named.is_file(), "CHROMIUM names {}, which is no file", named.display());
    Ok(named)
}

fn in_search_path() -> Option<PathBuf> {
    first_existing(&env::var_os("PATH")?)
}

fn first_existing(search_path: &OsStr) -> Option<PathBuf> {
    let directories: Vec<PathBuf> = env::split_paths(search_path).collect();
    NAMES
        .iter()
        .flat_map(|name| directories.iter().map(move |directory| directory.join(name)))
        .find(|candidate| candidate.is_file())
}

fn install(directory: &Path) -> Result<()> {
    let may_install = is_root(directory) && Task::new("apt-get --version", directory).works();
    if !may_install {
        bail!(
            "no Chromium found; run `sudo {UPDATE} && sudo {INSTALL}`, or set CHROMIUM to its path"
        );
    }
    for line in [UPDATE, INSTALL] {
        let task = Task::new(line, directory).env("DEBIAN_FRONTEND", "noninteractive");
        ensure!(task.show()?, "`{line}` did not succeed");
    }
    Ok(())
}

fn is_root(directory: &Path) -> bool {
    Task::new("id -u", directory).capture().is_ok_and(|answer| answer.stdout.trim() == "0")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_first_known_name_in_the_search_path_is_taken() {
        let directory = env::temp_dir().join(format!("xtask-browser-{}", std::process::id()));
        fs::create_dir_all(&directory).unwrap();
        assert_eq!(first_existing(directory.as_os_str()), None);

        fs::write(directory.join("google-chrome"), "").unwrap();
        fs::write(directory.join("chromium"), "").unwrap();
        assert_eq!(first_existing(directory.as_os_str()), Some(directory.join("chromium")));

        fs::remove_dir_all(&directory).unwrap();
    }

    #[test]
    fn a_browser_that_is_named_but_absent_is_an_error() {
        assert!(existing(PathBuf::from("no/such/chromium")).is_err());
    }
}
