//! The loop of one connection: what the client says, what it is to be told, and whether it is still there.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use contract::{
    ClientFrame, ErrorCode, Family, RequestId, ServerMessage, SessionGlance, SessionId,
    SessionStatus,
};
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use session::{CountedConnection, OutboxEntry, Publication, Resync, ServiceError, Subscriber};
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Error, Message};

use super::coming_sessions::{Arrived, ComingSessions};
use super::ending::{Ending, Endings};
use super::fragments::TooManyPieces;
use super::gateway::{CompatibilityGateway, encode};
use super::live_socket::{Closed, LiveSocket, Received};
use super::told_places::ToldPlaces;
use super::upgrade::Socket;
use crate::audit::Caller;
use crate::state::AppState;

/// What a connection's streams may have waiting; past that they are told again from the journal.
const OUTBOX_BOUND: usize = 1 << 20;
/// Requests whose answers are awaited; when there are as many, what is said waits.
const PENDING: usize = 64;
/// When a session is asked for again that could not be told.
const RESYNC_AGAIN: Duration = Duration::from_secs(2);
/// Messages sent in one go, so that a busy session does not keep the connection from listening.
const DELIVERED_AT_ONCE: usize = 64;

const PROTOCOL_ERROR: u16 = 1002;
const NOT_UTF8: u16 = 1007;
const POLICY_VIOLATION: u16 = 1008;
const MESSAGE_TOO_BIG: u16 = 1009;
const TRY_AGAIN_LATER: u16 = 1013;

/// Everything that can happen to a connection.
enum Event {
    Ending(Ending),
    Pulse,
    Received(Received),
    Answered(Option<Answer>),
    Arrived(Arrived),
    Ready,
}

/// What a new connection has to know of a session.
enum Untold {
    Status(Arc<SessionStatus>),
    Glance(Arc<SessionGlance>),
}

/// What a request is answered with, and its id.
pub(super) type Answer = Box<(Option<RequestId>, ServerMessage)>;

pub(super) struct Connection {
    pub(super) state: AppState,
    pub(super) caller: Caller,
    pub(super) subscriber: Arc<Subscriber>,
    pub(super) gateway: CompatibilityGateway,
    /// Answers that are on their way. A request that needs none gives none.
    pub(super) pending: FuturesUnordered<BoxFuture<'static, Option<Answer>>>,
    pub(super) coming: ComingSessions,
    /// What is the case and has not been told yet.
    untold: VecDeque<Untold>,
    pub(super) told: ToldPlaces,
    /// Sessions that could not be told, which the client knows.
    broken: HashSet<SessionId>,
    pub(super) endings: Endings,
    /// For operators, once the family is chosen.
    counted: Option<CountedConnection>,
    socket: LiveSocket<Socket>,
}

impl Connection {
    pub(super) fn new(state: AppState, socket: Socket, caller: Caller, endings: Endings) -> Self {
        Self {
            gateway: CompatibilityGateway::new(state.legacy_window),
            state,
            caller,
            subscriber: Arc::new(Subscriber::new(OUTBOX_BOUND)),
            pending: FuturesUnordered::new(),
            coming: ComingSessions::default(),
            untold: VecDeque::new(),
            told: ToldPlaces::default(),
            broken: HashSet::new(),
            endings,
            counted: None,
            socket: LiveSocket::new(socket),
        }
    }

    pub(super) async fn run(mut self) {
        let ended = loop {
            if let Err(ended) = self.step().await {
                break ended;
            }
        };
        if ended == Closed::Politely {
            self.socket.finish().await;
        }
    }

    async fn step(&mut self) -> Result<(), Closed> {
        match self.next_event().await {
            Event::Ending(ending) => self.end(ending).await,
            Event::Pulse => self.socket.check_pulse().await,
            Event::Answered(None) => Ok(()),
            Event::Answered(Some(answer)) => self.tell(answer.0, answer.1).await,
            Event::Arrived(arrived) => self.receive_session(arrived).await,
            Event::Ready => self.deliver().await,
            Event::Received(Received::Text(text)) => self.take(text.as_bytes()).await,
            Event::Received(Received::Binary) => {
                self.tell(None, invalid_format(TEXT_ONLY.to_owned())).await
            }
            Event::Received(Received::Broken(error)) => self.close_broken(error).await,
            Event::Received(Received::PingFlood) => {
                self.close(POLICY_VIOLATION, "too many pings").await
            }
            Event::Received(Received::Closed(how)) => Err(how),
        }
    }

