//! The time between the wish to stop and the end: what runs may finish, and nothing new begins.

use std::sync::OnceLock;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

#[derive(Debug, Default)]
pub struct Drain {
    begun: CancellationToken,
    deadline: OnceLock<Instant>,
}

impl Drain {
    /// From now on nothing new begins; whoever is connected is told that the server ends within this time.
    pub fn begin(&self, within: Duration) {
        self.deadline.get_or_init(|| Instant::now() + within);
        self.begun.cancel();
    }

    pub fn has_begun(&self) -> bool {
        self.begun.is_cancelled()
    }

    pub(crate) async fn begun(&self) {
        self.begun.cancelled().await;
    }

    /// What is left until the end.
    pub(crate) fn left(&self) -> Duration {
        let left = self.deadline.get().map(|at| at.saturating_duration_since(Instant::now()));
        left.unwrap_or_default()
    }
}
