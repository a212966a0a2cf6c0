//! An agent that was started for a session which is not kept yet.

use std::sync::Arc;

use contract::SessionId;
use tokio::runtime::Handle;
use tokio_util::task::TaskTracker;

use crate::provider::CliProvider;

/// Ends the agent when it is dropped, because whoever asked for the session went away.
pub(super) struct Unkept {
    agent: Option<(Arc<dyn CliProvider>, SessionId)>,
    tasks: TaskTracker,
}

impl Unkept {
    pub(super) fn new(
        provider: Arc<dyn CliProvider>,
        session: SessionId,
        tasks: TaskTracker,
    ) -> Self {
        Self { agent: Some((provider, session)), tasks }
    }

    /// From here on somebody else answers for the agent.
    pub(super) fn keep(mut self) {
        self.agent = None;
    }
}

impl Drop for Unkept {
    fn drop(&mut self) {
        let Some((provider, session)) = self.agent.take() else { return };
        let Ok(runtime) = Handle::try_current() else { return };
        let end = async move {
            if let Err(error) = provider.kill_session(&session).await {
                tracing::warn!(%error, %session, "an agent that nobody waits for was not ended");
            }
        };
        self.tasks.spawn_on(end, &runtime);
    }
}
