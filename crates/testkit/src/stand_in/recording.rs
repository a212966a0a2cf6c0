//! Everything that was asked of a stand-in, in order.

use std::sync::Mutex;

use tokio::sync::watch;

use super::lock;

#[derive(Debug)]
pub(super) struct Recording<R> {
    requests: Mutex<Vec<R>>,
    /// Counts requests, so that a test can wait for one.
    asked: watch::Sender<usize>,
}

impl<R> Default for Recording<R> {
    fn default() -> Self {
        Self { requests: Mutex::default(), asked: watch::Sender::new(0) }
    }
}

impl<R: Clone> Recording<R> {
    /// Keeps the request and tells how many there are now.
    pub(super) fn record(&self, request: R) -> usize {
        let mut requests = lock(&self.requests);
        requests.push(request);
        let count = requests.len();
        drop(requests);
        self.asked.send_replace(count);
        count
    }

    pub(super) fn all(&self) -> Vec<R> {
        lock(&self.requests).clone()
    }

    pub(super) fn matching(&self, is_wanted: impl Fn(&R) -> bool) -> Vec<R> {
        let mut requests = self.all();
        requests.retain(is_wanted);
        requests
    }

    /// Waits until this many requests of a kind came in all, and returns them.
    pub(super) async fn wait_for(&self, count: usize, is_wanted: impl Fn(&R) -> bool) -> Vec<R> {
        let mut asked = self.asked.subscribe();
        loop {
            let found = self.matching(&is_wanted);
            if found.len() >= count {
                return found;
            }
            asked.changed().await.expect("the recording is there");
        }
    }
}
