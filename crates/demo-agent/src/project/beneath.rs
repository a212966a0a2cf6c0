//! Where a path really leads, and that it stays beneath the root.

use std::io;
use std::path::{Component, Path, PathBuf};

use super::{Project, Refusal};

impl Project {
    /// The real path of something that exists.
    pub(super) fn existing(&self, named: &str) -> Result<PathBuf, Refusal> {
        let (found, missing) = self.real_part(named)?;
        if missing.as_os_str().is_empty() { Ok(found) } else { Err(Refusal::Missing(named.into())) }
    }

    /// The real path of a file that exists, or of one that could be made in a directory that exists.
    pub(super) fn existing_or_new(&self, named: &str) -> Result<PathBuf, Refusal> {
        let (found, missing) = self.real_part(named)?;
        let path = match missing.components().count() {
            0 => found,
            1 => found.join(missing),
            _ => return Err(Refusal::Missing(format!("directory for {named}"))),
        };
        // A link whose target is missing would be written through.
        if path.is_symlink() {
            return Err(Refusal::Outside(named.into()));
        }
        Ok(path)
    }

    /// Splits into the longest part that exists, by its real name, and the rest. What is outside is refused before one
    /// can tell whether it is there.
    fn real_part(&self, named: &str) -> Result<(PathBuf, PathBuf), Refusal> {
        let whole = self.root.join(named);
        for part in whole.ancestors() {
            let real = match part.canonicalize() {
                Ok(real) => real,
                Err(error) if may_be_missing(&error) => continue,
                Err(error) => return Err(Refusal::System(named.into(), error)),
            };
            let rest = whole.strip_prefix(part).unwrap_or(Path::new(""));
            let plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
            if !real.starts_with(&self.root) || !plain {
                return Err(Refusal::Outside(named.into()));
            }
            return Ok((real, rest.to_owned()));
        }
        Err(Refusal::Outside(named.into()))
    }
}

fn may_be_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn what_leads_outside_is_refused_whether_it_exists_or_not() {
        let (dir, project) = sample::project();
        let absolute = dir.path().join("outside/secret.txt").display().to_string();
        for path in [
            "..",
            "../outside/secret.txt",
            "../../../../../../etc/passwd",
            "../nowhere",
            "src/../../outside",
            "missing/../../outside",
            "way-out",
            "way-out/secret.txt",
            "way-out/nowhere",
            "secret-link.txt",
            "/etc/passwd",
            "/nowhere/at/all",
            "/",
            &absolute,
        ] {
            for place in [project.existing(path), project.existing_or_new(path)] {
                assert!(matches!(place, Err(Refusal::Outside(_))), "{path}: {place:?}");
            }
        }
        let dangling = project.existing_or_new("dangling.txt");
        assert!(matches!(dangling, Err(Refusal::Outside(_))), "{dangling:?}");
    }

    #[test]
    fn what_is_inside_has_one_name_however_it_is_spelt() {
        let (_dir, project) = sample::project();
        let absolute = project.root().join("src/main.rs").display().to_string();
        for path in [
            "src/main.rs",
            "./src//main.rs",
            "src/../src/main.rs",
            "main-link.rs",
            "src/loop/src/main.rs",
            &absolute,
        ] {
            assert_eq!(project.name_of(&project.existing(path).unwrap()), "src/main.rs", "{path}");
        }
        assert_eq!(project.name_of(&project.existing(".").unwrap()), ".");
    }

    #[test]
    fn a_new_file_needs_its_directory() {
        let (_dir, project) = sample::project();
        let new = project.existing_or_new("src/new.rs").unwrap();
        assert_eq!(project.name_of(&new), "src/new.rs");
        let error = project.existing_or_new("lib/deep/new.rs").unwrap_err();
        assert_eq!(error.to_string(), "there is no directory for lib/deep/new.rs");
        assert!(matches!(project.existing("src/new.rs"), Err(Refusal::Missing(_))));
        assert!(project.existing("README.md/inner").is_err());
        assert!(project.existing("a\0b").is_err());
    }
}
