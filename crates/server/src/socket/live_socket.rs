//! A socket that knows whether the other side is still there.
//!
//! Invariant: a client that shows no sign of life is given up within `DEAD_AFTER`, also while it takes nothing. A sign of life
//! is whatever it says, and that it takes some of what had to wait. So it is listened to while something is sent.

use std::collections::VecDeque;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::{SplitSink, SplitStream, StreamExt};
use futures_util::{FutureExt, Sink, SinkExt, Stream};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::Instant;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::{Error, Message, Utf8Bytes};

use super::slow_send::SlowSend;
use super::upgrade::MESSAGE_LIMIT;

pub(super) const PING_EVERY: Duration = Duration::from_secs(10);
pub(super) const DEAD_AFTER: Duration = Duration::from_secs(20);

/// The library answers pings by itself; a flood of them would fill its buffer with answers.
const PINGS_AT_MOST: u32 = 1000;

/// What is heard while something is sent waits in order. Past either bound nothing more is heard until that has been sent, and
/// only taking it is a sign of life.
const UNREAD_AT_MOST: usize = 64;
const UNREAD_BYTES: usize = MESSAGE_LIMIT;

/// A longer message is sent in pieces of this many bytes: what a connection holds ready for its socket is one of them.
pub(super) const PIECE: usize = 256 << 10;

/// How long the other side has to say goodbye in its turn.
const GOODBYE: Duration = Duration::from_secs(1);

/// How a connection ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closed {
    /// One side said goodbye, so the other is to be answered or waited for.
    Politely,
    /// It is gone or given up, and nobody is left to be told.
    Abruptly,
}

/// What a client says.
#[derive(Debug)]
pub(super) enum Received {
    Text(Utf8Bytes),
    Binary,
    /// The message was too big, or no message.
    Broken(Error),
    /// More pings than anybody needs.
    PingFlood,
    Closed(Closed),
}

impl Received {
    fn size(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Binary | Self::Broken(_) | Self::PingFlood | Self::Closed(_) => 0,
        }
    }
}

#[derive(Debug)]
pub(super) struct LiveSocket<S> {
    sink: SplitSink<S, Message>,
    hearing: Hearing<S>,
    next_ping: Instant,
    /// Our first ping that is not answered, or an earlier one.
    pinged: Option<Instant>,
}

#[derive(Debug)]
struct Hearing<S> {
    stream: SplitStream<S>,
    /// What was said while something was sent.
    unread: VecDeque<Received>,
    /// The client's pings since ours.
    pings: u32,
    heard: Instant,
}

impl<S> LiveSocket<S>
where
    S: Stream<Item = Result<Message, Error>> + Sink<Message, Error = Error> + Unpin,
{
    pub(super) fn new(socket: S) -> Self {
        let (sink, stream) = socket.split();
        let heard = Instant::now();
        let hearing = Hearing { stream, unread: VecDeque::new(), pings: 0, heard };
        Self { sink, hearing, next_ping: heard + PING_EVERY, pinged: None }
    }

    /// The next thing the client says. Safe to drop at any point.
    pub(super) async fn receive(&mut self) -> Received {
        match self.hearing.unread.pop_front() {
            Some(received) => received,
            None => self.hearing.listen().await,
        }
    }

    /// Hears whether the client lives while nothing that it says can be taken: that waits. Returns when it is gone and said
    /// nothing before. Safe to drop at any point.
    pub(super) async fn overhear(&mut self) -> Received {
        while self.hearing.may_hear_more() {
            let received = self.hearing.listen().await;
            if matches!(received, Received::Closed(_)) && self.hearing.unread.is_empty() {
                return received;
            }
            self.hearing.unread.push_back(received);
        }
        std::future::pending().await
    }

    /// Sends, and hears meanwhile whether the client lives. To one that said goodbye nothing is sent, but what it said before
    /// that is still to be read.
    pub(super) async fn send(&mut self, message: Message) -> Result<(), Closed> {
        self.feed(message).await?;
        self.flush().await
    }

    /// Sends together with what follows, by `flush` at the latest: each write to a socket costs more than what is written.
    pub(super) async fn feed(&mut self, message: Message) -> Result<(), Closed> {
        match message {
            Message::Text(text) if text.len() > PIECE => self.feed_in_pieces(text.into()).await,
            Message::Text(_)
            | Message::Binary(_)
            | Message::Ping(_)
            | Message::Pong(_)
            | Message::Close(_)
            | Message::Frame(_) => self.hearing.heed(self.sink.feed(message)).await,
        }
    }

    pub(super) async fn flush(&mut self) -> Result<(), Closed> {
        self.hearing.heed(self.sink.flush()).await
    }

    /// A piece may end within a character: only the whole is text.
    async fn feed_in_pieces(&mut self, mut text: Bytes) -> Result<(), Closed> {
        let mut kind = Data::Text;
        while !text.is_empty() {
            let piece = text.split_to(PIECE.min(text.len()));
            let frame = Frame::message(piece, OpCode::Data(kind), text.is_empty());
            self.hearing.heed(self.sink.send(Message::Frame(frame))).await?;
            kind = Data::Continue;
        }
        Ok(())
    }

    /// When `check_pulse` has something to do.
    pub(super) fn next_pulse(&self) -> Instant {
        self.given_up().map_or(self.next_ping, |given_up| given_up.min(self.next_ping))
    }

    /// When it is too late for a sign of life. Whoever was not asked for one lately, because we had something else to do, is
    /// asked first.
    fn given_up(&self) -> Option<Instant> {
        Some((self.hearing.heard + DEAD_AFTER).max(self.unanswered()? + DEAD_AFTER - PING_EVERY))
    }

    /// The first ping since it was last heard.
    fn unanswered(&self) -> Option<Instant> {
        self.pinged.filter(|pinged| *pinged >= self.hearing.heard)
    }

    /// Gives up a client that showed no life for too long, and asks the others for some.
    pub(super) async fn check_pulse(&mut self) -> Result<(), Closed> {
        let now = Instant::now();
        let is_given_up = |socket: &Self| socket.given_up().is_some_and(|at| at <= now);
        // It may have said something that nobody had the time to hear.
        let is_gone = is_given_up(self) && self.overhear().now_or_never().is_some();
        if is_gone || is_given_up(self) {
            return Err(Closed::Abruptly);
        }
        self.next_ping = now + PING_EVERY;
        self.hearing.pings = 0;
        self.pinged = self.unanswered().or(Some(now));
        self.send(Message::Ping(Bytes::new())).await
    }
}

