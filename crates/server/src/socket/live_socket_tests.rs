//! Clients that are stuck, slow, silent or gone.

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
    /// How often it was given what waited.
    flushed: usize,
}

impl Stuck {
    fn poll_take(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        while self.takes.poll_recv(context) == Poll::Ready(Some(())) {}
        if self.is_free { Poll::Ready(Ok(())) } else { Poll::Pending }
    }
}

impl Stream for Stuck {
    type Item = Result<Message, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
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
        self.flushed += 1;
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
    (says, takes, LiveSocket::new(Stuck { says: said, takes: taken, is_free: false, flushed: 0 }))
}

/// One that takes everything.
fn free() -> (mpsc::Sender<Message>, LiveSocket<Stuck>) {
    let (says, said) = mpsc::channel(4);
    let (_, taken) = mpsc::channel(1);
    (says, LiveSocket::new(Stuck { says: said, takes: taken, is_free: true, flushed: 0 }))
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

#[tokio::test(start_paused = true)]
async fn what_is_fed_goes_out_together() {
    let (_says, mut socket) = free();
    for text in ["one", "two", "three"] {
        assert_eq!(socket.feed(Message::text(text)).await, Ok(()));
    }
    assert_eq!(socket.flush().await, Ok(()));
    let LiveSocket { sink, hearing, .. } = socket;
    assert_eq!(hearing.stream.reunite(sink).unwrap().flushed, 1);
}
