//! Everything the checks look at, gathered once, so that they stay pure.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use crate::command::Task;
use crate::metadata::{Dependency, Depth, Metadata, Package};
use crate::workspace::Workspace;

#[derive(Default)]
pub(super) struct Repository {
    /// Every file that is or may become part of a commit, relative to the root, with `/`.
    pub(super) paths: BTreeSet<String>,
    /// Those among them that we read.
    pub(super) texts: Vec<TextFile>,
    /// The crates of the workspace.
    pub(super) crates: Vec<Crate>,
    /// The packages of others that we build on.
    pub(super) foreign: Vec<Package>,
}

pub(super) struct TextFile {
    pub(super) path: String,
    pub(super) text: String,
}

pub(super) struct Crate {
    pub(super) name: String,
    /// Relative to the root.
    pub(super) directory: String,
    pub(super) dependencies: Vec<Dependency>,
}

const READ: [&str; 9] = ["rs", "ts", "tsx", "css", "js", "mjs", "html", "md", "toml"];

impl Repository {
    pub(super) fn gather(workspace: &Workspace) -> Result<Self> {
        let root = &workspace.root;
        let paths = committable(root)?;
        let texts = paths.iter().filter(|path| READ.contains(&extension(path)));
        let texts = texts.map(|path| TextFile::read(root, path)).collect::<Result<_>>()?;
        let ours = Metadata::read(root, Depth::WorkspaceOnly)?;
        let crates = ours.packages.into_iter().map(|package| Crate::from(root, package));
        let crates = crates.collect::<Result<_>>()?;
        Ok(Self { paths, texts, crates, foreign: foreign(root)? })
    }

    pub(super) fn text(&self, path: &str) -> Option<&str> {
        let file = self.texts.iter().find(|file| file.path == path)?;
        Some(&file.text)
    }

    /// The read files whose names end in one of `extensions`.
    pub(super) fn with_extension(&self, extensions: &[&str]) -> impl Iterator<Item = &TextFile> {
        self.texts.iter().filter(move |file| extensions.contains(&extension(&file.path)))
    }
}

impl TextFile {
    fn read(root: &Path, path: &str) -> Result<Self> {
        let text =
            fs::read_to_string(root.join(path)).with_context(|| format!("cannot read {path}"))?;
        Ok(Self { path: path.to_owned(), text })
    }
}

impl Crate {
    fn from(root: &Path, package: Package) -> Result<Self> {
        let directory = package.manifest_path.parent().context("a manifest lies in no folder")?;
        let directory = directory.strip_prefix(root).context("a crate lies outside of the root")?;
        let directory = directory.to_string_lossy().replace('\\', "/");
        Ok(Self { name: package.name, directory, dependencies: package.dependencies })
    }
}

/// Asks git, so that whatever it ignores is ignored here too.
fn committable(root: &Path) -> Result<BTreeSet<String>> {
    let list = Task::new("git ls-files -z --cached --others --exclude-standard", root).capture()?;
    ensure!(list.success, "git cannot list the files: {}", list.stderr.trim());
    let paths = list.stdout.split_terminator('\0').map(str::to_owned);
    // Git still lists a file that was deleted but not yet committed as such.
    Ok(paths.filter(|path| root.join(path).is_file()).collect())
}

fn foreign(root: &Path) -> Result<Vec<Package>> {
    let Metadata { packages, workspace_members, .. } = Metadata::read(root, Depth::AllPackages)?;
    Ok(packages.into_iter().filter(|package| !workspace_members.contains(&package.id)).collect())
}

pub(super) fn extension(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, extension)| extension)
}

#[cfg(test)]
impl Repository {
    /// A repository of these files only, each a path and its text.
    pub(super) fn of_files(files: &[(&str, &str)]) -> Self {
        Self {
            paths: files.iter().map(|(path, _)| (*path).to_owned()).collect(),
            texts: files
                .iter()
                .map(|(path, text)| TextFile { path: (*path).to_owned(), text: (*text).to_owned() })
                .collect(),
            ..Self::default()
        }
    }

    /// Adds a crate, each dependency a name and its kind.
    pub(super) fn with_crate(
        mut self,
        name: &str,
        dependencies: &[(&str, Option<crate::metadata::SpecialKind>)],
    ) -> Self {
        self.crates.push(Crate {
            name: name.to_owned(),
            directory: format!("crates/{name}"),
            dependencies: dependencies
                .iter()
                .map(|(name, kind)| Dependency { name: (*name).to_owned(), kind: *kind })
                .collect(),
        });
        self
    }
}
