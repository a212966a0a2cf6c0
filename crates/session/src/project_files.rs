//! Files of a project that somebody may mean by what they wrote of a name.
//!
//! Links are neither followed nor offered, so nothing outside the directory is seen; also not by one that takes the place of a
//! directory while it is looked at: directories are opened from the one above, and read as they were opened.

use std::collections::VecDeque;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, Dir, DirEntry, FileType, Mode, OFlags};

/// Files that are offered at once; whoever does not see theirs writes on.
const OFFERED: usize = 50;
/// Entries of directories that are looked at, the nearest first.
const LOOKED_AT: usize = 20_000;
/// Directories with many files that nobody wrote: looked at last.
const MADE: [&str; 5] = ["node_modules", "target", "dist", "build", "vendor"];
/// Never looked at.
const INTERNAL: &str = ".git";

/// How well a file fits: its name begins so, its name has it, its path has it; then the shorter path.
type Fit = (u8, usize, String);

pub(crate) fn matching_files(root: &Path, written: &str) -> Vec<String> {
    let wanted = written.trim().to_lowercase();
    // Hidden ones only for whoever asks for them.
    let with_hidden = wanted.split('/').any(|part| part.starts_with('.'));
    let mut found: Vec<Fit> = Vec::new();
    let Some(root) = open_canonical(root) else { return Vec::new() };
    let mut near = VecDeque::from([PathBuf::new()]);
    let mut far = VecDeque::new();
    let mut left = LOOKED_AT;
    while let Some(dir) = near.pop_front().or_else(|| far.pop_front()) {
        let Some(opened) = open_beneath(&root, &dir) else { continue };
        let Ok(entries) = Dir::read_from(&opened) else { continue };
        for entry in entries.flatten().filter(|entry| !is_of_every_directory(entry)) {
            if left == 0 {
                return best(found);
            }
            left -= 1;
            let Ok(name) = entry.file_name().to_str() else { continue };
            if name == INTERNAL || (name.starts_with('.') && !with_hidden) {
                continue;
            }
            let path = dir.join(name);
            match kind_of(&opened, &entry) {
                Some(FileType::Directory) if MADE.contains(&name) => far.push_back(path),
                Some(FileType::Directory) => near.push_back(path),
                Some(FileType::RegularFile) => found.extend(fit(&path, name, &wanted)),
                Some(_) | None => {}
            }
        }
    }
    best(found)
}

/// A directory whose path is canonical, so that no part of it is a link; one that became a link meanwhile is not opened.
pub(crate) fn open_canonical(path: &Path) -> Option<OwnedFd> {
    let top = open(rustix::fs::CWD, Path::new("/"), THROUGH)?;
    open_beneath(&top, path)
}

/// A directory by its path from another one, part by part, without following a link anywhere.
fn open_beneath(top: &OwnedFd, path: &Path) -> Option<OwnedFd> {
    let parts = path.components().filter(|part| *part != Component::RootDir);
    let mut reached = open(top.as_fd(), Path::new("."), THROUGH)?;
    for part in parts {
        let Component::Normal(name) = part else { return None };
        reached = open(reached.as_fd(), Path::new(name), THROUGH)?;
    }
    open(reached.as_fd(), Path::new("."), OFlags::RDONLY)
}

/// On the way a directory need not be readable: `/home` often is not.
#[cfg(target_os = "linux")]
const THROUGH: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const THROUGH: OFlags = OFlags::RDONLY;

fn open(at: BorrowedFd<'_>, name: &Path, how: OFlags) -> Option<OwnedFd> {
    let flags = how | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(at, name, flags, Mode::empty()).ok()
}

fn is_of_every_directory(entry: &DirEntry) -> bool {
    matches!(entry.file_name().to_bytes(), b"." | b"..")
}

/// Some file systems do not tell it with the name.
pub(crate) fn kind_of(dir: &OwnedFd, entry: &DirEntry) -> Option<FileType> {
    let told = entry.file_type();
    if told != FileType::Unknown {
        return Some(told);
    }
    let found = rustix::fs::statat(dir, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW);
    Some(FileType::from_raw_mode(found.ok()?.st_mode))
}

