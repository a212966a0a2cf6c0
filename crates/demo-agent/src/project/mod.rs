//! The files of a session's directory; nothing outside it is read or written, whatever a path says.

mod beneath;
mod edit;
mod list;
mod read;
mod search;
mod walk;

use std::io;
use std::path::{Path, PathBuf};

pub(crate) use edit::Proposal;
pub(crate) use list::Listing;
pub(crate) use read::Text;
pub(crate) use search::Found;

/// Asked by everything that may take long; true when nobody waits for the result any more.
pub(crate) type Abandoned<'a> = &'a dyn Fn() -> bool;

/// A directory that exists, by its real name.
#[derive(Clone, Debug)]
pub(crate) struct Project {
    root: PathBuf,
}

/// Why a file is not touched; said to the user as it is.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("{0} leads outside this session's directory")]
    Outside(String),
    #[error("there is no {0}")]
    Missing(String),
    #[error("{0} is not a file")]
    NotAFile(String),
    #[error("{0} is not a directory")]
    NotADirectory(String),
    #[error("{0} is not text")]
    NotText(String),
    #[error("{0} is too large to edit")]
    TooLarge(String),
    #[error("{0} would become too large")]
    WouldBeTooLarge(String),
    #[error("{0} belongs to git")]
    BelongsToGit(String),
    #[error("the text to replace is not in {0}")]
    NothingToReplace(String),
    #[error("{0} changed in the meantime")]
    Changed(String),
    #[error("{0}: {1}")]
    System(String, #[source] io::Error),
}

impl Project {
    pub(crate) fn open(directory: &Path) -> io::Result<Self> {
        let root = directory.canonicalize()?;
        if !root.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(Self { root })
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// How a path beneath the root is called when talking about it.
    pub(crate) fn name_of(&self, path: &Path) -> String {
        let inner = path.strip_prefix(&self.root).unwrap_or(path);
        if inner.as_os_str().is_empty() {
            return ".".to_owned();
        }
        inner.display().to_string()
    }
}

#[cfg(test)]
mod sample {
    //! A project with what makes trouble in it.

    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    /// `outside/secret.txt` and `inside/`, which is the project.
    pub(super) fn project() -> (tempfile::TempDir, Project) {
        let dir = tempfile::tempdir().unwrap();
        let (outside, inside) = (dir.path().join("outside"), dir.path().join("inside"));
        for made in [&outside, &inside.join("src"), &inside.join(".git"), &inside.join("target")] {
            fs::create_dir_all(made).unwrap();
        }
        fs::write(outside.join("secret.txt"), "Todo: secret").unwrap();
        fs::write(inside.join("README.md"), "# Title\n\nTodo: write more\n").unwrap();
        fs::write(inside.join("src/main.rs"), "fn main() {}\n// todo: everything\n").unwrap();
        fs::write(inside.join("src/data.bin"), b"\x00\x01Todo").unwrap();
        fs::write(inside.join(".git/config"), "Todo").unwrap();
        fs::write(inside.join("target/output"), "Todo").unwrap();
        symlink(&outside, inside.join("way-out")).unwrap();
        symlink("../outside/secret.txt", inside.join("secret-link.txt")).unwrap();
        symlink("../outside/new.txt", inside.join("dangling.txt")).unwrap();
        symlink("src/main.rs", inside.join("main-link.rs")).unwrap();
        symlink("..", inside.join("src/loop")).unwrap();
        let project = Project::open(&inside).unwrap();
        (dir, project)
    }
}
