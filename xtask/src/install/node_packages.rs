//! The packages that a lock file names, installed once per state of that file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::command::Task;

/// Runs no script of a package: what we install works without, and a script could do anything.
const INSTALL: &str = "npm ci --ignore-scripts --no-audit --no-fund";

/// Installs into `directory` what the lock file there names.
pub(super) fn ensure(directory: &Path, options: &str) -> Result<()> {
    let places = Places::within(directory);
    if places.are_current()? {
        return Ok(());
    }
    ensure!(
        Task::new(&format!("{INSTALL} {options}"), directory).show()?,
        "`npm ci` in {} did not succeed",
        directory.display()
    );
    places.mark_current()
}

struct Places {
    lock: PathBuf,
    /// A copy of the lock file that `node_modules` was made from. It lies inside, so that both go together.
    stamp: PathBuf,
}

impl Places {
    fn within(directory: &Path) -> Self {
        Self {
            lock: directory.join("package-lock.json"),
            stamp: directory.join("node_modules/.lock-stamp"),
        }
    }

    fn are_current(&self) -> Result<bool> {
        let lock =
            fs::read(&self.lock).with_context(|| format!("cannot read {}", self.lock.display()))?;
        Ok(fs::read(&self.stamp).is_ok_and(|stamp| stamp == lock))
    }

    fn mark_current(&self) -> Result<()> {
        fs::copy(&self.lock, &self.stamp)
            .with_context(|| format!("cannot write {}", self.stamp.display()))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_current_until_the_lock_file_changes() {
        let directory = std::env::temp_dir().join(format!("xtask-packages-{}", std::process::id()));
        fs::create_dir_all(directory.join("node_modules")).unwrap();
        let places = Places::within(&directory);

        fs::write(&places.lock, "one").unwrap();
        assert!(!places.are_current().unwrap());
        places.mark_current().unwrap();
        assert!(places.are_current().unwrap());
        fs::write(&places.lock, "two").unwrap();
        assert!(!places.are_current().unwrap());

        fs::remove_dir_all(&directory).unwrap();
    }
}
