//! What sessions are called, and which are put away.

use contract::{SessionId, SessionListItem};

use super::SessionService;
use crate::actor::Command;
use crate::error::ServiceError;
use crate::fanout::Asker;
use crate::title::chosen_title;

impl SessionService {
    pub async fn rename(
        &self,
        session: &SessionId,
        title: &str,
    ) -> Result<SessionListItem, ServiceError> {
        let handle = self.session(session).await?;
        let title = chosen_title(title)?;
        handle.ask(|reply| Command::Rename(title, reply)).await
    }

    /// Puts a session away and ends its agent; returns when that is gone. Every connection is told at once.
    pub async fn archive(
        &self,
        session: &SessionId,
        asker: Option<Asker>,
    ) -> Result<SessionListItem, ServiceError> {
        self.session(session).await?.ask(|reply| Command::Archive(asker, reply)).await
    }

    pub async fn unarchive(&self, session: &SessionId) -> Result<SessionListItem, ServiceError> {
        self.session(session).await?.ask(Command::Unarchive).await
    }
}
