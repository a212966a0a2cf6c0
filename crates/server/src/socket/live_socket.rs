//! A socket that knows whether the other side is still there.
//!
//! Invariant: a client that shows no sign of life is given up within `DEAD_AFTER`, also while it takes nothing. A sign of life
//! is whatever it says, and that it takes a message which had to wait. So it is listened to while something is sent.

use std::time::Duration;

use axum::extract::ws::{Message, Utf8Bytes};
use futures_util::stream::{SplitSink, SplitStream, StreamExt};
use futures_util::{FutureExt, Sink, SinkExt, Stream};
use tokio::time::Instant;

pub(super) const PING_EVERY: Duration = Duration::from_secs(10);
pub(super) const DEAD_AFTER: Duration = Duration::from_secs(20);

/// The library answers pings by itself; a flood of them would fill its buffer with answers.
const PINGS_AT_MOST: u32 = 1000;

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
    Broken(axum::Error),
    Closed(Closed),
}

#[derive(Debug)]
pub(super) struct LiveSocket<S> {
    sink: SplitSink<S, Message>,
    hearing: Hearing<S>,
    next_ping: Instant,
}

#[derive(Debug)]
struct Hearing<S> {
    stream: SplitStream<S>,
    /// What was said while something was sent. One is enough: it is a sign of life by itself.
    unread: Option<Received>,
    /// The client's pings since ours.
    pings: u32,
    heard: Instant,
}

impl<S> LiveSocket<S>
where
    S: Stream<Item = Result<Message, axum::Error>> + Sink<Message, Error = axum::Error> + Unpin,
{
    pub(super) fn new(socket: S) -> Self {
        let (sink, stream) = socket.split();
        let heard = Instant::now();
        let hearing = Hearing { stream, unread: None, pings: 0, heard };
        Self { sink, hearing, next_ping: heard + PING_EVERY }
    }

    /// The next thing the client says. Safe to drop at any point.
    pub(super) async fn receive(&mut self) -> Received {
        match self.hearing.unread.take() {
            Some(received) => received,
            None => self.hearing.listen().await,
        }
    }

    /// Sends, and hears meanwhile whether the client lives.
    pub(super) async fn send(&mut self, message: Message) -> Result<(), Closed> {
        let Self { sink, hearing, .. } = self;
        let mut sending = std::pin::pin!(sink.send(message));
        if let Some(sent) = (&mut sending).now_or_never() {
            return sent.map_err(|_| Closed::Abruptly);
        }
        loop {
            let may_listen = hearing.unread.is_none();
            let given_up = hearing.heard + DEAD_AFTER;
            tokio::select! {
                biased;
                sent = &mut sending => {
                    hearing.heard = Instant::now();
                    return sent.map_err(|_| Closed::Abruptly);
                }
                received = hearing.listen(), if may_listen => match received {
                    Received::Closed(how) => return Err(how),
                    Received::Text(_) | Received::Binary | Received::Broken(_) => {
                        hearing.unread = Some(received);
                    }
                },
                // A pong may have come meanwhile; then there is more time.
                () = tokio::time::sleep_until(given_up) => {
                    if hearing.heard.elapsed() >= DEAD_AFTER {
                        return Err(Closed::Abruptly);
                    }
                }
            }
        }
    }

    /// When `check_pulse` has something to do.
    pub(super) fn next_pulse(&self) -> Instant {
        self.next_ping.min(self.hearing.heard + DEAD_AFTER)
    }

    /// Gives up a client that showed no life for too long, and asks the others for some.
    pub(super) async fn check_pulse(&mut self) -> Result<(), Closed> {
        if self.hearing.heard.elapsed() >= DEAD_AFTER {
            return Err(Closed::Abruptly);
        }
        self.next_ping = Instant::now() + PING_EVERY;
        self.hearing.pings = 0;
        self.send(Message::Ping(bytes::Bytes::new())).await
    }

    /// Ends in the way of the protocol what one side said goodbye to. What the client still says is taken and not heard: a
    /// socket that is closed on unread bytes resets the connection, and the goodbye may be lost with it.
    pub(super) async fn finish(mut self) {
        let goodbye = async {
            // The library has the answer to a goodbye ready; closing sends it.
            self.sink.close().await.ok();
            while let Received::Text(_) | Received::Binary = self.hearing.listen().await {}
        };
        tokio::time::timeout(GOODBYE, goodbye).await.ok();
    }
}

impl<S> Hearing<S>
where
    S: Stream<Item = Result<Message, axum::Error>> + Unpin,
{
    /// What the client says, but for pings and pongs, which only show that it lives.
    async fn listen(&mut self) -> Received {
        loop {
            let message = self.stream.next().await;
            self.heard = Instant::now();
            match message {
                Some(Ok(Message::Text(text))) => return Received::Text(text),
                Some(Ok(Message::Binary(_))) => return Received::Binary,
                Some(Ok(Message::Pong(_))) => {}
                Some(Ok(Message::Ping(_))) => {
                    self.pings += 1;
                    if self.pings > PINGS_AT_MOST {
                        return Received::Closed(Closed::Abruptly);
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
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use tokio::sync::mpsc;

    use super::*;

    /// A client that says what it is told to, and takes nothing.
    struct Stuck(mpsc::Receiver<Message>);

    impl Stream for Stuck {
        type Item = Result<Message, axum::Error>;

        fn poll_next(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Self::Item>> {
            self.0.poll_recv(context).map(|message| message.map(Ok))
        }
    }

    impl Sink<Message> for Stuck {
        type Error = axum::Error;

        fn poll_ready(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
            Poll::Pending
        }

        fn start_send(self: Pin<&mut Self>, _: Message) -> Result<(), Self::Error> {
            Ok(())
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
            Poll::Pending
        }

        fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
            Poll::Pending
        }
    }

    fn stuck() -> (mpsc::Sender<Message>, LiveSocket<Stuck>) {
        let (says, said) = mpsc::channel(4);
        (says, LiveSocket::new(Stuck(said)))
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_given_up_when_its_last_word_is_20_seconds_old() {
        let (_says, mut socket) = stuck();
        let began = Instant::now();
        tokio::time::sleep(Duration::from_secs(15)).await;
        assert_eq!(socket.send(Message::text("hello")).await, Err(Closed::Abruptly));
        assert_eq!(began.elapsed(), DEAD_AFTER);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_is_slow_to_take_but_speaks_is_kept() {
        let (says, mut socket) = stuck();
        let speaking = async {
            for _ in 0..12 {
                tokio::time::sleep(Duration::from_secs(10)).await;
                says.send(Message::Pong(bytes::Bytes::new())).await.unwrap();
            }
        };
        tokio::select! {
            sent = socket.send(Message::text("hello")) => panic!("{sent:?}"),
            () = speaking => {}
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_leaves_is_not_waited_for() {
        let (says, mut socket) = stuck();
        let began = Instant::now();
        drop(says);
        assert_eq!(socket.send(Message::text("hello")).await, Err(Closed::Abruptly));
        assert_eq!(began.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_said_while_something_is_sent_is_heard_after_it() {
        let (says, mut socket) = stuck();
        for text in ["one", "two"] {
            says.send(Message::text(text)).await.unwrap();
        }
        let sending = tokio::time::timeout(Duration::from_secs(1), socket.send(Message::text("x")));
        assert!(sending.await.is_err());
        for expected in ["one", "two"] {
            let received = socket.receive().await;
            assert!(
                matches!(&received, Received::Text(text) if text.as_str() == expected),
                "{received:?}"
            );
        }
    }
}
