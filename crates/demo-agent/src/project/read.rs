//! The text of a file, up to a bound.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::{Project, Refusal};

const MOST_SHOWN: u64 = 64 << 10;

#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    /// The file is longer than that.
    pub(crate) is_cut: bool,
}

impl Project {
    pub(crate) fn read(&self, named: &str) -> Result<Text, Refusal> {
        let path = self.existing(named)?;
        let (text, is_cut) = text_of(&path, named, MOST_SHOWN)?;
        Ok(Text { path, text, is_cut })
    }
}

/// The text at a real path, and whether the file goes on after it.
pub(super) fn text_of(path: &Path, named: &str, most: u64) -> Result<(String, bool), Refusal> {
    // Asked before it is opened: opening a pipe would wait for its writer.
    if !path.is_file() {
        return Err(Refusal::NotAFile(named.into()));
    }
    let system = |error| Refusal::System(named.into(), error);
    let mut bytes = Vec::new();
    File::open(path).map_err(system)?.take(most + 1).read_to_end(&mut bytes).map_err(system)?;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let is_cut = bytes.len() > most;
    bytes.truncate(most);
    match as_text(bytes, is_cut) {
        Some(text) => Ok((text, is_cut)),
        None => Err(Refusal::NotText(named.into())),
    }
}

/// A character may be broken where the text was cut, and nowhere else.
fn as_text(bytes: Vec<u8>, is_cut: bool) -> Option<String> {
    if bytes.contains(&0) {
        return None;
    }
    String::from_utf8(bytes).map_or_else(
        |error| {
            let problem = error.utf8_error();
            let only_broken_at_its_end = is_cut && problem.error_len().is_none();
            let mut bytes = error.into_bytes();
            bytes.truncate(problem.valid_up_to());
            only_broken_at_its_end.then(|| String::from_utf8(bytes).ok()).flatten()
        },
        Some,
    )
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::sample;
    use super::*;

    #[test]
    fn text_is_read_and_everything_else_is_refused() {
        let (_dir, project) = sample::project();
        assert_eq!(
            project.read("main-link.rs").unwrap().text,
            "fn main() {}\n// todo: everything\n"
        );
        assert!(matches!(project.read("src/data.bin"), Err(Refusal::NotText(_))));
        assert!(matches!(project.read("src"), Err(Refusal::NotAFile(_))));
        assert!(matches!(project.read("secret-link.txt"), Err(Refusal::Outside(_))));
        assert!(matches!(project.read("nothing.txt"), Err(Refusal::Missing(_))));
        fs::write(project.root().join("latin"), b"caf\xe9\n").unwrap();
        assert!(matches!(project.read("latin"), Err(Refusal::NotText(_))));
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let (_dir, project) = sample::project();
        let path = project.root().join("long");
        fs::write(&path, "aéé").unwrap();
        for (most, text, is_cut) in [(2, "a", true), (3, "aé", true), (5, "aéé", false)] {
            assert_eq!(text_of(&path, "long", most).unwrap(), (text.to_owned(), is_cut));
        }
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let (_dir, project) = sample::project();
        let pipe = project.root().join("pipe");
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, kind, 0o600.into(), 0).unwrap();
        assert!(matches!(project.read("pipe"), Err(Refusal::NotAFile(_))));
    }
}