    async fn next_event(&mut self) -> Event {
        let may_read = self.pending.len() + self.coming.len() < PENDING;
        let (socket, subscriber) = (&mut self.socket, &self.subscriber);
        let pulse = tokio::time::sleep_until(socket.next_pulse());
        let receive =
            async { if may_read { socket.receive().await } else { socket.overhear().await } };
        tokio::select! {
            biased;
            ending = self.endings.next(&self.state) => Event::Ending(ending),
            () = pulse => Event::Pulse,
            Some(answer) = self.pending.next() => Event::Answered(answer),
            Some(arrived) = self.coming.next() => Event::Arrived(arrived),
            // In turn, so that neither a busy session nor a busy client keeps the other waiting.
            event = async {
                tokio::select! {
                    () = subscriber.ready() => Event::Ready,
                    received = receive => Event::Received(received),
                }
            } => event,
        }
    }

    /// What was said to a session before it was there is taken now, in its order.
    async fn receive_session(&mut self, Arrived { answer, frames }: Arrived) -> Result<(), Closed> {
        if let Some(answer) = answer {
            self.tell(answer.0, answer.1).await?;
        }
        for frame in frames {
            if let Some(frame) = self.coming.hold_behind_others(frame) {
                self.respond(frame).await?;
            }
        }
        Ok(())
    }

    async fn take(&mut self, text: &[u8]) -> Result<(), Closed> {
        self.counted.iter().for_each(CountedConnection::note_use);
        let value: serde_json::Value = match serde_json::from_slice(text) {
            Ok(value) => value,
            Err(error) => {
                let message = format!("Invalid JSON: {error}");
                return self.tell(None, invalid(message, None)).await;
            }
        };
        let request_id = value.get("requestId").and_then(serde_json::Value::as_str).map(Into::into);
        match serde_json::from_value::<ClientFrame>(value) {
            Ok(frame) => self.handle(frame).await,
            Err(error) => {
                tracing::debug!(%error, "a client's message is not understood");
                self.tell(request_id, invalid_format(error.to_string())).await
            }
        }
    }

    /// Chooses the family if that has not happened, and tells what a new connection has to know.
    pub(super) fn negotiated(
        &mut self,
        asked: Option<&contract::StreamProtocol>,
        wants_glances: bool,
    ) -> Family {
        let is_new = !self.gateway.has_negotiated();
        let family = self.gateway.negotiate(asked);
        if is_new {
            // What is new from here on waits in the outbox until what is the case has been told.
            self.counted = Some(self.state.service.count_connection(family));
            self.state.service.connect(&self.subscriber);
            if wants_glances {
                self.subscriber.want_glances();
            }
            let statuses = self.state.service.current_state().into_iter().map(Untold::Status);
            let glances = self.state.service.glances().into_iter().map(Untold::Glance);
            self.untold = statuses.chain(glances.filter(|_| wants_glances)).collect();
            self.subscriber.wake();
        }
        family
    }

    pub(super) async fn tell(
        &mut self,
        request_id: Option<RequestId>,
        message: ServerMessage,
    ) -> Result<(), Closed> {
        if let ServerMessage::Error { code: Some(code), .. } = &message {
            self.state.service.metrics().count_error(code);
        }
        self.socket.send(Message::text(encode(request_id, message))).await
    }

    /// Sends what waits, together where it can.
    async fn deliver(&mut self) -> Result<(), Closed> {
        self.feed_what_waits().await?;
        self.socket.flush().await
    }

    /// First what is the case, then what was lost, one session at a time, then what is new.
    async fn feed_what_waits(&mut self) -> Result<(), Closed> {
        if self.subscriber.with_outbox(|outbox| outbox.is_hopeless()) {
            return self.close(TRY_AGAIN_LATER, "too much is waiting").await;
        }
        for _ in 0..DELIVERED_AT_ONCE {
            if let Some(untold) = self.untold.pop_front() {
                self.tell_untold(untold).await?;
            } else if let Some(resync) = self.subscriber.with_outbox(session::Outbox::take_resync) {
                self.resync(resync).await?;
            } else if let Some(entry) = self.subscriber.with_outbox(session::Outbox::pop) {
                self.feed(&entry).await?;
            } else {
                return Ok(());
            }
        }
        self.subscriber.wake();
        Ok(())
    }

    /// A publication as the connection's family has it, to be flushed.
    async fn feed(&mut self, entry: &OutboxEntry) -> Result<(), Closed> {
        if self.told.note(&entry.publication) {
            self.state.service.metrics().count_duplicate();
        }
        for frame in self.gateway.frames(entry) {
            self.socket.feed(Message::Text(frame)).await?;
        }
        Ok(())
    }

