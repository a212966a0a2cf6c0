//! What was asked of a scripted provider.

use contract::{Delivery, SessionId, TurnId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    Check,
    Create(SessionId, String),
    Load(SessionId),
    Send(SessionId, TurnId, String, Delivery),
    Cancel(SessionId),
    Kill(SessionId),
}

/// What can be made to fail, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Check,
    Create,
    Load,
    Send,
    Cancel,
    Kill,
    /// Of what it keeps of a session.
    Read,
}
