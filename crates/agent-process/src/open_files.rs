//! How many files a process may have open at once.
//!
//! Most systems let a program have about a thousand unless it asks for more, and each connection and each pipe of an agent is one.
//! The server asks; its agents get what they would have had without us.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// More than five thousand clients and all agents that fit into a machine take up.
const ENOUGH: u64 = 1 << 16;

/// Lets this process have more files open, and tells how many it was allowed before; nothing if that is unchanged.
pub fn allow_many_open_files() -> Option<u64> {
    let limits = getrlimit(Resource::Nofile);
    let before = limits.current?;
    let most = limits.maximum.map_or(ENOUGH, |maximum| maximum.min(ENOUGH));
    if before >= most {
        return None;
    }
    setrlimit(Resource::Nofile, Rlimit { current: Some(most), ..limits }).ok()?;
    Some(before)
}

/// For this process and all that it starts.
pub(crate) fn allow_open_files(count: u64) {
    let limits = getrlimit(Resource::Nofile);
    // At worst the agent may have more of them than it would have had.
    setrlimit(Resource::Nofile, Rlimit { current: Some(count), ..limits }).ok();
}
