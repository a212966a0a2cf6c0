//! Where things are, and how tools are called there.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::command::Task;
use crate::metadata::{Depth, Metadata};

/// Tells the server's build script to embed no web UI, for work that does not look at it.
const WITHOUT_WEB_UI: (&str, &str) = ("LIMINAL_UI_SKIP", "1");

/// The checked-out repository.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
}

impl Workspace {
    pub(crate) fn find() -> Result<Self> {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = here.parent().context("xtask has no folder above it")?;
        Ok(Self { root: root.to_owned() })
    }

    pub(crate) fn cargo(&self, arguments: &str) -> Task {
        Task::new(&format!("cargo {arguments}"), &self.root)
    }

    pub(crate) fn cargo_without_web_ui(&self, arguments: &str) -> Task {
        let (name, value) = WITHOUT_WEB_UI;
        self.cargo(arguments).env(name, value)
    }

    /// Runs `line` in the folder of the web UI.
    pub(crate) fn web(&self, line: &str) -> Task {
        Task::new(line, &self.web_directory())
    }

    pub(crate) fn web_directory(&self) -> PathBuf {
        self.root.join("web")
    }

    /// Asks cargo, because `CARGO_TARGET_DIR` and its settings may move it.
    pub(crate) fn target_directory(&self) -> Result<PathBuf> {
        Ok(Metadata::read(&self.root, Depth::WorkspaceOnly)?.target_directory)
    }
}
