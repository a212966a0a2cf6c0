//! Which files there are.

use std::ops::ControlFlow;
use std::path::PathBuf;

use super::walk::{self, Extent};
use super::{Abandoned, Project, Refusal};

const MOST_ENTRIES: usize = 20_000;
const MOST_NAMES: usize = 200;

#[derive(Debug)]
pub(crate) struct Listing {
    pub(crate) directory: PathBuf,
    pub(crate) names: Vec<String>,
    /// There may be more files than names.
    pub(crate) is_cut: bool,
}

impl Project {
    pub(crate) fn list(&self, named: &str, abandoned: Abandoned<'_>) -> Result<Listing, Refusal> {
        let directory = self.existing(named)?;
        if !directory.is_dir() {
            return Err(Refusal::NotADirectory(named.into()));
        }
        let mut names = Vec::new();
        let extent = walk::files(&directory, MOST_ENTRIES, abandoned, |file| {
            if names.len() == MOST_NAMES {
                return ControlFlow::Break(());
            }
            names.push(self.name_of(file));
            ControlFlow::Continue(())
        });
        Ok(Listing { directory, names, is_cut: extent == Extent::Cut })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::sample;
    use super::*;

    #[test]
    fn names_are_those_one_can_read() {
        let (_dir, project) = sample::project();
        let listing = project.list("src", &|| false).unwrap();
        assert_eq!(listing.names, ["src/data.bin", "src/main.rs"]);
        assert!(!listing.is_cut);
        assert!(matches!(project.list("README.md", &|| false), Err(Refusal::NotADirectory(_))));
        assert!(matches!(project.list("way-out", &|| false), Err(Refusal::Outside(_))));
    }

    #[test]
    fn a_long_list_is_cut_and_says_so() {
        let (_dir, project) = sample::project();
        for number in 0..=MOST_NAMES {
            fs::write(project.root().join(format!("{number}.txt")), "").unwrap();
        }
        let listing = project.list(".", &|| false).unwrap();
        assert_eq!((listing.names.len(), listing.is_cut), (MOST_NAMES, true));
    }
}
