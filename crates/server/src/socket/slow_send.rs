//! A send that had to wait, and when the other side last took some of it.
//!
//! How much is taken is not told, but a socket that has room again wakes whoever writes to it, and it has room only when the
//! other side took something. So this looks at who woke it. What is heard wakes it too, which is life as well.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::task::AtomicWaker;
use tokio::time::Instant;

pub(super) struct SlowSend<F> {
    send: F,
    took: Option<Instant>,
    room: Arc<Room>,
}

/// Wakes the task, and keeps that it was for this send.
#[derive(Default)]
struct Room {
    was_made: AtomicBool,
    task: AtomicWaker,
}

impl Wake for Room {
    fn wake(self: Arc<Self>) {
        self.was_made.store(true, Ordering::Release);
        self.task.wake();
    }
}

impl<F> SlowSend<F> {
    pub(super) fn new(send: F) -> Self {
        Self { send, took: None, room: Arc::default() }
    }

    /// When some of it was last taken, if it ever was.
    pub(super) fn took(&self) -> Option<Instant> {
        self.took
    }
}

impl<F: Future + Unpin> Future for SlowSend<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        self.room.task.register(context.waker());
        if self.room.was_made.swap(false, Ordering::AcqRel) {
            self.took = Some(Instant::now());
        }
        let waker = Waker::from(self.room.clone());
        Pin::new(&mut self.send).poll(&mut Context::from_waker(&waker))
    }
}
