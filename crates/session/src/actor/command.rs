//! What can be asked of a session.

use std::sync::Arc;

use contract::{
    Cancelled, Epoch, Killed, PermissionAnswered, RequestId, Seq, SessionListItem, SessionLoaded,
    TurnId,
};

use crate::core::{Answering, QueueCommand, Reply, SendCommand};
use crate::fanout::{Asker, Subscriber};

#[derive(Debug)]
pub(crate) enum Command {
    Send(SendCommand),
    Cancel(Option<TurnId>, Reply<Cancelled>),
    Answer(Answering, Reply<PermissionAnswered>),
    Load(Reply<SessionLoaded>),
    Kill(Reply<Killed>),
    /// Ends the agent for now: the session goes on with the next message.
    Rest(Reply<()>),
    Queue(QueueCommand),
    Rename(String, Reply<SessionListItem>),
    Archive(Option<Asker>, Reply<SessionListItem>),
    Unarchive(Reply<SessionListItem>),
    /// Ends the owner of a session in which nothing was said yet, so that it is taken up with what was said elsewhere.
    GiveWay(Reply<()>),
    /// Answered when what was chosen for the agent is kept for the next one.
    KeepChoices(Reply<()>),
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
