//! A change to one file: proposed first, then made at once or not at all.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use super::read::text_of;
use super::{Project, Refusal};

const MOST_EDITED: u64 = 1 << 20;

/// What a file is to become, and what it was when that was decided.
#[derive(Clone, Debug)]
pub(crate) struct Proposal {
    pub(crate) path: PathBuf,
    pub(crate) name: String,
    /// None for a file that does not exist yet.
    pub(crate) old: Option<String>,
    pub(crate) new: String,
}

impl Project {
    /// Replaces every occurrence of a text.
    pub(crate) fn propose_replacement(
        &self,
        named: &str,
        old: &str,
        new: &str,
    ) -> Result<Proposal, Refusal> {
        let path = self.existing(named)?;
        let name = self.editable(&path)?;
        let text = whole_text(&path, &name)?;
        if !text.contains(old) {
            return Err(Refusal::NothingToReplace(name));
        }
        let count = text.matches(old).count();
        let rest = text.len().saturating_sub(count.saturating_mul(old.len()));
        fits(rest.saturating_add(count.saturating_mul(new.len())), &name)?;
        let new = text.replace(old, new);
        Ok(Proposal { path, name, old: Some(text), new })
    }

    /// Makes a file, or replaces all that is in it.
    pub(crate) fn propose_file(&self, named: &str, text: &str) -> Result<Proposal, Refusal> {
        let path = self.existing_or_new(named)?;
        let name = self.editable(&path)?;
        let old = if path.exists() { Some(whole_text(&path, &name)?) } else { None };
        fits(text.len(), &name)?;
        let ending = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        Ok(Proposal { path, name, old, new: format!("{text}{ending}") })
    }

    /// Makes the change, unless the file is no longer what it was. Readers see the old file or the new one.
    pub(crate) fn apply(&self, proposal: &Proposal) -> Result<(), Refusal> {
        let Proposal { path, name, old, new } = proposal;
        let changed = || Refusal::Changed(name.clone());
        // Somebody may have put a link in its way since.
        if self.existing_or_new(name).ok().as_ref() != Some(path) {
            return Err(changed());
        }
        let system = |error| Refusal::System(name.clone(), error);
        if let Some(old) = old {
            if !path.exists() || whole_text(path, name)? != *old {
                return Err(changed());
            }
            let file = written_beside(path, new).map_err(system)?;
            let permissions = fs::metadata(path).map_err(system)?.permissions();
            file.as_file().set_permissions(permissions).map_err(system)?;
            file.persist(path).map_err(|error| system(error.error))?;
        } else {
            let file = written_beside(path, new).map_err(system)?;
            file.persist_noclobber(path).map_err(|_| changed())?;
        }
        Ok(())
    }

    /// A hook or a setting of git would run as a program one day.
    fn editable(&self, path: &Path) -> Result<String, Refusal> {
        let name = self.name_of(path);
        if path.iter().any(|part| part.eq_ignore_ascii_case(".git")) {
            return Err(Refusal::BelongsToGit(name));
        }
        Ok(name)
    }
}

/// What could not be edited again is not made.
fn fits(length: usize, name: &str) -> Result<(), Refusal> {
    let fits = u64::try_from(length).is_ok_and(|length| length < MOST_EDITED);
    if fits { Ok(()) } else { Err(Refusal::WouldBeTooLarge(name.into())) }
}

fn whole_text(path: &Path, name: &str) -> Result<String, Refusal> {
    let (text, is_cut) = text_of(path, name, MOST_EDITED)?;
    if is_cut { Err(Refusal::TooLarge(name.into())) } else { Ok(text) }
}

