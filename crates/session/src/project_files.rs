//! Files of a project that somebody may mean by what they wrote of a name.
//!
//! Links are neither followed nor offered, so nothing outside the directory is seen.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};

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
    let mut near = VecDeque::from([PathBuf::new()]);
    let mut far = VecDeque::new();
    let mut left = LOOKED_AT;
    while let Some(dir) = near.pop_front().or_else(|| far.pop_front()) {
        let Ok(entries) = std::fs::read_dir(root.join(&dir)) else { continue };
        for entry in entries.flatten() {
            if left == 0 {
                return best(found);
            }
            left -= 1;
            let (Some(name), Ok(kind)) =
                (entry.file_name().to_str().map(str::to_owned), entry.file_type())
            else {
                continue;
            };
            if name == INTERNAL || (name.starts_with('.') && !with_hidden) {
                continue;
            }
            let path = dir.join(&name);
            if kind.is_dir() {
                let later = MADE.contains(&name.as_str());
                if later { far.push_back(path) } else { near.push_back(path) }
            } else if kind.is_file() {
                found.extend(fit(&path, &name, &wanted));
            }
        }
    }
    best(found)
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
        let root = tempfile::tempdir().unwrap();
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

    #[test]
    fn a_project_of_any_size_is_looked_at_within_bounds() {
        let names: Vec<_> = (0..60).map(|n| format!("d{n}/f{n}")).collect();
        let root = project(&names.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(matching_files(root.path(), "f").len(), OFFERED);
    }
}
