//! Opens the user's browser, where there is one.
//!
//! The login link must not stand on a command line, which every user of the machine can read. So the browser is given a
//! private file that leads there.

use std::env;
use std::fs::{DirBuilder, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use server::Secret;

/// The file that leads to the page; gone when this is dropped.
pub(crate) struct Doorway {
    dir: PathBuf,
}

impl Drop for Doorway {
    fn drop(&mut self) {
        if let Err(error) = std::fs::remove_dir_all(&self.dir) {
            tracing::debug!(%error, "the doorway could not be removed");
        }
    }
}

/// Opens `url` if a person sits in front of this. Failing is no failure: the link is printed too.
pub(crate) fn open(url: &str) -> Option<Doorway> {
    let program = opener()?;
    match open_with(program, url) {
        Ok(doorway) => Some(doorway),
        Err(error) => {
            tracing::debug!(%error, program, "no browser was opened");
            None
        }
    }
}

fn open_with(program: &str, url: &str) -> anyhow::Result<Doorway> {
    let name = Secret::random()?;
    let doorway = Doorway { dir: env::temp_dir().join(format!("liminal-{}", name.reveal())) };
    let page = write_page(&doorway.dir, url)?;
    #[expect(
        clippy::disallowed_methods,
        reason = "the user's own browser is no agent to supervise"
    )]
    let mut keeper = Command::new(env::current_exe()?);
    keeper.args(["beside-agents", program]).arg(page);
    keeper.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    agent_process::beside::start(&mut keeper)?;
    Ok(doorway)
}

/// Readable by this user only. The directory must be new: its name cannot be guessed, nor planted before.
fn write_page(dir: &Path, url: &str) -> io::Result<PathBuf> {
    DirBuilder::new().mode(0o700).create(dir)?;
    let page = dir.join("open.html");
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&page)?;
    writeln!(
        file,
        "<!doctype html><meta http-equiv=\"refresh\" content=\"0; url={url}\"><title>Liminal Builder</title>"
    )?;
    Ok(page)
}

fn opener() -> Option<&'static str> {
    if !io::stdout().is_terminal() {
        return None;
    }
    if cfg!(target_os = "macos") {
        return Some("open");
    }
    let has_display = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some());
    has_display.then_some("xdg-open")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn the_page_that_leads_to_us_is_private_and_goes_away() {
        let parent = tempfile::tempdir().unwrap();
        let dir = parent.path().join("liminal-x");
        let page = write_page(&dir, "http://127.0.0.1:1/#login=abc").unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&dir), mode(&page)), (0o700, 0o600));
        assert!(std::fs::read_to_string(&page).unwrap().contains("#login=abc"));
        assert!(write_page(&dir, "again").is_err(), "what is there already is not used");
        drop(Doorway { dir: dir.clone() });
        assert!(!dir.exists());
    }
}