fn written_beside(path: &Path, text: &str) -> std::io::Result<NamedTempFile> {
    let directory = path.parent().unwrap_or(Path::new("/"));
    let mut file = Builder::new()
        .prefix(".liminal-demo-")
        // As any new file: the user's mask takes away what it does.
        .permissions(fs::Permissions::from_mode(0o666))
        .tempfile_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    fn text(project: &Project, name: &str) -> String {
        fs::read_to_string(project.root().join(name)).unwrap()
    }

    #[test]
    fn a_replacement_keeps_the_rest_and_the_permissions() {
        let (_dir, project) = sample::project();
        let path = project.root().join("src/main.rs");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o750)).unwrap();
        let proposal = project.propose_replacement("main-link.rs", "main", "start").unwrap();
        assert_eq!(text(&project, "src/main.rs"), proposal.old.clone().unwrap());
        project.apply(&proposal).unwrap();
        assert_eq!(text(&project, "src/main.rs"), "fn start() {}\n// todo: everything\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o750);
        assert!(project.root().join("main-link.rs").is_symlink(), "the link still leads there");
        let left: Vec<_> = fs::read_dir(project.root().join("src")).unwrap().collect();
        assert_eq!(left.len(), 3, "{left:?}");
    }

    #[test]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let (_dir, project) = sample::project();
        let proposal = project.propose_replacement("README.md", "Todo", "DONE").unwrap();
        fs::write(project.root().join("README.md"), "mine").unwrap();
        assert!(matches!(project.apply(&proposal), Err(Refusal::Changed(_))));
        assert_eq!(text(&project, "README.md"), "mine");

        fs::remove_file(project.root().join("README.md")).unwrap();
        assert!(matches!(project.apply(&proposal), Err(Refusal::Changed(_))));

        let proposal = project.propose_file("new.md", "ours").unwrap();
        fs::write(project.root().join("new.md"), "mine").unwrap();
        assert!(matches!(project.apply(&proposal), Err(Refusal::Changed(_))));
        assert_eq!(text(&project, "new.md"), "mine");
    }

    #[test]
    fn a_link_that_appears_meanwhile_is_not_written_through() {
        let (dir, project) = sample::project();
        let proposal = project.propose_file("new.md", "ours").unwrap();
        let outside = dir.path().join("outside/new.md");
        std::os::unix::fs::symlink(&outside, project.root().join("new.md")).unwrap();
        assert!(matches!(project.apply(&proposal), Err(Refusal::Changed(_))));
        assert!(!outside.exists());
    }

    #[test]
    fn what_must_not_be_edited_is_refused_when_it_is_proposed() {
        let (_dir, project) = sample::project();
        let file = |name: &str| project.propose_file(name, "x").unwrap_err();
        assert!(matches!(file(".git/hooks"), Refusal::BelongsToGit(_)));
        assert!(matches!(file("../new.txt"), Refusal::Outside(_)));
        assert!(matches!(file("dangling.txt"), Refusal::Outside(_)));
        assert!(matches!(file("src"), Refusal::NotAFile(_)));
        assert!(matches!(file("src/data.bin"), Refusal::NotText(_)));
        let large = "x".repeat(usize::try_from(MOST_EDITED).unwrap() + 1);
        fs::write(project.root().join("large"), large).unwrap();
        assert!(matches!(file("large"), Refusal::TooLarge(_)));
        let nothing = project.propose_replacement("README.md", "absent", "x");
        assert!(matches!(nothing, Err(Refusal::NothingToReplace(_))));
    }

    #[test]
    fn a_file_does_not_outgrow_what_can_be_edited() {
        let (_dir, project) = sample::project();
        fs::write(project.root().join("many"), "a".repeat(1 << 16)).unwrap();
        let long = "b".repeat(1 << 24);
        let grown = project.propose_replacement("many", "a", &long);
        assert!(matches!(grown, Err(Refusal::WouldBeTooLarge(_))), "without trying to");
        let written = project.propose_file("new", &long);
        assert!(matches!(written, Err(Refusal::WouldBeTooLarge(_))));
        let proposal = project.propose_replacement("many", "a", "bb").unwrap();
        assert_eq!(proposal.new.len(), 1 << 17);
    }

    #[test]
    fn a_new_file_ends_with_a_line_and_is_as_open_as_any() {
        let (_dir, project) = sample::project();
        let proposal = project.propose_file("src/new.md", "one").unwrap();
        assert_eq!((proposal.old.as_deref(), proposal.new.as_str()), (None, "one\n"));
        project.apply(&proposal).unwrap();
        fs::write(project.root().join("other"), "").unwrap();
        let mode = |name: &str| fs::metadata(project.root().join(name)).unwrap().permissions();
        assert_eq!(mode("src/new.md"), mode("other"));
    }
}
