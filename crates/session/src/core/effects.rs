//! What follows from a decision.

use std::fmt;

use contract::TurnId;
use store::Change;
use tokio::sync::oneshot;

use crate::error::ServiceError;
use crate::fanout::{Asker, Publication};
use crate::provider::{OutgoingMessage, PermissionDecision};

/// Where the answer to a command goes. Dropped means: the session is gone.
pub(crate) type Reply<T> = oneshot::Sender<Result<T, ServiceError>>;

/// First the changes are committed and published, then the actions done, then the replies sent.
#[derive(Default)]
pub(crate) struct Effects {
    pub(crate) changes: Vec<Change>,
    pub(crate) actions: Vec<Action>,
    pub(crate) replies: Vec<Box<dyn FnOnce() + Send>>,
}

#[derive(Debug)]
pub(crate) enum Action {
    /// Hand a turn to the agent.
    Send(TurnId, OutgoingMessage),
    Interrupt(TurnId),
    Load,
    /// Give up a load that is under way.
    StopLoading,
    Kill,
    Answer(oneshot::Sender<PermissionDecision>, PermissionDecision),
    /// Tell every connection that opened the session its history.
    ShowHistory,
    /// Tell every connection that opened the session what its agent means to do.
    TellPlan,
    /// Tell every connection what went wrong outside any turn.
    TellProblem(String),
    /// Tell every connection; whoever asked for it is told with the id of the request.
    Tell(Publication, Option<Asker>),
}

impl Effects {
    pub(crate) fn reply<T: Send + 'static>(
        &mut self,
        to: Reply<T>,
        result: Result<T, ServiceError>,
    ) {
        // Whoever asked may have gone away meanwhile.
        self.replies.push(Box::new(move || drop(to.send(result))));
    }
}

impl fmt::Debug for Effects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Effects")
            .field("changes", &self.changes)
            .field("actions", &self.actions)
            .finish_non_exhaustive()
    }
}
