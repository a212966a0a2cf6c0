//! Where a text occurs.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::read::text_of;
use super::walk::{self, Extent};
use super::{Abandoned, Project};

const MOST_ENTRIES: usize = 20_000;
const MOST_HITS: usize = 100;
/// Of one file; longer ones are mostly data.
const MOST_READ: u64 = 1 << 20;
/// Of all files together.
const MOST_READ_IN_ALL: usize = 64 << 20;
/// Characters of a line that are shown.
const MOST_SHOWN: usize = 160;

#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) hits: Vec<Hit>,
    pub(crate) files: usize,
    /// There may be more of it.
    pub(crate) is_cut: bool,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hit {
    pub(crate) path: PathBuf,
    /// Counted from one.
    pub(crate) line: u32,
    pub(crate) text: String,
}

impl Project {
    /// Upper and lower case are the same.
    pub(crate) fn search(&self, text: &str, abandoned: Abandoned<'_>) -> Found {
        let wanted = text.to_lowercase();
        let mut found = Found::default();
        let mut bytes = 0;
        let extent = walk::files(self.root(), MOST_ENTRIES, abandoned, |file| {
            // What is not text, or may not be read, has no hits.
            let Ok((content, is_cut)) = text_of(file, "", MOST_READ) else {
                return ControlFlow::Continue(());
            };
            found.files += 1;
            found.is_cut |= is_cut;
            bytes += content.len();
            found.hits.extend(hits(file, &content, &wanted));
            if found.hits.len() > MOST_HITS || bytes > MOST_READ_IN_ALL {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        found.is_cut |= extent == Extent::Cut;
        found.hits.truncate(MOST_HITS);
        found
    }
}

fn hits(path: &Path, content: &str, wanted: &str) -> impl Iterator<Item = Hit> {
    let numbered = (1..).zip(content.lines());
    let hits = numbered.filter(move |(_, line)| line.to_lowercase().contains(wanted));
    hits.take(MOST_HITS + 1).map(move |(line, text)| {
        let text = text.trim().chars().take(MOST_SHOWN).collect();
        Hit { path: path.to_owned(), line, text }
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::sample;
    use super::*;

    #[test]
    fn it_finds_text_in_text_and_nowhere_outside() {
        let (_dir, project) = sample::project();
        let found = project.search("todo", &|| false);
        let hits: Vec<_> = found
            .hits
            .iter()
            .map(|hit| format!("{}:{}: {}", project.name_of(&hit.path), hit.line, hit.text))
            .collect();
        assert_eq!(hits, ["README.md:3: Todo: write more", "src/main.rs:2: // todo: everything"]);
        assert_eq!((found.files, found.is_cut), (2, false));
        assert!(project.search("secret", &|| false).hits.is_empty());
    }

    #[test]
    fn many_and_long_hits_are_cut() {
        let (_dir, project) = sample::project();
        let line = format!("needle {}\n", "é".repeat(1000));
        fs::write(project.root().join("hay"), line.repeat(MOST_HITS + 1)).unwrap();
        let found = project.search("NEEDLE", &|| false);
        assert_eq!((found.hits.len(), found.is_cut), (MOST_HITS, true));
        assert_eq!(found.hits[0].text.chars().count(), MOST_SHOWN);
        assert!(project.search("needle", &|| true).hits.is_empty());
    }
}
