//! Every file below a directory, in order, within bounds: it follows no link and ends also where directories do not.

use std::fs::{self, DirEntry};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::Abandoned;

/// Made by tools, or not for reading.
const SKIPPED: [&str; 3] = [".git", "node_modules", "target"];
const DEEPEST: usize = 40;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extent {
    Whole,
    /// A bound was met, or the visitor had enough.
    Cut,
}

/// Visits files until the visitor breaks, nobody waits any more, or `most_entries` were seen.
pub(super) fn files(
    start: &Path,
    most_entries: usize,
    abandoned: Abandoned<'_>,
    mut visit: impl FnMut(&Path) -> ControlFlow<()>,
) -> Extent {
    let mut seen = 0;
    let mut extent = Extent::Whole;
    // The last one is the next one, so directories are pushed in reverse.
    let mut pending = vec![(start.to_owned(), 0)];
    while let Some((directory, depth)) = pending.pop() {
        let (files, directories, whole) = entries(&directory, most_entries - seen);
        seen += files.len() + directories.len();
        if !whole {
            extent = Extent::Cut;
        }
        for file in files {
            if abandoned() || visit(&file).is_break() {
                return Extent::Cut;
            }
        }
        if depth < DEEPEST {
            pending.extend(directories.into_iter().rev().map(|inner| (inner, depth + 1)));
        } else if !directories.is_empty() {
            extent = Extent::Cut;
        }
        if seen >= most_entries && !pending.is_empty() {
            return Extent::Cut;
        }
    }
    extent
}

/// Files and directories of a directory, sorted, and whether that is all of it. One that cannot be read has none.
fn entries(directory: &Path, most: usize) -> (Vec<PathBuf>, Vec<PathBuf>, bool) {
    let Ok(mut entries) = fs::read_dir(directory) else { return (Vec::new(), Vec::new(), true) };
    let (mut files, mut directories) = (Vec::new(), Vec::new());
    for entry in entries.by_ref().take(most).flatten() {
        // Asks for the entry itself: a link is neither file nor directory here.
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_file() {
            files.push(entry.path());
        } else if kind.is_dir() && !is_skipped(&entry) {
            directories.push(entry.path());
        }
    }
    files.sort();
    directories.sort();
    (files, directories, entries.next().is_none())
}

fn is_skipped(entry: &DirEntry) -> bool {
    SKIPPED.iter().any(|name| entry.file_name() == *name)
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn seen(start: &Path, most: usize, abandoned: Abandoned<'_>) -> (Vec<String>, Extent) {
        let mut names = Vec::new();
        let extent = files(start, most, abandoned, |file| {
            names.push(file.strip_prefix(start).unwrap().display().to_string());
            ControlFlow::Continue(())
        });
        (names, extent)
    }

    #[test]
    fn it_sees_files_in_order_and_follows_no_link() {
        let (_dir, project) = sample::project();
        let (names, extent) = seen(project.root(), 100, &|| false);
        assert_eq!(names, ["README.md", "src/data.bin", "src/main.rs"]);
        assert_eq!(extent, Extent::Whole);
    }

    #[test]
    fn it_ends_at_its_bounds() {
        let dir = tempfile::tempdir().unwrap();
        for number in 0..20 {
            fs::write(dir.path().join(format!("{number:02}")), "").unwrap();
        }
        let (names, extent) = seen(dir.path(), 5, &|| false);
        assert_eq!((names.len(), extent), (5, Extent::Cut));
        let (names, extent) = seen(dir.path(), 20, &|| false);
        assert_eq!((names.len(), extent), (20, Extent::Whole));
        assert_eq!(seen(dir.path(), 100, &|| true), (Vec::new(), Extent::Cut));

        let deep = dir.path().join("d/".repeat(DEEPEST + 5));
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("deep"), "").unwrap();
        let (names, extent) = seen(dir.path(), 1000, &|| false);
        assert_eq!((names.len(), extent), (20, Extent::Cut));
    }
}
