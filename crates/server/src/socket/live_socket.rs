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
        match message {
            Message::Text(text) if text.len() > PIECE => self.send_in_pieces(text.into()).await,
            Message::Text(_)
            | Message::Binary(_)
            | Message::Ping(_)
            | Message::Pong(_)
            | Message::Close(_)
            | Message::Frame(_) => self.send_one(message).await,
        }
    }

    /// A piece may end within a character: only the whole is text.
    async fn send_in_pieces(&mut self, mut text: Bytes) -> Result<(), Closed> {
        let mut kind = Data::Text;
        while !text.is_empty() {
            let piece = text.split_to(PIECE.min(text.len()));
            let frame = Frame::message(piece, OpCode::Data(kind), text.is_empty());
            self.send_one(Message::Frame(frame)).await?;
            kind = Data::Continue;
        }
        Ok(())
    }

    async fn send_one(&mut self, message: Message) -> Result<(), Closed> {
        let Self { sink, hearing, .. } = self;
        if hearing.has_heard_the_end() {
            return Ok(());
        }
        let mut sending = std::pin::pin!(sink.send(message));
        if let Some(sent) = (&mut sending).now_or_never() {
            return sent.map_err(|_| Closed::Abruptly);
        }
        let mut sending = SlowSend::new(sending);
        loop {
            let may_listen = hearing.may_hear_more();
            let given_up = hearing.last_life(&sending) + DEAD_AFTER;
            tokio::select! {
                biased;
                sent = &mut sending => {
                    hearing.heard = Instant::now();
                    return sent.map_err(|_| Closed::Abruptly);
                }
                received = hearing.listen(), if may_listen => match received {
                    Received::Closed(how) if hearing.unread.is_empty() => return Err(how),
                    Received::Closed(_) => {
                        hearing.unread.push_back(received);
                        return Ok(());
                    }
                    Received::Text(_)
                    | Received::Binary
                    | Received::Broken(_)
                    | Received::PingFlood => {
                        hearing.unread.push_back(received);
                    }
                },
                // A pong may have come meanwhile, or some of it was taken; then there is more time.
                () = tokio::time::sleep_until(given_up) => {
                    if hearing.last_life(&sending).elapsed() >= DEAD_AFTER {
                        return Err(Closed::Abruptly);
                    }
                }
            }
        }
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
mod tests {
    use std::pin::Pin;
    use std::task::{Context, Poll};

    use tokio::sync::mpsc;

    use super::*;

    /// A client that says what it is told to, and takes as much as it is told to, but never all.
    struct Stuck {
        says: mpsc::Receiver<Message>,
        takes: mpsc::Receiver<()>,
        /// But for one that is not stuck.
        is_free: bool,
    }

    impl Stuck {
        fn poll_take(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
            while self.takes.poll_recv(context) == Poll::Ready(Some(())) {}
            if self.is_free { Poll::Ready(Ok(())) } else { Poll::Pending }
        }
    }

    impl Stream for Stuck {
        type Item = Result<Message, Error>;

        fn poll_next(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Option<Self::Item>> {
            self.says.poll_recv(context).map(|message| message.map(Ok))
        }
    }

    impl Sink<Message> for Stuck {
        type Error = Error;

        fn poll_ready(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Result<(), Self::Error>> {
            self.poll_take(context)
        }

        fn start_send(self: Pin<&mut Self>, _: Message) -> Result<(), Self::Error> {
            Ok(())
        }

        fn poll_flush(
            mut self: Pin<&mut Self>,
            context: &mut Context<'_>,
        ) -> Poll<Result<(), Self::Error>> {
            self.poll_take(context)
        }

        fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
            Poll::Pending
        }
    }

    /// Says, takes, and the socket.
    fn stuck() -> (mpsc::Sender<Message>, mpsc::Sender<()>, LiveSocket<Stuck>) {
        let (says, said) = mpsc::channel(4);
        let (takes, taken) = mpsc::channel(4);
        (says, takes, LiveSocket::new(Stuck { says: said, takes: taken, is_free: false }))
    }

    /// One that takes everything.
    fn free() -> (mpsc::Sender<Message>, LiveSocket<Stuck>) {
        let (says, said) = mpsc::channel(4);
        let (_, taken) = mpsc::channel(1);
        (says, LiveSocket::new(Stuck { says: said, takes: taken, is_free: true }))
    }

    async fn every_ten_seconds<T>(times: u32, does: &mpsc::Sender<T>, what: impl Fn() -> T) {
        for _ in 0..times {
            tokio::time::sleep(Duration::from_secs(10)).await;
            assert!(does.send(what()).await.is_ok(), "the socket is there");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_given_up_when_its_last_word_is_20_seconds_old() {
        let (_says, _takes, mut socket) = stuck();
        let began = Instant::now();
        tokio::time::sleep(Duration::from_secs(15)).await;
        assert_eq!(socket.send(Message::text("hello")).await, Err(Closed::Abruptly));
        assert_eq!(began.elapsed(), DEAD_AFTER);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_is_slow_to_take_but_speaks_is_kept() {
        for says_what in [|| Message::Pong(Bytes::new()), || Message::text("ping")] {
            let (says, _takes, mut socket) = stuck();
            tokio::select! {
                sent = socket.send(Message::text("hello")) => panic!("{sent:?}"),
                () = every_ten_seconds(12, &says, says_what) => {}
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_says_nothing_but_takes_a_little_at_a_time_is_kept() {
        let (_says, takes, mut socket) = stuck();
        let last_taken = async {
            every_ten_seconds(12, &takes, || ()).await;
            Instant::now()
        };
        let (sent, last_taken) = tokio::join!(socket.send(Message::text("hello")), last_taken);
        assert_eq!(sent, Err(Closed::Abruptly), "it took nothing any more");
        assert_eq!(last_taken.elapsed(), DEAD_AFTER);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_only_talks_is_heard_up_to_a_bound() {
        let (says, _takes, mut socket) = stuck();
        let talking = async { while says.send(Message::text("ping")).await.is_ok() {} };
        let began = Instant::now();
        tokio::select! {
            sent = socket.send(Message::text("hello")) => assert_eq!(sent, Err(Closed::Abruptly)),
            () = talking => panic!("all of it was heard"),
        }
        assert_eq!(began.elapsed(), DEAD_AFTER);
        assert_eq!(socket.hearing.unread.len(), UNREAD_AT_MOST);
    }

    #[tokio::test(start_paused = true)]
    async fn what_a_client_said_before_it_left_is_heard() {
        let (says, _takes, mut socket) = stuck();
        says.send(Message::text("one")).await.unwrap();
        drop(says);
        for _ in 0..2 {
            assert_eq!(socket.send(Message::text("hello")).await, Ok(()), "nobody is waited for");
        }
        assert!(matches!(socket.receive().await, Received::Text(_)));
        assert!(matches!(socket.receive().await, Received::Closed(_)));
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_leaves_is_not_waited_for() {
        let (says, _takes, mut socket) = stuck();
        let began = Instant::now();
        drop(says);
        assert_eq!(socket.send(Message::text("hello")).await, Err(Closed::Abruptly));
        assert_eq!(began.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_said_while_something_is_sent_is_heard_after_it() {
        let (says, _takes, mut socket) = stuck();
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

    #[tokio::test(start_paused = true)]
    async fn a_client_that_says_nothing_is_given_up_20_seconds_after_its_last_word() {
        let (_says, mut socket) = free();
        let began = Instant::now();
        let ended = loop {
            tokio::time::sleep_until(socket.next_pulse()).await;
            if let Err(ended) = socket.check_pulse().await {
                break ended;
            }
        };
        assert_eq!((ended, began.elapsed()), (Closed::Abruptly, DEAD_AFTER));
    }

    #[tokio::test(start_paused = true)]
    async fn who_could_not_be_heard_for_long_is_listened_to_and_asked_before_it_is_given_up() {
        let (says, mut socket) = free();
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!(socket.check_pulse().await, Ok(()), "it was not asked");
        tokio::time::sleep(Duration::from_secs(60)).await;
        says.send(Message::Pong(Bytes::new())).await.unwrap();
        says.send(Message::text("hello")).await.unwrap();
        assert_eq!(socket.check_pulse().await, Ok(()), "it answered");
        assert!(matches!(socket.receive().await, Received::Text(_)), "what it said is there");
        tokio::time::sleep(Duration::from_secs(60)).await;
        drop(says);
        assert_eq!(socket.check_pulse().await, Err(Closed::Abruptly));
    }

    #[tokio::test(start_paused = true)]
    async fn who_is_only_overheard_is_alive_and_what_it_says_waits() {
        let (says, mut socket) = free();
        let life = every_ten_seconds(12, &says, || Message::Pong(Bytes::new()));
        tokio::select! {
            received = socket.overhear() => panic!("{received:?}"),
            () = life => {}
        }
        assert!(socket.hearing.heard.elapsed() <= PING_EVERY);
        says.send(Message::text("one")).await.unwrap();
        drop(says);
        assert!(socket.overhear().now_or_never().is_none(), "it said something before it left");
        assert!(matches!(socket.receive().await, Received::Text(_)));
        assert!(matches!(socket.receive().await, Received::Closed(_)));
    }
}
