//! Why a connection ends although its client is well: the server stops, or the credential it was opened with was ended.

use std::time::Duration;

use contract::{ClientMessage, ServerMessage};
use session::ServiceError;

use super::connection::Connection;
use super::live_socket::Closed;
use crate::credentials::Grant;
use crate::state::AppState;

const GOING_AWAY: u16 = 1001;
/// As HTTP's 401.
const UNAUTHORIZED: u16 = 4401;

/// A client whose credential was ended is told so if it listens, and cut off after this long if it does not.
pub(super) const LAST_WORDS: Duration = Duration::from_millis(500);

pub(super) enum Ending {
    Draining,
    Stopping,
    LoggedOut,
}

pub(super) struct Endings {
    grant: Grant,
    told_of_drain: bool,
}

impl Endings {
    pub(super) fn new(grant: Grant) -> Self {
        Self { grant, told_of_drain: false }
    }

    pub(super) async fn next(&self, state: &AppState) -> Ending {
        tokio::select! {
            biased;
            () = self.grant.ended() => Ending::LoggedOut,
            () = state.stop.cancelled() => Ending::Stopping,
            () = state.drain.begun(), if !self.told_of_drain => Ending::Draining,
        }
    }
}

impl Connection {
    pub(super) async fn end(&mut self, ending: Ending) -> Result<(), Closed> {
        match ending {
            Ending::LoggedOut => self.close(UNAUTHORIZED, "the login was ended").await,
            Ending::Stopping => self.close(GOING_AWAY, "the server is stopping").await,
            Ending::Draining => {
                self.endings.told_of_drain = true;
                let left = self.state.drain.left().as_millis();
                let deadline_ms = u64::try_from(left).unwrap_or(u64::MAX);
                self.tell(None, ServerMessage::Draining { deadline_ms }).await
            }
        }
    }

    /// A server that is about to stop takes nothing new, by whatever way: see `guard::check_draining`.
    pub(super) fn refuse_while_draining(
        &self,
        message: &ClientMessage,
    ) -> Result<(), ServiceError> {
        let is_new = matches!(
            message,
            ClientMessage::SessionSend { .. }
                | ClientMessage::SessionCreate { .. }
                | ClientMessage::ProjectAdd { .. }
                | ClientMessage::ProjectRemove { .. }
                | ClientMessage::SessionArchive { .. }
        );
        if is_new && self.state.drain.has_begun() {
            return Err(ServiceError::ShuttingDown);
        }
        Ok(())
    }
}
