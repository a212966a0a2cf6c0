//! Finding sessions, and starting or taking up their actors.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use contract::{
    Activity, Attachment, CliType, CreateSessionRequest, ItemId, Project, SessionId,
    SessionListItem, SessionSource, SessionState,
};
use store::{AgentChoices, SavedSession, SessionRecord, StoreError};

use super::SessionService;
use super::imports::is_half_done;
use super::mending::ToldAtTheEnd;
use crate::actor::{Actor, ActorParts, Command, Emissions, SessionHandle};
use crate::agent_states::AgentPresence;
use crate::core::{Effects, SessionCore};
use crate::error::ServiceError;
use crate::provider::{AbsentProvider, CliProvider};
use crate::title::title_or_untitled;

impl SessionService {
    pub(super) fn provider(
        &self,
        cli_type: &CliType,
    ) -> Result<Arc<dyn CliProvider>, ServiceError> {
        let unsupported = |_| ServiceError::UnsupportedCliType(cli_type.clone());
        self.parts.providers.resolve(cli_type).map_err(unsupported)
    }

    /// What runs a session's agent, unless that is not in the settings any more.
    pub(super) fn agent_of(
        &self,
        handle: &SessionHandle,
    ) -> Result<Arc<dyn CliProvider>, ServiceError> {
        let cli_type = &handle.created().cli_type;
        let gone = |_| ServiceError::AgentNotConfigured(cli_type.clone());
        self.parts.providers.resolve(cli_type).map_err(gone)
    }

    /// The running actor of a session, or one taken up again from the journal.
    pub(super) async fn session(&self, session: &SessionId) -> Result<SessionHandle, ServiceError> {
        if let Some(handle) = self.lock(|sessions| sessions.get(session).cloned())
            && !handle.is_gone()
        {
            return Ok(handle);
        }
        if self.parts.stop.is_cancelled() {
            return Err(ServiceError::ShuttingDown);
        }
        self.take_up(session).await
    }

    /// Whether it is in use, so that asking it takes no reading first.
    pub fn is_here(&self, session: &SessionId) -> bool {
        self.lock(|sessions| sessions.get(session).is_some_and(|handle| !handle.is_gone()))
    }

    /// Takes a session up that is not in use.
    pub async fn bring(&self, session: &SessionId) -> Result<(), ServiceError> {
        self.session(session).await.map(drop)
    }

    /// Ends what a server that was killed left open: every turn that had started gets its one end, and turns that had not
    /// wait. Nothing is prompted again.
    pub async fn settle(&self) -> Result<usize, ServiceError> {
        let unsettled = self.parts.journal.unsettled().await?;
        for session in &unsettled {
            // One that cannot be taken up does not keep the others from it.
            self.settle_one(session).await;
        }
        Ok(unsettled.len())
    }

    /// Whether it was taken up, and what it left open has its end.
    pub(super) async fn settle_one(&self, session: &SessionId) -> bool {
        let settled = match self.session(session).await {
            Ok(handle) => handle.ask(Command::CatchUp).await,
            Err(error) => Err(error),
        };
        if let Err(error) = &settled {
            tracing::warn!(%session, %error, "the session could not be taken up");
        }
        settled.is_ok()
    }

    pub(super) async fn saved(&self, session: &SessionId) -> Result<SavedSession, ServiceError> {
        match self.parts.journal.session(session).await {
            Err(StoreError::UnknownSession(id)) => Err(ServiceError::UnknownSession(id)),
            other => Ok(other?),
        }
    }

    async fn take_up(&self, session: &SessionId) -> Result<SessionHandle, ServiceError> {
        let mut saved = self.saved(session).await?;
        let cli_type = saved.record.cli_type.clone();
        let configured = self.parts.providers.resolve(&cli_type);
        let provider = configured.unwrap_or_else(|_| Arc::new(AbsentProvider::new(cli_type)));
        // Some start an agent to be told.
        let is_lacking = is_half_done(&saved) && self.check_open().is_ok();
        if is_lacking && self.complete_import(&*provider, &saved).await {
            saved = self.saved(session).await?;
        }
        let mut items = HashMap::new();
        for queued in &saved.queue {
            let item =
                self.parts.journal.item(session, &ItemId::of_user_message(&queued.turn_id)).await?;
            items.extend(item.map(|item| (queued.turn_id.clone(), item)));
        }
        let mut effects = Effects::default();
        let now = self.parts.environment.now();
        let core = SessionCore::restore(saved, &items, provider.capabilities(), now, &mut effects);
        let mut core = self.set_up(core, &*provider);
        if provider.is_alive(session) {
            core.end_leftover(&mut effects);
        }
        let emissions = |provider: &dyn CliProvider| Emissions::register(provider, session);
        Ok(self.start(core, emissions, provider, effects, None))
    }

