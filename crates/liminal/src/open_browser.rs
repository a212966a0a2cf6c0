//! Opens the user's browser, where there is one.

use std::env;
use std::io::IsTerminal;
use std::process::{Command, Stdio};

/// Opens `url` if a person sits in front of this. Failing is no failure: the link is printed too.
pub(crate) fn open(url: &str) {
    let Some(program) = opener() else { return };
    #[expect(
        clippy::disallowed_methods,
        reason = "the user's own browser is no agent to supervise"
    )]
    let opened = Command::new(program)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn();
    if let Err(error) = opened {
        tracing::debug!(%error, program, "no browser was opened");
    }
}

fn opener() -> Option<&'static str> {
    if !std::io::stdout().is_terminal() {
        return None;
    }
    if cfg!(target_os = "macos") {
        return Some("open");
    }
    let has_display = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env::var_os(name).is_some());
    has_display.then_some("xdg-open")
}
