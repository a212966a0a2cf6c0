//! What is done once a decision is committed and told.

use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use contract::{SessionId, TurnId};
use store::StoreError;
use tokio::task::AbortHandle;

use super::{Actor, Finished};
use crate::core::Action;
use crate::error::ServiceError;
use crate::fanout::{Problem, Publication};
use crate::project_dir::{AllowedRoots, NotAProject};
use crate::provider::{
    BypassModes, CliProvider, LoadSession, OutgoingMessage, ProviderError, ProviderErrorCode,
};

/// How long an agent has to come up. A little longer than providers wait, whose reason says more; and as long as a new
/// session's agent has, or one that is slow could be begun and never gone on with.
const LOAD_DEADLINE: Duration = Duration::from_secs(65);

impl Actor {
    pub(super) async fn act(&mut self, action: Action) -> Result<(), StoreError> {
        let provider = self.parts.provider.clone();
        let session = self.core.record().session_id.clone();
        match action {
            Action::Send(turn, message) => {
                self.watch.handed_over(turn.clone(), self.parts.environment.now());
                self.send(turn, message).await;
            }
            Action::Interrupt(turn) => {
                self.ask(async move {
                    let result = provider.cancel_turn(&session, Some(&turn)).await;
                    Finished::Interrupted(turn, result)
                })
                .await;
            }
            Action::Load => self.load(),
            // Dropped half-way, a load leaves nothing behind.
            Action::StopLoading => self.loading.iter().for_each(AbortHandle::abort),
            Action::Kill => {
                self.asked.spawn(async move {
                    if let Err(error) = provider.kill_session(&session).await {
                        tracing::warn!(%error, "the agent was not ended cleanly");
                    }
                    Finished::Killed
                });
            }
            // The agent may be gone; then nobody waits for the answer.
            Action::Answer(to, decision) => drop(to.send(decision)),
            Action::ShowHistory => self.show_history().await,
            Action::TellPlan => self.publish_plan(),
            Action::TellProblem(message) => {
                let problem = Problem { session_id: session, message };
                self.parts.hub.publish(&Publication::Problem(Arc::new(problem)));
            }
            Action::Tell(publication, asker) => {
                self.parts.hub.tell(&publication, asker.as_ref());
            }
        }
        Ok(())
    }

    pub(super) fn is_in_a_forbidden_mode(&self) -> bool {
        let session = &self.core.record().session_id;
        is_forbidden(self.parts.bypass, &*self.parts.provider, session).is_some()
    }

    /// Brings the agent up, if there may be one more.
    fn load(&mut self) {
        if let Err(full) = self.presence.begin() {
            self.asked.spawn(async { Finished::Loaded(Err(full)) });
            return;
        }
        let (provider, record) = (self.parts.provider.clone(), self.core.record());
        let session = record.session_id.clone();
        let options = LoadSession {
            project_dir: Some(record.project_dir.clone()),
            view_file_path: None,
            agent_session: record.agent_session.clone(),
            holds_history: true,
            choices: record.choices.clone(),
            never_ran: self.core.never_ran(),
        };
        let bypass = self.parts.bypass;
        let roots = self.core.runs_agents().then(|| self.parts.allowed_roots.clone());
        let loading = self.asked.spawn(async move {
            if let Some(Err(refused)) = allowed(roots, &options).await {
                return Finished::Loaded(Err(refused));
            }
            let loaded =
                tokio::time::timeout(LOAD_DEADLINE, provider.load_session(&session, options)).await;
            let mut loaded = loaded.map_or_else(|_| Err(too_slow()), |result| result.map(drop));
            if let Some(refused) = is_forbidden(bypass, &*provider, &session) {
                // Nobody has said anything to it yet.
                provider.kill_session(&session).await.ok();
                loaded = loaded.and(Err(refused));
            }
            Finished::Loaded(loaded)
        });
        self.loading = Some(loading);
    }

    /// Asks the provider and has the answer waited for beside. What is asked is handed over here, in the loop's order: tasks
    /// of their own would overtake each other, and a stop the message that it is for.
    async fn ask(&mut self, asking: impl Future<Output = Finished> + Send + 'static) {
        // A loop that has done much without a pause is made to pause by tokio's budget; here that would be an overtaking.
        let mut asking = Box::pin(tokio::task::unconstrained(asking));
        let begun =
            std::future::poll_fn(|context| Poll::Ready(asking.as_mut().poll(context))).await;
        match begun {
            Poll::Ready(finished) => drop(self.asked.spawn(std::future::ready(finished))),
            Poll::Pending => drop(self.asked.spawn(asking)),
        }
    }

    async fn send(&mut self, turn: TurnId, message: OutgoingMessage) {
        let provider = self.parts.provider.clone();
        let session = self.core.record().session_id.clone();
        self.ask(async move {
            let result = provider.send_message(&session, message).await;
            Finished::Sent(turn, result)
        })
        .await;
    }
}

/// The directory may have become a link since the session began, or the settings may say less than they did.
async fn allowed(
    roots: Option<AllowedRoots>,
    options: &LoadSession,
) -> Option<Result<String, ProviderError>> {
    let checked = roots?.project(options.project_dir.as_deref()?).await;
    let code = ProviderErrorCode::InvalidProjectDir;
    Some(checked.map_err(|NotAProject(why)| ProviderError::new(code, why)))
}

/// Why an agent may not be in the mode that it is in.
fn is_forbidden(
    bypass: BypassModes,
    provider: &dyn CliProvider,
    session: &SessionId,
) -> Option<ProviderError> {
    let options = provider.options(session)?;
    let mode = options.current_mode_id.filter(|mode| bypass.forbids(mode, &options.modes))?;
    let message = ServiceError::ModeForbidden(mode).to_string();
    Some(ProviderError::new(ProviderErrorCode::ModeForbidden, message))
}

fn too_slow() -> ProviderError {
    ProviderError::new(ProviderErrorCode::ProcessCrash, "the agent did not come up in time")
}
