//! The packages of the web UI, installed once per state of the lock file.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::workspace::Workspace;

pub(super) fn ensure(workspace: &Workspace) -> Result<()> {
    let places = Places::within(&workspace.web_directory());
    if places.are_current()? {
        return Ok(());
    }
    ensure!(
        workspace.web("npm ci --include=dev --ignore-scripts --no-audit --no-fund").show()?,
        "`npm ci` in web/ did not succeed"
    );
    places.mark_current()
}

struct Places {
    lock: PathBuf,
    /// A copy of the lock file that `node_modules` was made from. It lies inside, so that both go together.
    stamp: PathBuf,
}

impl Places {
    fn within(web: &Path) -> Self {
        Self { lock: web.join("package-lock.json"), stamp: web.join("node_modules/.lock-stamp") }
    }

    fn are_current(&self) -> Result<bool> {
        let lock = fs::read(&self.lock).context("cannot read web/package-lock.json")?;
        Ok(fs::read(&self.stamp).is_ok_and(|stamp| stamp == lock))
    }

    fn mark_current(&self) -> Result<()> {
        fs::copy(&self.lock, &self.stamp).context("cannot write web/node_modules/.lock-stamp")?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_current_until_the_lock_file_changes() {
        let web = std::env::temp_dir().join(format!("xtask-packages-{}", std::process::id()));
        fs::create_dir_all(web.join("node_modules")).unwrap();
        let places = Places::within(&web);

        fs::write(&places.lock, "one").unwrap();
        assert!(!places.are_current().unwrap());
        places.mark_current().unwrap();
        assert!(places.are_current().unwrap());
        fs::write(&places.lock, "two").unwrap();
        assert!(!places.are_current().unwrap());

        fs::remove_dir_all(&web).unwrap();
    }
}