    /// As the settings and its agent would have it.
    pub(super) fn set_up(&self, core: SessionCore, provider: &dyn CliProvider) -> SessionCore {
        core.with_autonomous(self.parts.autonomous)
            .with_idle_limit(self.idle_limit)
            .with_caps(self.caps)
            .with_full_answers(provider.takes_full_answers())
    }

    /// Starts an actor unless another one was started meanwhile. Only the one that is started registers with the
    /// provider, so that no emission goes to the other. An agent that runs already is counted on without a gap.
    pub(super) fn start(
        &self,
        core: SessionCore,
        emissions: impl FnOnce(&dyn CliProvider) -> Emissions,
        provider: Arc<dyn CliProvider>,
        first: Effects,
        presence: Option<AgentPresence>,
    ) -> SessionHandle {
        let session = core.record().session_id.clone();
        self.lock(|sessions| {
            if let Some(running) = sessions.get(&session).filter(|handle| !handle.is_gone()) {
                return running.clone();
            }
            let emissions = emissions(&*provider);
            let parts = ActorParts {
                provider,
                journal: self.parts.journal.clone(),
                allowed_roots: self.parts.allowed_roots.clone(),
                hub: self.hub.clone(),
                metrics: self.metrics.clone(),
                agents: self.agents.clone(),
                environment: self.parts.environment.clone(),
                bypass: self.bypass,
                drain: self.drain.clone(),
                stop: self.parts.stop.clone(),
            };
            let (actor, handle) = Actor::new(core, emissions, parts, presence);
            let ended = self.ended.clone();
            self.parts.tasks.spawn(async move {
                // Also when it panics, and once it is gone.
                let _told = ToldAtTheEnd(ended);
                actor.run(first).await;
            });
            sessions.insert(session, handle.clone());
            handle
        })
    }

    pub(super) fn record(
        &self,
        request: &CreateSessionRequest,
        project: &Project,
    ) -> SessionRecord {
        let environment = &self.parts.environment;
        let now = environment.clock.now();
        SessionRecord {
            session_id: environment.ids.session_id(),
            project_id: project.id.clone(),
            project_dir: project.path.clone(),
            cli_type: request.cli_type.clone(),
            agent_session: None,
            choices: AgentChoices::default(),
            epoch: environment.ids.epoch(),
            title: title_or_untitled(request.title.as_deref()),
            created_at: now,
            last_active_at: now,
            archived: false,
            dead: false,
            source: SessionSource::Created,
        }
    }

    /// `failed` tells how the last turn ended, for a session that is not in use.
    pub(super) fn list_item(&self, record: SessionRecord, failed: bool) -> SessionListItem {
        let running = self.lock(|sessions| {
            let in_use = sessions.get(&record.session_id).filter(|handle| !handle.is_gone());
            in_use.map(SessionHandle::status)
        });
        let stored = if record.dead { SessionState::Dead } else { SessionState::Open };
        let at_rest = if failed { Activity::Error } else { Activity::Idle };
        SessionListItem {
            status: running.as_ref().map_or(stored, |status| status.state),
            activity: running.map_or(at_rest, |status| status.activity),
            session_id: record.session_id,
            project_id: record.project_id,
            cli_type: record.cli_type,
            title: record.title,
            created_at: record.created_at,
            last_active_at: record.last_active_at,
            archived: record.archived,
            source: record.source,
        }
    }

    /// What every session that has an owner tells of itself. One whose journal failed has none until it is taken up again;
    /// when the server stops the last word of each holds.
    pub(super) fn told<T>(&self, tell: impl Fn(&SessionHandle) -> Option<T>) -> Vec<T> {
        let is_stopping = self.parts.stop.is_cancelled();
        self.lock(|sessions| {
            let in_use = sessions.values().filter(|handle| is_stopping || !handle.is_gone());
            in_use.filter_map(tell).collect()
        })
    }

    pub(super) fn lock<T>(
        &self,
        act: impl FnOnce(&mut HashMap<SessionId, SessionHandle>) -> T,
    ) -> T {
        act(&mut self.sessions.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Refuses files that the agent could not be given, before anything is written. One that takes no messages says so itself.
pub(super) fn check_attachments(
    provider: &dyn CliProvider,
    files: &[Attachment],
) -> Result<(), ServiceError> {
    let is_refused = |file: &&Attachment| !provider.takes_attachment(&file.mime_type);
    match files.iter().find(is_refused) {
        Some(file) if provider.capabilities().send => {
            let Attachment { name, mime_type, .. } = file;
            let message = format!("attachments: {name}: files of type {mime_type} are not taken");
            Err(ServiceError::InvalidRequest(message))
        }
        Some(_) | None => Ok(()),
    }
}
