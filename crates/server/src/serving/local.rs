//! The socket in the data directory: the way in for the command line, which needs no secret there.

use std::fmt;

use tokio::net::{UnixListener, UnixStream};

type IsOfAnAgent = Box<dyn Fn(i32) -> bool + Send + Sync>;

/// Processes of our own user come in by it, but none that an agent started: what an agent asks for, it must not allow
/// itself.
pub struct LocalDoor {
    pub(super) listener: UnixListener,
    is_of_an_agent: IsOfAnAgent,
}

impl fmt::Debug for LocalDoor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocalDoor").finish_non_exhaustive()
    }
}

impl LocalDoor {
    /// `is_of_an_agent` tells of a process, by its number, whether an agent started it.
    pub fn new(
        listener: UnixListener,
        is_of_an_agent: impl Fn(i32) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { listener, is_of_an_agent: Box::new(is_of_an_agent) }
    }

    /// None for another user, root included: the file keeps others out already, this is the second lock.
    pub(super) fn visitor(&self, stream: &UnixStream) -> Option<Visitor> {
        let peer = match stream.peer_cred() {
            Ok(peer) => peer,
            Err(error) => {
                tracing::warn!(%error, "a connection of nobody known was refused");
                return None;
            }
        };
        if peer.uid() != rustix::process::geteuid().as_raw() {
            tracing::warn!(target: "security", uid = peer.uid(), "another user was refused");
            return None;
        }
        let pid = peer.pid();
        // Who cannot be looked at is not let in, where the system tells who it is.
        let is_ours = pid.is_some_and(|pid| !(self.is_of_an_agent)(pid));
        Some(if is_ours { Visitor::Ours(pid) } else { Visitor::OfAnAgent(pid) })
    }
}

/// Who comes by this door, by the number of the process where the system tells it.
pub(super) enum Visitor {
    Ours(Option<i32>),
    OfAnAgent(Option<i32>),
}
