//! The mark that every process of an agent carries in its environment, wherever it hides in the process tree.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::MetadataExt;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::process_table::{self, ProcessIdentity};

pub(crate) const VARIABLE: &str = "LIMINAL_AGENT";

/// One run of one agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Marker(Uuid);

impl Marker {
    pub(crate) fn fresh() -> Self {
        Self(Uuid::new_v4())
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Uuid::parse_str(text).ok().map(Self)
    }

    pub(crate) fn text(self) -> String {
        self.0.to_string()
    }

    pub(crate) fn variable(self) -> (&'static OsStr, OsString) {
        (OsStr::new(VARIABLE), self.text().into())
    }

    /// The processes of our user that were started with this mark, ourselves excepted.
    pub(crate) fn bearers(self) -> Vec<ProcessIdentity> {
        let entry = format!("{VARIABLE}={}", self.text());
        let own = std::process::id();
        let others = process_table::pids().filter(|pid| *pid != own);
        others.filter_map(|pid| bears(pid, entry.as_bytes())).collect()
    }

    /// Kills them, and says how many there were.
    pub(crate) fn kill_bearers(self) -> usize {
        self.bearers().into_iter().filter(|bearer| bearer.kill()).count()
    }
}

/// The identity is read first: if the number passes on meanwhile, it no longer fits and nothing is killed.
fn bears(pid: u32, entry: &[u8]) -> Option<ProcessIdentity> {
    let owner = fs::metadata(format!("/proc/{pid}")).ok()?.uid();
    if owner != rustix::process::geteuid().as_raw() {
        return None;
    }
    let identity = ProcessIdentity::of(pid)?;
    let environment = fs::read(format!("/proc/{pid}/environ")).ok()?;
    environment.split(|byte| *byte == 0).any(|variable| variable == entry).then_some(identity)
}
