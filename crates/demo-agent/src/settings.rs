//! Where the agent keeps its sessions and how fast it talks.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Settings {
    /// Holds one file per session.
    pub home: PathBuf,
    /// Passes between two pieces of streamed text. Zero is for tests.
    pub pace: Duration,
}

impl Settings {
    /// A few words every so often: faster than one reads, slow enough to see it grow.
    pub const USUAL_PACE: Duration = Duration::from_millis(30);

    /// Where state of programs belongs on this machine; nowhere if there is not even a home directory.
    pub fn usual_home() -> Option<PathBuf> {
        home_from(|name| std::env::var_os(name))
    }
}

fn home_from(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // The XDG specification says that a relative path is to be ignored.
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = absolute("XDG_STATE_HOME")
        .or_else(|| absolute("HOME").map(|home| home.join(".local/state")))?;
    Some(state.join("liminal-demo-agent"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn home(variables: &[(&str, &str)]) -> Option<String> {
        let found = home_from(|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
        });
        found.map(|path| path.to_str().unwrap().to_owned())
    }

    #[test]
    fn state_goes_where_state_belongs() {
        let in_home = Some("/home/me/.local/state/liminal-demo-agent".to_owned());
        assert_eq!(home(&[("HOME", "/home/me")]), in_home);
        assert_eq!(home(&[("HOME", "/home/me"), ("XDG_STATE_HOME", "state")]), in_home);
        let elsewhere = home(&[("HOME", "/home/me"), ("XDG_STATE_HOME", "/state")]);
        assert_eq!(elsewhere.as_deref(), Some("/state/liminal-demo-agent"));
        assert_eq!(home(&[]), None);
    }
}
