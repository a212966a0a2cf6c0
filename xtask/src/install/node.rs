//! Node and npm, which we do not install: everyone has their own way.

use anyhow::{Result, bail, ensure};

use crate::workspace::Workspace;

/// The oldest version that the tools of the web UI accept.
const OLDEST: Version = Version { major: 20, minor: 19 };

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    major: u32,
    minor: u32,
}

pub(super) fn check(workspace: &Workspace) -> Result<()> {
    let Ok(answer) = workspace.web("node --version").capture() else {
        bail!("Node.js is missing; {}", advice());
    };
    let said = answer.stdout.trim();
    let new_enough = version(said).is_some_and(|version| version >= OLDEST);
    ensure!(new_enough, "Node.js is too old ({said}); {}", advice());
    ensure!(workspace.web("npm --version").works(), "npm is missing; {}", advice());
    Ok(())
}

fn advice() -> String {
    let Version { major, minor } = OLDEST;
    format!("install Node.js {major}.{minor} or newer with npm, see https://nodejs.org/en/download")
}

fn version(said: &str) -> Option<Version> {
    let mut parts = said.strip_prefix('v')?.split('.').map(str::parse);
    Some(Version { major: parts.next()?.ok()?, minor: parts.next()?.ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        assert!(version("v20.19.0").unwrap() >= OLDEST);
        assert!(version("v22.1.0").unwrap() >= OLDEST);
        assert!(version("v20.9.0").unwrap() < OLDEST);
        assert!(version("v18.20.4").unwrap() < OLDEST);
    }

    #[test]
    fn an_answer_that_is_no_version_is_refused() {
        assert_eq!(version("command not found"), None);
        assert_eq!(version("v20"), None);
    }
}
