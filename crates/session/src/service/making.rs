//! Making sessions: an agent is started first, and what cannot be kept is ended with it.

use std::sync::Arc;

use contract::{CreateSessionRequest, RequestId, SessionCreated};
use store::{SessionRecord, StoreError};

use super::SessionService;
use super::places::Place;
use super::unkept::Unkept;
use crate::actor::Emissions;
use crate::agent_states::{AgentPresence, Presence};
use crate::core::{Effects, SessionCore};
use crate::error::ServiceError;
use crate::fanout::{Publication, Subscriber};
use crate::provider::{CliProvider, CreateSession};

impl SessionService {
    pub async fn create(
        &self,
        request: CreateSessionRequest,
    ) -> Result<SessionCreated, ServiceError> {
        let (created, publication) = self.make(request).await?;
        self.hub.publish(&publication);
        Ok(created)
    }

    /// Creates a session for a connection, which is told of it with the id of its request.
    pub async fn create_for(
        &self,
        request: CreateSessionRequest,
        asker: &Arc<Subscriber>,
        request_id: Option<&RequestId>,
    ) -> Result<SessionCreated, ServiceError> {
        let (created, publication) = self.make(request).await?;
        self.hub.publish_answer(&publication, asker, request_id);
        Ok(created)
    }

    async fn make(
        &self,
        request: CreateSessionRequest,
    ) -> Result<(SessionCreated, Publication), ServiceError> {
        self.check_open()?;
        let provider = self.provider(&request.cli_type)?;
        self.check_mode(request.mode_id.as_ref(), &[])?;
        let place = self.hold_place().await?;
        let project = self.project_of(&request.project_dir).await?;
        let mut record = self.record(&request, &project);
        let emissions = Emissions::register(&*provider, &record.session_id);
        let options = CreateSession {
            session_id: Some(record.session_id.clone()),
            project_dir: project.path,
            model_id: request.model_id,
            mode_id: request.mode_id,
            provider_options: request.provider_options.unwrap_or_default(),
        };
        let starting = self.start_agent(&*provider, options).await?;
        let (session, tasks) = (record.session_id.clone(), self.parts.tasks.clone());
        let unkept = Unkept::new(provider.clone(), session, tasks);
        if let Err(forbidden) = self.check_mode_of(&*provider, &record.session_id) {
            let killed = provider.kill_session(&record.session_id).await;
            killed.map_err(|error| self.failed(error))?;
            unkept.keep();
            return Err(forbidden);
        }
        record.choices = provider.choices(&record.session_id).unwrap_or_default();
        if let Err(error) = self.fill(place, record.clone()).await {
            let killed = provider.kill_session(&record.session_id).await;
            killed.map_err(|error| self.failed(error))?;
            unkept.keep();
            return Err(error.into());
        }
        let (session_id, cli_type, project_id) =
            (record.session_id.clone(), record.cli_type.clone(), record.project_id.clone());
        let core = self.set_up(SessionCore::new(record, provider.capabilities()), &*provider);
        let handle = self.start(core, |_| emissions, provider, Effects::default(), Some(starting));
        unkept.keep();
        self.rest_if_removed(&handle).await;
        let publication = Publication::Created(Arc::new(handle.created().clone()));
        Ok((SessionCreated { session_id, cli_type, project_id }, publication))
    }

    /// What this returns counts for the agent until its session does.
    async fn start_agent(
        &self,
        provider: &dyn CliProvider,
        options: CreateSession,
    ) -> Result<AgentPresence, ServiceError> {
        let mut agent = self.agents.agent(provider.cli_type());
        agent.begin().map_err(|error| self.failed(error))?;
        let created = tokio::select! {
            created = provider.create_session(options) => created,
            // An agent that is dropped half-way started is ended.
            () = self.parts.stop.cancelled() => return Err(ServiceError::ShuttingDown),
        };
        agent.set(if created.is_ok() { Presence::Running } else { Presence::Failed });
        created.map_err(|error| self.failed(error))?;
        Ok(agent)
    }

    /// Refuses a session that there would be no room for, counting those that are being made.
    pub(super) async fn hold_place(&self) -> Result<Place, ServiceError> {
        // It is never closed.
        let _door = self.places.door.acquire().await;
        let kept = self.parts.journal.session_count().await?;
        self.caps.check_sessions(kept + self.places.held())?;
        Ok(self.places.hold())
    }

    /// Writes a session into its place. It is counted once at every moment: held until it is written, kept from then on.
    pub(super) async fn fill(&self, place: Place, record: SessionRecord) -> Result<(), StoreError> {
        let _door = self.places.door.acquire().await;
        let written = self.parts.journal.create_session(record).await;
        drop(place);
        written
    }
}
