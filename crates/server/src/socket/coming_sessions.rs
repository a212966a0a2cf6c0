//! Sessions that a connection asked for and that are not there yet, and what it said to them meanwhile.
//!
//! What an agent kept of a session may take a minute to be read. Only what is said to that session waits for it, in the order
//! in which it was said; how much may wait is bounded by the connection, which stops reading.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use contract::{ClientFrame, ClientMessage, SessionId};
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use session::SessionService;

use super::connection::Answer;

#[derive(Default)]
pub(super) struct ComingSessions {
    coming: FuturesUnordered<BoxFuture<'static, (SessionId, Option<Answer>)>>,
    waiting: HashMap<SessionId, VecDeque<ClientFrame>>,
}

/// A session that is there now, or cannot be had.
pub(super) struct Arrived {
    /// What its asker is told.
    pub(super) answer: Option<Answer>,
    /// What was said to it meanwhile.
    pub(super) frames: VecDeque<ClientFrame>,
}

impl ComingSessions {
    /// Sessions and messages that wait.
    pub(super) fn len(&self) -> usize {
        self.coming.len() + self.waiting.values().map(VecDeque::len).sum::<usize>()
    }

    /// Keeps a message that has to wait for its session; gives back one that has not.
    pub(super) fn hold(
        &mut self,
        frame: ClientFrame,
        service: &Arc<SessionService>,
    ) -> Option<ClientFrame> {
        let frame = self.hold_behind_others(frame)?;
        let Some(session) = session_of(&frame.message) else { return Some(frame) };
        // Opening it brings it by itself.
        if matches!(frame.message, ClientMessage::SessionOpen { .. }) || service.is_here(session) {
            return Some(frame);
        }
        let (session, service) = (session.clone(), service.clone());
        let wanted = session.clone();
        self.begin(session.clone(), async move {
            // Why it cannot be had is told to each message that was for it.
            service.bring(&wanted).await.ok();
            None
        });
        self.waiting.entry(session).or_default().push_back(frame);
        None
    }

    /// The same for a message that has waited: whether its session could be had or not, it waits for that no more.
    pub(super) fn hold_behind_others(&mut self, frame: ClientFrame) -> Option<ClientFrame> {
        let waiting = session_of(&frame.message).and_then(|session| self.waiting.get_mut(session));
        match waiting {
            Some(waiting) => {
                waiting.push_back(frame);
                None
            }
            None => Some(frame),
        }
    }

    /// From here on what is said to the session waits until `coming` is over.
    pub(super) fn begin(
        &mut self,
        session: SessionId,
        coming: impl Future<Output = Option<Answer>> + Send + 'static,
    ) {
        self.waiting.entry(session.clone()).or_default();
        self.coming.push(Box::pin(async move { (session, coming.await) }));
    }

    /// Nothing while nothing comes.
    pub(super) async fn next(&mut self) -> Option<Arrived> {
        let (session, answer) = self.coming.next().await?;
        let frames = self.waiting.remove(&session).unwrap_or_default();
        Some(Arrived { answer, frames })
    }
}

/// The session that a message is for.
fn session_of(message: &ClientMessage) -> Option<&SessionId> {
    match message {
        ClientMessage::SessionOpen { session_id, .. }
        | ClientMessage::SessionClose { session_id }
        | ClientMessage::SessionSend { session_id, .. }
        | ClientMessage::SessionCancel { session_id }
        | ClientMessage::SessionArchive { session_id }
        | ClientMessage::PermissionAnswer { session_id, .. } => Some(session_id),
        ClientMessage::Hello { .. }
        | ClientMessage::Ping {}
        | ClientMessage::ProjectAdd { .. }
        | ClientMessage::ProjectRemove { .. }
        | ClientMessage::ProjectList {}
        | ClientMessage::SessionCreate { .. }
        | ClientMessage::SessionList { .. }
        | ClientMessage::SessionReconnect { .. } => None,
    }
}
