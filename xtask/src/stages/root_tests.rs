//! Tests that need root, a network and a mount of their own: counted by themselves, so that a run without them does not look like
//! one with them.

use std::os::unix::fs::MetadataExt;
use std::path::Path;

use anyhow::Result;

use super::rust_tests;
use crate::command::Task;
use crate::outcome::Outcome;
use crate::terminal::say;
use crate::workspace::Workspace;

/// What such tests do, as little of it as shows that it can be done.
const TRIED: [(&str, &str); 2] = [
    ("a network of their own", "unshare -rn ip link set lo up"),
    ("a mount of their own", "unshare -rm mount -t tmpfs none /mnt"),
];

pub(super) fn run(workspace: &Workspace) -> Result<Outcome> {
    if let Some(missing) = missing() {
        say(format_args!("left out: they need {missing}"));
        return Ok(Outcome::default());
    }
    rust_tests::run_as_root(workspace)
}

/// What they need and do not have here.
fn missing() -> Option<&'static str> {
    let is_root = std::fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    if !is_root {
        return Some("root, on Linux");
    }
    let refused = TRIED.iter().find(|(_, line)| !Task::new(line, Path::new("/")).works());
    refused.map(|(what, _)| *what)
}