impl<T: AsyncRead + AsyncWrite + Unpin> LiveSocket<WebSocketStream<T>> {
    /// Ends in the way of the protocol what one side said goodbye to. What the client still says is taken and not heard: a
    /// socket that is closed on unread bytes resets the connection, and the goodbye may be lost with it.
    pub(super) async fn finish(mut self) {
        let goodbye = async {
            // The library has the answer to a goodbye ready; closing sends it.
            self.sink.close().await.ok();
            loop {
                match self.hearing.listen().await {
                    Received::Text(_) | Received::Binary | Received::PingFlood => {}
                    Received::Closed(Closed::Politely) => return,
                    Received::Broken(_) | Received::Closed(Closed::Abruptly) => break,
                }
            }
            // The library reads no further than to what it does not understand.
            if let Ok(mut socket) = self.hearing.stream.reunite(self.sink) {
                tokio::io::copy(socket.get_mut(), &mut tokio::io::sink()).await.ok();
            }
        };
        tokio::time::timeout(GOODBYE, goodbye).await.ok();
    }
}

impl<S> Hearing<S>
where
    S: Stream<Item = Result<Message, Error>> + Unpin,
{
    fn last_life<F>(&self, sending: &SlowSend<F>) -> Instant {
        sending.took().map_or(self.heard, |took| took.max(self.heard))
    }

    fn may_hear_more(&self) -> bool {
        let bytes = self.unread.iter().map(Received::size).sum::<usize>();
        let is_over = matches!(
            self.unread.back(),
            Some(Received::Broken(_) | Received::PingFlood | Received::Closed(_))
        );
        !is_over && self.unread.len() < UNREAD_AT_MOST && bytes < UNREAD_BYTES
    }

    fn has_heard_the_end(&self) -> bool {
        matches!(self.unread.back(), Some(Received::Closed(_)))
    }

    /// Waits for something to be sent, and hears meanwhile.
    async fn heed(
        &mut self,
        sending: impl Future<Output = Result<(), Error>>,
    ) -> Result<(), Closed> {
        if self.has_heard_the_end() {
            return Ok(());
        }
        let mut sending = std::pin::pin!(sending);
        if let Some(sent) = (&mut sending).now_or_never() {
            return sent.map_err(|_| Closed::Abruptly);
        }
        let mut sending = SlowSend::new(sending);
        loop {
            let may_listen = self.may_hear_more();
            let given_up = self.last_life(&sending) + DEAD_AFTER;
            tokio::select! {
                biased;
                sent = &mut sending => {
                    self.heard = Instant::now();
                    return sent.map_err(|_| Closed::Abruptly);
                }
                received = self.listen(), if may_listen => match received {
                    Received::Closed(how) if self.unread.is_empty() => return Err(how),
                    Received::Closed(_) => {
                        self.unread.push_back(received);
                        return Ok(());
                    }
                    Received::Text(_)
                    | Received::Binary
                    | Received::Broken(_)
                    | Received::PingFlood => {
                        self.unread.push_back(received);
                    }
                },
                // A pong may have come meanwhile, or some of it was taken; then there is more time.
                () = tokio::time::sleep_until(given_up) => {
                    if self.last_life(&sending).elapsed() >= DEAD_AFTER {
                        return Err(Closed::Abruptly);
                    }
                }
            }
        }
    }

    /// What the client says, but for pings and pongs, which only show that it lives.
    async fn listen(&mut self) -> Received {
        loop {
            let message = self.stream.next().await;
            self.heard = Instant::now();
            match message {
                Some(Ok(Message::Text(text))) => return Received::Text(text),
                Some(Ok(Message::Binary(_))) => return Received::Binary,
                // Nobody is given frames to read.
                Some(Ok(Message::Pong(_) | Message::Frame(_))) => {}
                Some(Ok(Message::Ping(_))) => {
                    self.pings += 1;
                    if self.pings > PINGS_AT_MOST {
                        return Received::PingFlood;
                    }
                }
                Some(Ok(Message::Close(_))) => return Received::Closed(Closed::Politely),
                None => return Received::Closed(Closed::Abruptly),
                Some(Err(error)) => return Received::Broken(error),
            }
        }
    }
}

#[cfg(test)]
#[path = "live_socket_tests.rs"]
mod tests;
