//! Turns that wait, as people see and change them.

use contract::{QueuePatch, QueueRemoved, QueuedTurn, SessionId, TurnId};

use super::SessionService;
use crate::actor::{Command, SessionHandle};
use crate::core::QueueCommand;
use crate::error::ServiceError;

impl SessionService {
    pub async fn queue(&self, session: &SessionId) -> Result<Vec<QueuedTurn>, ServiceError> {
        Ok(self.session(session).await?.status().queued.clone())
    }

    /// Changes, moves or hurries one turn; returns what waits afterwards.
    pub async fn change_queued(
        &self,
        session: &SessionId,
        turn: TurnId,
        patch: QueuePatch,
    ) -> Result<Vec<QueuedTurn>, ServiceError> {
        let handle = self.session(session).await?;
        if patch.send_now == Some(true) {
            self.agent_of(&handle)?;
        }
        ask(&handle, |reply| QueueCommand::Change(turn, patch, reply)).await
    }

    pub async fn remove_queued(
        &self,
        session: &SessionId,
        turn: TurnId,
    ) -> Result<QueueRemoved, ServiceError> {
        let handle = self.session(session).await?;
        ask(&handle, |reply| QueueCommand::Remove(turn, reply)).await
    }

    /// Wakes a queue that is paused; returns what still waits.
    pub async fn resume_queue(&self, session: &SessionId) -> Result<Vec<QueuedTurn>, ServiceError> {
        let handle = self.session(session).await?;
        self.agent_of(&handle)?;
        ask(&handle, QueueCommand::Resume).await
    }
}

async fn ask<T>(
    handle: &SessionHandle,
    command: impl FnOnce(crate::core::Reply<T>) -> QueueCommand,
) -> Result<T, ServiceError> {
    handle.ask(|reply| Command::Queue(command(reply))).await
}