    /// Whoever hears a `pong` knows all that was the case when the connection began.
    pub(super) async fn tell_all_untold(&mut self) -> Result<(), Closed> {
        while let Some(untold) = self.untold.pop_front() {
            self.tell_untold(untold).await?;
        }
        Ok(())
    }

    async fn tell_untold(&mut self, untold: Untold) -> Result<(), Closed> {
        match untold {
            Untold::Status(status) => self.tell_status(&status).await,
            Untold::Glance(glance) => {
                self.feed(&OutboxEntry::new(Publication::Glance(glance))).await
            }
        }
    }

    async fn tell_status(&mut self, status: &SessionStatus) -> Result<(), Closed> {
        let told = SessionStatus { permissions: None, ..status.clone() };
        self.feed(&OutboxEntry::new(Publication::Status(Arc::new(told)))).await?;
        for request in status.permissions.iter().flatten() {
            let asked = Publication::PermissionRequested(Arc::new(request.clone()));
            self.feed(&OutboxEntry::new(asked)).await?;
        }
        Ok(())
    }

    async fn resync(&mut self, resync: Resync) -> Result<(), Closed> {
        let Resync { session_id, from, request_id } = resync;
        // What was said before does not wait for the journal.
        self.socket.flush().await?;
        tracing::debug!(session = %session_id, "a session is told again from the journal");
        self.state.service.metrics().count_resync();
        let (from, asked) = (self.gateway.place(from), request_id.clone());
        match self.state.service.resync(&session_id, &self.subscriber, from, asked).await {
            Ok(()) => {
                self.broken.remove(&session_id);
                Ok(())
            }
            Err(error @ ServiceError::Store(_)) => {
                self.resync_later(session_id.clone());
                if !self.broken.insert(session_id.clone()) {
                    return Ok(());
                }
                let message = format!("this session cannot be followed for now: {error}");
                self.tell(request_id, ServerMessage::SessionError { session_id, message }).await
            }
            Err(error) => {
                let message = format!("this session cannot be followed any more: {error}");
                self.tell(request_id, ServerMessage::SessionError { session_id, message }).await
            }
        }
    }

    /// A journal that could not be read or written may be well again.
    fn resync_later(&self, session: SessionId) {
        let subscriber = self.subscriber.clone();
        let lost_again = async move {
            tokio::time::sleep(RESYNC_AGAIN).await;
            subscriber.lose(&session);
            None
        };
        self.pending.push(Box::pin(lost_again));
    }

    async fn close_broken(&mut self, error: Error) -> Result<(), Closed> {
        tracing::debug!(%error, "a connection broke");
        match breach(&error) {
            Some((code, reason)) => self.close(code, reason).await,
            None => Err(Closed::Abruptly),
        }
    }

    pub(super) async fn close(&mut self, code: u16, reason: &'static str) -> Result<(), Closed> {
        let frame = CloseFrame { code: code.into(), reason: reason.into() };
        self.socket.send(Message::Close(Some(frame))).await?;
        Err(Closed::Politely)
    }
}

/// Which rule a client broke, by the code for it; none if the connection itself broke.
#[expect(clippy::wildcard_enum_match_arm, reason = "the rest is no fault of the client")]
fn breach(error: &Error) -> Option<(u16, &'static str)> {
    match error {
        Error::Capacity(_) => Some((MESSAGE_TOO_BIG, "the message is too big")),
        Error::Utf8(_) => Some((NOT_UTF8, "the text is not UTF-8")),
        Error::Protocol(ProtocolError::ResetWithoutClosingHandshake) => None,
        Error::Protocol(_) => Some((PROTOCOL_ERROR, "the frame breaks the protocol")),
        Error::Io(error) if error.get_ref().is_some_and(|cause| cause.is::<TooManyPieces>()) => {
            Some((POLICY_VIOLATION, "the message comes in too many pieces"))
        }
        _ => None,
    }
}

const TEXT_ONLY: &str = "a message is a text frame with one JSON object";

fn invalid_format(detail: String) -> ServerMessage {
    invalid("Invalid message format".to_owned(), Some(detail))
}

fn invalid(message: String, detail: Option<String>) -> ServerMessage {
    let code = Some(ErrorCode::INVALID_REQUEST);
    ServerMessage::Error { code, message, detail, project_id: None }
}
