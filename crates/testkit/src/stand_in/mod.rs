//! What the scripted models have in common: recording what is asked, gates, and streams that wait or break as told.

mod gate;
mod pace;
mod playback;
mod recording;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::Router;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

pub use self::gate::Gate;
pub(crate) use self::pace::{Ending, Pace, Place};
pub(crate) use self::playback::{Dialect, Step, body, steps, wait_through};
pub(crate) use self::recording::Recording;

/// More than any test needs. What comes after is refused in a way that agents do not retry.
pub(crate) const MOST_REQUESTS: usize = 1_000;

/// A long conversation with images stays below it.
pub(crate) const LARGEST_BODY: usize = 64 * 1024 * 1024;

/// Ids that no two answers of one stand-in share.
#[derive(Debug, Default)]
pub(crate) struct Ids(AtomicU64);

impl Ids {
    pub(crate) fn next(&self, prefix: &str) -> String {
        format!("{prefix}_{:024}", self.0.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

/// A port of loopback that nobody else has.
pub(crate) async fn listen() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

pub(crate) async fn serve(listener: TcpListener, router: Router, stop: CancellationToken) {
    // A delta is written when it is said, not when a packet is full.
    let listener = listener.tap_io(|connection| connection.set_nodelay(true).unwrap());
    let stopped = stop.cancelled_owned();
    axum::serve(listener, router).with_graceful_shutdown(stopped).await.unwrap();
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