fn fit(path: &Path, name: &str, wanted: &str) -> Option<Fit> {
    let path = path.to_str()?;
    let name = name.to_lowercase();
    let rank = if name.starts_with(wanted) {
        0
    } else if name.contains(wanted) {
        1
    } else if path.to_lowercase().contains(wanted) {
        2
    } else {
        return None;
    };
    Some((rank, path.len(), path.to_owned()))
}

fn best(mut found: Vec<Fit>) -> Vec<String> {
    found.sort_unstable();
    found.truncate(OFFERED);
    found.into_iter().map(|(_, _, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn project(files: &[&str]) -> tempfile::TempDir {
        // Without links in its own path, as projects have it.
        let root = tempfile::tempdir_in(std::env::temp_dir().canonicalize().unwrap()).unwrap();
        for file in files {
            let path = root.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        root
    }

    #[test]
    fn names_that_begin_so_come_first_and_hidden_ones_only_if_asked_for() {
        let root = project(&[
            "src/main.rs",
            "src/domain.rs",
            "main/other.rs",
            ".config/main.rs",
            ".git/main",
            "node_modules/x/main.js",
        ]);
        let found = |written: &str| matching_files(root.path(), written);
        let expected = ["src/main.rs", "node_modules/x/main.js", "src/domain.rs", "main/other.rs"];
        assert_eq!(found("MAIN"), expected);
        assert_eq!(found("src/ma"), ["src/main.rs"]);
        assert_eq!(found(".config"), [".config/main.rs"]);
        assert_eq!(found(".git"), [""; 0]);
        assert_eq!(found("").len(), 4);
        assert_eq!(found("nothing"), [""; 0]);
    }

    #[test]
    fn links_lead_nowhere() {
        let outside = project(&["secret.txt"]);
        let root = project(&["open.txt"]);
        std::os::unix::fs::symlink(outside.path(), root.path().join("link")).unwrap();
        let file = outside.path().join("secret.txt");
        std::os::unix::fs::symlink(file, root.path().join("secret.txt")).unwrap();
        std::os::unix::fs::symlink(root.path(), root.path().join("round")).unwrap();
        assert_eq!(matching_files(root.path(), ""), ["open.txt"]);
    }

    /// A directory becomes a link and a directory again, all the time: what is behind the link is never seen.
    #[test]
    fn s_21_no_name_of_outside_is_told_while_a_directory_becomes_a_link_and_back() {
        use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

        let outside = project(&["deep/secret.txt", "secret.txt"]);
        let names: Vec<_> = (0..40).map(|n| format!("d{n}/inside/open.txt")).collect();
        let root = project(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let (is_over, flips) = (AtomicBool::new(false), AtomicU32::new(0));
        let (link, aside) = (root.path().join("d0"), root.path().join("aside"));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    std::fs::rename(&link, &aside).unwrap();
                    std::os::unix::fs::symlink(outside.path(), &link).unwrap();
                    std::fs::remove_file(&link).unwrap();
                    std::fs::rename(&aside, &link).unwrap();
                    flips.fetch_add(2, Ordering::Relaxed);
                }
            });
            while flips.load(Ordering::Relaxed) < 100_000 {
                let found = matching_files(root.path(), "");
                let told = found.iter().find(|path| path.contains("secret")).cloned();
                if told.is_some() {
                    is_over.store(true, Ordering::Relaxed);
                }
                assert_eq!(told, None);
            }
            is_over.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn s_21_a_project_whose_own_path_became_a_link_is_not_read() {
        let outside = project(&["secret.txt"]);
        let place = project(&["here/inside/open.txt"]);
        let path = place.path().canonicalize().unwrap().join("here/inside");
        assert_eq!(matching_files(&path, ""), ["open.txt"]);
        std::fs::rename(place.path().join("here"), place.path().join("aside")).unwrap();
        std::fs::create_dir(outside.path().join("inside")).unwrap();
        std::fs::write(outside.path().join("inside/secret.txt"), "").unwrap();
        std::os::unix::fs::symlink(outside.path(), place.path().join("here")).unwrap();
        assert_eq!(matching_files(&path, ""), [""; 0]);
    }

    #[test]
    fn a_project_of_any_size_is_looked_at_within_bounds() {
        let names: Vec<_> = (0..60).map(|n| format!("d{n}/f{n}")).collect();
        let root = project(&names.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(matching_files(root.path(), "f").len(), OFFERED);
    }
}
