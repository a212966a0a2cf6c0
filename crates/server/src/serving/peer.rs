//! Who is at the other end of a connection, as far as the connection itself tells.

use std::net::SocketAddr;
use std::sync::Arc;

use super::admission::Admission;

#[derive(Clone, Debug)]
pub(crate) enum Peer {
    /// Anybody on this machine, by TCP.
    Network { admission: Arc<Admission>, address: Option<SocketAddr> },
    /// A process of our user, by the socket in the data directory.
    Local { pid: Option<i32> },
    /// A process of our user that an agent of ours started, by the same socket.
    Agent { pid: Option<i32> },
}

impl Peer {
    /// A credential was shown.
    pub(crate) fn admit(&self) {
        match self {
            Self::Network { admission, .. } => admission.admit(),
            Self::Local { .. } | Self::Agent { .. } => {}
        }
    }

    /// Where it is, as the audit log calls it.
    pub(crate) fn place(&self) -> String {
        match self {
            Self::Network { address: Some(address), .. } => address.to_string(),
            Self::Local { pid: Some(pid) } | Self::Agent { pid: Some(pid) } => {
                format!("process {pid}")
            }
            Self::Network { address: None, .. } | Self::Local { .. } | Self::Agent { .. } => {
                "unknown".to_owned()
            }
        }
    }
}
