//! What can be asked of a session.

use std::sync::Arc;

use contract::{
    Cancelled, Epoch, Killed, PermissionAnswer, PermissionAnswered, PermissionId, RequestId, Seq,
    SessionLoaded, TurnId,
};

use crate::core::{Reply, SendCommand};
use crate::fanout::Subscriber;

#[derive(Debug)]
pub(crate) enum Command {
    Send(SendCommand),
    Cancel(Option<TurnId>, Reply<Cancelled>),
    Answer(PermissionId, PermissionAnswer, Reply<PermissionAnswered>),
    Load(Reply<SessionLoaded>),
    Kill(Reply<Killed>),
    /// Answered when everything that was emitted before has been committed.
    CatchUp(Reply<()>),
    Subscribe(Subscription),
    Unsubscribe(Arc<Subscriber>),
}

/// A connection that wants a session's stream from somewhere on.
#[derive(Debug)]
pub(crate) struct Subscription {
    pub(crate) subscriber: Arc<Subscriber>,
    /// Where the client stands.
    pub(crate) from: Option<(Epoch, Seq)>,
    /// Whether the server dropped what the client had not read.
    pub(crate) resync: bool,
    pub(crate) request_id: Option<RequestId>,
    pub(crate) reply: Reply<()>,
}
