//! Which directories may be projects.

use std::ffi::CStr;
use std::os::fd::OwnedFd;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

use rustix::fs::{AtFlags, Dir, FileType, statat};

use crate::project_files::{kind_of, open_canonical};

/// Directories that are offered at once; whoever does not see theirs writes on.
const OFFERED: usize = 50;
/// Entries of a directory that are looked at.
const LOOKED_AT: usize = 10_000;

/// The directories below which projects may live, canonical.
#[derive(Clone, Debug)]
pub struct AllowedRoots(Vec<PathBuf>);

/// Why a directory may not be a project.
#[derive(Debug)]
pub(crate) struct NotAProject(pub(crate) String);

impl AllowedRoots {
    /// Roots that do not exist allow nothing.
    pub async fn resolve(roots: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut canonical = Vec::new();
        for root in roots {
            match tokio::fs::canonicalize(&root).await {
                Ok(found) => canonical.push(found),
                Err(error) => {
                    tracing::warn!(root = %root.display(), %error, "no project can live below this root");
                }
            }
        }
        Self(canonical)
    }

    fn listed(&self) -> String {
        let roots: Vec<_> = self.0.iter().map(|root| root.display().to_string()).collect();
        if roots.is_empty() { "none".to_owned() } else { roots.join(", ") }
    }

    /// Directories that may be projects and begin with what was written so far. Where none may be, the roots on the way.
    pub(crate) async fn completions(&self, written: &str) -> Vec<String> {
        let (parent, name) = written.rsplit_once(MAIN_SEPARATOR).unwrap_or_default();
        let Ok(parent) = self.project(&format!("{parent}{MAIN_SEPARATOR}")).await else {
            let roots = self.0.iter().filter_map(|root| root.to_str());
            return roots.filter(|root| root.starts_with(written)).map(str::to_owned).collect();
        };
        let name = name.to_owned();
        let found = tokio::task::spawn_blocking(move || directories(Path::new(&parent), &name));
        found.await.unwrap_or_default()
    }

    /// The canonical form of a directory that may be a project.
    pub(crate) async fn project(&self, dir: &str) -> Result<String, NotAProject> {
        let refuse = |why: &str| Err(NotAProject(format!("{dir}: {why}")));
        if !Path::new(dir).is_absolute() {
            return refuse("must be an absolute path");
        }
        let Ok(path) = tokio::fs::canonicalize(dir).await else { return refuse("does not exist") };
        if !tokio::fs::metadata(&path).await.is_ok_and(|found| found.is_dir()) {
            return refuse("is not a directory");
        }
        if !self.0.iter().any(|root| path.starts_with(root)) {
            return refuse(&format!("lies outside the allowed roots ({})", self.listed()));
        }
        match path.into_os_string().into_string() {
            Ok(path) => Ok(path),
            Err(_) => refuse("is not valid UTF-8"),
        }
    }
}

fn leads_to_directory(parent: &OwnedFd, link: &CStr) -> bool {
    let found = statat(parent, link, AtFlags::empty());
    found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Directory)
}

/// Hidden ones only for whoever asks for them. Read as it was opened, so that nothing outside is seen. A link to a directory is
/// offered by its name; where it leads is checked when it is chosen.
fn directories(parent: &Path, name: &str) -> Vec<String> {
    let Some(opened) = open_canonical(parent) else { return Vec::new() };
    let Ok(entries) = Dir::read_from(&opened) else { return Vec::new() };
    let is_wanted = |found: &str| {
        let is_hidden = found.starts_with('.');
        found.starts_with(name)
            && !matches!(found, "." | "..")
            && (name.starts_with('.') || !is_hidden)
    };
    let named = entries.take(LOOKED_AT).flatten().filter_map(|entry| {
        let found = entry.file_name().to_str().ok().filter(|found| is_wanted(found))?;
        let kind = kind_of(&opened, &entry)?;
        let is_link = kind == FileType::Symlink;
        let is_directory = kind == FileType::Directory
            || (is_link && leads_to_directory(&opened, entry.file_name()));
        is_directory.then(|| parent.join(found))
    });
    let mut found: Vec<_> = named.filter_map(|path| path.to_str().map(str::to_owned)).collect();
    found.sort();
    found.truncate(OFFERED);
    found
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A root with a project, and ways out of it.
    fn place() -> tempfile::TempDir {
        let place = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(place.path().join("root/dir/deep")).unwrap();
        std::fs::create_dir(place.path().join("root-beside")).unwrap();
        std::fs::write(place.path().join("root/file"), "").unwrap();
        let link = |to: &str, name: &str| {
            std::os::unix::fs::symlink(to, place.path().join("root").join(name)).unwrap();
        };
        link("..", "up");
        link("/", "top");
        link("dir", "inside");
        link("loop", "loop");
        place
    }

    #[test]
    fn s_21_a_directory_that_became_a_link_is_not_listed() {
        let place = place();
        let root = place.path().join("root").canonicalize().unwrap();
        let text = |path: PathBuf| path.to_str().unwrap().to_owned();
        let offered = ["dir", "inside", "top", "up"].map(|name| text(root.join(name)));
        assert_eq!(directories(&root, ""), offered, "links by their names");
        assert_eq!(directories(&root.join("dir"), ""), [text(root.join("dir/deep"))]);
        // Between the check of its name and its listing.
        std::fs::rename(root.join("dir"), root.join("aside")).unwrap();
        std::os::unix::fs::symlink(place.path(), root.join("dir")).unwrap();
        assert_eq!(directories(&root.join("dir"), ""), [""; 0]);
        assert_eq!(directories(&root.join("dir/root-beside"), ""), [""; 0]);
    }

    proptest! {
        #[test]
        fn s_41_whatever_path_is_asked_for_none_outside_the_roots_is_a_project(
            parts in proptest::collection::vec(
                prop_oneof![
                    Just("..".to_owned()), Just(".".to_owned()), Just(String::new()), Just("up".to_owned()),
                    Just("top".to_owned()), Just("inside".to_owned()), Just("loop".to_owned()), Just("dir".to_owned()),
                    Just("deep".to_owned()), Just("root".to_owned()), Just("root-beside".to_owned()),
                    Just("file".to_owned()), Just("proc/self/root".to_owned()), Just("x".repeat(300)), any::<String>(),
                ],
                0..8,
            ),
            begins_at_root in any::<bool>(),
        ) {
            let place = place();
            let root = place.path().join("root").canonicalize().unwrap();
            let start = if begins_at_root { root.to_str().unwrap() } else { "" };
            let asked = format!("{start}/{}", parts.join("/"));
            let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
            let allowed = runtime.block_on(async {
                let roots = AllowedRoots::resolve([root.clone()]).await;
                for offered in roots.completions(&asked).await {
                    assert!(Path::new(&offered).starts_with(&root), "{offered} is offered for {asked:?}");
                }
                roots.project(&asked).await
            });
            if let Ok(project) = allowed {
                let canonical = Path::new(&project).canonicalize().unwrap();
                prop_assert_eq!(Path::new(&project), &canonical);
                prop_assert!(canonical.starts_with(&root) && canonical.is_dir(), "{} for {:?}", project, asked);
            }
        }
    }
}
