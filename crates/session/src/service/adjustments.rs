//! What can be set on a session's agent besides telling it something.

use std::sync::Arc;

use contract::{ModeId, ModeInfo, ModelId, SessionId, SessionOptions, TaskId, TaskStopped};

use super::SessionService;
use crate::actor::Command;
use crate::error::ServiceError;
use crate::provider::{Adjustment, CliProvider};

impl SessionService {
    pub async fn options(&self, session: &SessionId) -> Result<SessionOptions, ServiceError> {
        // Of an agent that is not configured any more there is nothing to choose.
        let provider = self.agent_of(&self.session(session).await?).ok();
        let told = provider.and_then(|provider| provider.options(session)).unwrap_or_default();
        Ok(SessionOptions { modes: self.bypass.choosable(told.modes), ..told })
    }

    pub async fn set_mode(&self, session: &SessionId, mode: ModeId) -> Result<(), ServiceError> {
        let handle = self.session(session).await?;
        let provider = self.agent_of(&handle)?;
        let known = provider.options(session).unwrap_or_default().modes;
        self.check_mode(Some(&mode), &known)?;
        // Agents say yes to modes and models that they do not have.
        if !known.is_empty() && known.iter().all(|known| known.mode_id != mode) {
            return Err(ServiceError::InvalidRequest(format!("modeId: {mode} is not offered")));
        }
        self.adjust(&*provider, session, Adjustment::Mode(mode)).await?;
        handle.ask(Command::KeepChoices).await
    }

    pub async fn set_model(&self, session: &SessionId, model: ModelId) -> Result<(), ServiceError> {
        let handle = self.session(session).await?;
        let provider = self.agent_of(&handle)?;
        let known = provider.options(session).unwrap_or_default().models;
        if !known.is_empty() && known.iter().all(|known| known.model_id != model) {
            return Err(ServiceError::InvalidRequest(format!("modelId: {model} is not offered")));
        }
        self.adjust(&*provider, session, Adjustment::Model(model)).await?;
        handle.ask(Command::KeepChoices).await
    }

    /// Ends one piece of work in the background and nothing else.
    pub async fn stop_task(
        &self,
        session: &SessionId,
        task: TaskId,
    ) -> Result<TaskStopped, ServiceError> {
        let status = self.status(session).await?;
        if status.background_tasks.iter().all(|known| known.task_id != task) {
            return Err(ServiceError::UnknownTask(task));
        }
        let provider = self.provider_of(session).await?;
        self.adjust(&*provider, session, Adjustment::StopTask(task)).await?;
        Ok(TaskStopped { stopped: true })
    }

    async fn adjust(
        &self,
        provider: &dyn CliProvider,
        session: &SessionId,
        adjustment: Adjustment,
    ) -> Result<(), ServiceError> {
        let adjusted = provider.adjust(session, adjustment).await;
        adjusted.map_err(|error| self.failed(error))
    }

    /// Refuses a mode in which nothing is asked, where the settings forbid those.
    pub(super) fn check_mode(
        &self,
        mode: Option<&ModeId>,
        offered: &[ModeInfo],
    ) -> Result<(), ServiceError> {
        match mode {
            Some(mode) if self.bypass.forbids(mode, offered) => {
                Err(ServiceError::ModeForbidden(mode.clone()))
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Refuses an agent that began in such a mode by itself.
    pub(super) fn check_mode_of(
        &self,
        provider: &dyn CliProvider,
        session: &SessionId,
    ) -> Result<(), ServiceError> {
        let options = provider.options(session).unwrap_or_default();
        self.check_mode(options.current_mode_id.as_ref(), &options.modes)
    }

    async fn provider_of(&self, session: &SessionId) -> Result<Arc<dyn CliProvider>, ServiceError> {
        self.agent_of(&self.session(session).await?)
    }
}
