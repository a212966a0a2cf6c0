//! The loop of one connection: what the client says, what it is to be told, and whether it is still there.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use contract::{ClientFrame, Family, ServerMessage};
use futures_util::future::BoxFuture;
use futures_util::stream::{FuturesUnordered, StreamExt};
use session::{Publication, Subscriber};
use tokio::time::Instant;

use super::gateway::{CompatibilityGateway, encode};
use crate::state::AppState;

/// What a connection may have waiting; past that it is told again from the journal.
const OUTBOX_BOUND: usize = 1 << 20;
/// Requests whose answers are awaited; when there are as many, nothing more is read.
const PENDING: usize = 64;
/// Messages sent in one go, so that a busy session does not keep the connection from listening.
const DELIVERED_AT_ONCE: usize = 64;
const PING_EVERY: Duration = Duration::from_secs(10);
/// A client that says nothing for this long, or takes nothing, is gone.
const DEAD_AFTER: Duration = Duration::from_secs(20);

const GOING_AWAY: u16 = 1001;
const MESSAGE_TOO_BIG: u16 = 1009;

/// Everything that can happen to a connection.
enum Event {
    Stop,
    Ping,
    Received(Option<Result<Message, axum::Error>>),
    Answered(Option<String>),
    Ready,
}

/// Why a connection ends.
pub(super) struct Closed;

pub(super) struct Connection {
    pub(super) state: AppState,
    pub(super) subscriber: Arc<Subscriber>,
    pub(super) gateway: CompatibilityGateway,
    /// Answers that are on their way. A request that needs none gives none.
    pub(super) pending: FuturesUnordered<BoxFuture<'static, Option<String>>>,
    socket: WebSocket,
    heard: Instant,
    next_ping: Instant,
}

impl Connection {
    pub(super) fn new(state: AppState, socket: WebSocket) -> Self {
        let now = Instant::now();
        Self {
            state,
            subscriber: Arc::new(Subscriber::new(OUTBOX_BOUND)),
            gateway: CompatibilityGateway::default(),
            pending: FuturesUnordered::new(),
            socket,
            heard: now,
            next_ping: now + PING_EVERY,
        }
    }

    pub(super) async fn run(mut self) {
        while self.step().await.is_ok() {}
    }

    async fn step(&mut self) -> Result<(), Closed> {
        match self.next_event().await {
            Event::Stop => self.close(GOING_AWAY, "the server is stopping").await,
            Event::Ping => self.check_pulse().await,
            Event::Answered(None) => Ok(()),
            Event::Answered(Some(answer)) => self.send(Message::text(answer)).await,
            Event::Ready => self.deliver().await,
            Event::Received(Some(Ok(message))) => self.receive(message).await,
            Event::Received(Some(Err(error))) => self.close_broken(&error).await,
            Event::Received(None) => Err(Closed),
        }
    }

    async fn next_event(&mut self) -> Event {
        let may_read = self.pending.len() < PENDING;
        tokio::select! {
            biased;
            () = self.state.stop.cancelled() => Event::Stop,
            () = tokio::time::sleep_until(self.next_ping) => Event::Ping,
            Some(answer) = self.pending.next() => Event::Answered(answer),
            () = self.subscriber.ready() => Event::Ready,
            received = self.socket.recv(), if may_read => Event::Received(received),
        }
    }

    async fn receive(&mut self, message: Message) -> Result<(), Closed> {
        self.heard = Instant::now();
        match message {
            Message::Text(text) => self.take(text.as_bytes()).await,
            Message::Binary(_) => self.tell(None, invalid_format()).await,
            Message::Ping(_) | Message::Pong(_) => Ok(()),
            Message::Close(_) => Err(Closed),
        }
    }

    async fn take(&mut self, text: &[u8]) -> Result<(), Closed> {
        let value: serde_json::Value = match serde_json::from_slice(text) {
            Ok(value) => value,
            Err(error) => {
                let message = format!("Invalid JSON: {error}");
                return self.tell(None, ServerMessage::Error { code: None, message }).await;
            }
        };
        let request_id = value.get("requestId").and_then(serde_json::Value::as_str).map(Into::into);
        match serde_json::from_value::<ClientFrame>(value) {
            Ok(frame) => self.handle(frame).await,
            Err(error) => {
                tracing::debug!(%error, "a client's message is not understood");
                self.tell(request_id, invalid_format()).await
            }
        }
    }

    /// Chooses the family if that has not happened, and tells what a new connection has to know.
    pub(super) fn negotiated(&mut self, asked: Option<&contract::StreamProtocol>) -> Family {
        let is_new = !self.gateway.has_negotiated();
        let family = self.gateway.negotiate(asked);
        if is_new {
            self.state.service.connect(&self.subscriber);
            self.publish_current_state();
        }
        family
    }

    pub(super) async fn tell(
        &mut self,
        request_id: Option<contract::RequestId>,
        message: ServerMessage,
    ) -> Result<(), Closed> {
        self.send(Message::text(encode(request_id, message))).await
    }

    /// Sends what waits. After an overflow everything is told again instead.
    async fn deliver(&mut self) -> Result<(), Closed> {
        if let Some(resyncs) = self.subscriber.with_outbox(session::Outbox::take_resyncs) {
            tracing::debug!("a slow connection is told again from the journal");
            self.publish_current_state();
            for resync in resyncs {
                let told = self
                    .state
                    .service
                    .resync(&resync.session_id, &self.subscriber, resync.from)
                    .await;
                if let Err(error) = told {
                    tracing::warn!(%error, session = %resync.session_id, "a session cannot be told again");
                }
            }
        }
        for _ in 0..DELIVERED_AT_ONCE {
            let Some(entry) = self.subscriber.with_outbox(session::Outbox::pop) else {
                return Ok(());
            };
            self.send(Message::text(CompatibilityGateway::encode(entry))).await?;
        }
        self.subscriber.wake();
        Ok(())
    }

    fn publish_current_state(&self) {
        for status in self.state.service.current_state() {
            let told = contract::SessionStatus { permissions: None, ..(*status).clone() };
            self.subscriber.publish(Publication::Status(Arc::new(told)));
            for request in status.permissions.iter().flatten() {
                self.subscriber
                    .publish(Publication::PermissionRequested(Arc::new(request.clone())));
            }
        }
    }

    async fn check_pulse(&mut self) -> Result<(), Closed> {
        if self.heard.elapsed() >= DEAD_AFTER {
            return Err(Closed);
        }
        self.next_ping = Instant::now() + PING_EVERY;
        self.send(Message::Ping(bytes::Bytes::new())).await
    }

    /// A client that takes nothing for too long is gone.
    async fn send(&mut self, message: Message) -> Result<(), Closed> {
        match tokio::time::timeout(DEAD_AFTER, self.socket.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Closed),
        }
    }

    async fn close_broken(&mut self, error: &axum::Error) -> Result<(), Closed> {
        tracing::debug!(%error, "a connection broke");
        self.close(MESSAGE_TOO_BIG, "the message is too big or broken").await
    }

    async fn close(&mut self, code: u16, reason: &'static str) -> Result<(), Closed> {
        let frame = CloseFrame { code, reason: reason.into() };
        self.send(Message::Close(Some(frame))).await?;
        Err(Closed)
    }
}

fn invalid_format() -> ServerMessage {
    ServerMessage::Error { code: None, message: "Invalid message format".to_owned() }
}
