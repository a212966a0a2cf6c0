//! Sessions whose journal failed are taken up again by themselves.
//!
//! Nobody may ask for such a session for hours. Until somebody does it would have no end of its turn, and who watches it
//! would be told nothing.

use std::sync::Arc;
use std::time::Duration;

use contract::SessionId;
use tokio::sync::Notify;

use super::SessionService;
use crate::error::ServiceError;

/// A disk that was full for a moment is waited for this long, and longer each time.
const SOON: Duration = Duration::from_secs(1);
const LATE: Duration = Duration::from_secs(30);

impl SessionService {
    /// Runs until the server stops. No agent is started by it.
    pub async fn mend(&self) {
        let for_ever = async {
            loop {
                self.ended.notified().await;
                self.mend_all().await;
            }
        };
        tokio::select! { () = self.parts.stop.cancelled() => {}, () = for_ever => {} }
    }

    /// Whether what is said can be kept.
    pub async fn check_journal(&self) -> Result<(), ServiceError> {
        Ok(self.journal.check().await?)
    }

    async fn mend_all(&self) {
        let mut wait = SOON;
        loop {
            let mut are_mended = true;
            for session in self.without_owner() {
                are_mended &= self.settle_one(&session).await;
            }
            if are_mended {
                return;
            }
            tokio::time::sleep(wait).await;
            wait = LATE.min(wait * 2);
        }
    }

    fn without_owner(&self) -> Vec<SessionId> {
        self.lock(|sessions| {
            let gone = sessions.iter().filter(|(_, handle)| handle.is_gone());
            gone.map(|(session, _)| session.clone()).collect()
        })
    }
}

/// Tells that an owner ended, however it did.
pub(super) struct ToldAtTheEnd(pub(super) Arc<Notify>);

impl Drop for ToldAtTheEnd {
    fn drop(&mut self) {
        self.0.notify_one();
    }
}
