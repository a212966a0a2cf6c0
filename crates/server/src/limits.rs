//! What a peer may take up before and after it has shown a credential.

use std::time::Duration;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Connections that have not shown a credential yet, all listeners together; one more ends the oldest of them.
    pub strangers: usize,
    /// How long a stranger may take for the first request's head.
    pub first_head: Duration,
    /// How long a connection may stay without showing a credential.
    pub credential: Duration,
    /// How long a request to `/events` may send nothing.
    pub events_idle: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            strangers: 64,
            first_head: Duration::from_secs(5),
            credential: Duration::from_secs(10),
            // Whoever feeds a session may wait long for its own agent.
            events_idle: Duration::from_secs(300),
        }
    }
}
