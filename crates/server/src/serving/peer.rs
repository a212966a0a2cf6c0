//! Who is at the other end of a connection, as far as the connection itself tells.

use std::sync::Arc;

use super::admission::Admission;

#[derive(Clone, Debug)]
pub(crate) enum Peer {
    /// Anybody on this machine, by TCP.
    Network(Arc<Admission>),
    /// A process of our user, by the socket in the data directory.
    Local,
    /// A process of our user that an agent of ours started, by the same socket.
    Agent { pid: Option<i32> },
}

impl Peer {
    /// A credential was shown.
    pub(crate) fn admit(&self) {
        match self {
            Self::Network(admission) => admission.admit(),
            Self::Local | Self::Agent { .. } => {}
        }
    }
}
