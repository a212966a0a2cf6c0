//! Sessions that agents keep on their own become sessions of ours.

use std::sync::Arc;

use contract::{
    CliType, ImportSessionRequest, ImportableSession, Project, ProjectId, Seq, SessionCreated,
    SessionId, SessionSource,
};
use futures_util::future::join_all;
use store::{AgentChoices, Change, SavedSession, SessionRecord, StoreError};

use super::SessionService;
use crate::actor::{Command, SessionHandle};
use crate::core::imported_changes;
use crate::error::ServiceError;
use crate::fanout::Publication;
use crate::provider::{AgentSession, CliProvider};
use crate::title::title_or_untitled;

impl SessionService {
    /// What the agents keep of a project and we do not have, the last used first.
    pub async fn importable(
        &self,
        project: &ProjectId,
    ) -> Result<Vec<ImportableSession>, ServiceError> {
        self.check_open()?;
        let project = self.project(project).await?;
        self.check_project(&project).await?;
        let path = project.path.as_str();
        let providers = self.parts.providers.all().into_iter();
        // Some start an agent to ask it; they need not wait for each other.
        let asked = providers.filter_map(|provider| {
            let transcripts = provider.transcripts()?;
            Some(async move { (provider, transcripts.importable(path).await) })
        });
        let answers = join_all(asked).await;
        let known = self.parts.journal.sessions().await?;
        let mut importable = Vec::new();
        for (provider, found) in answers {
            match found {
                Ok(found) => {
                    let is_new = |agent: &AgentSession| {
                        let mut known = known.iter();
                        !known.any(|record| is_of(record, provider.cli_type(), &agent.id))
                    };
                    let new = found.into_iter().filter(is_new);
                    importable.extend(new.map(|agent| offer(&**provider, agent)));
                }
                Err(error) => {
                    let agent = provider.cli_type();
                    tracing::warn!(%agent, code = ?error.code, "the agent's own sessions are not listed");
                    // What an agent writes to its standard error is part of it.
                    tracing::debug!(%agent, %error, "why they are not");
                }
            }
        }
        importable.sort_by_key(|session| std::cmp::Reverse(session.last_active_at));
        Ok(importable)
    }

    /// Makes a session of one that an agent keeps, with its history. The agent's id of it is ours too, so that the next
    /// message goes on with it. One that is here already is returned as it is.
    pub async fn import(
        &self,
        request: ImportSessionRequest,
    ) -> Result<SessionCreated, ServiceError> {
        self.check_open()?;
        let provider = self.provider(&request.cli_type)?;
        let transcripts = provider.transcripts().ok_or_else(|| {
            let kind = &request.cli_type;
            ServiceError::NotSupported(format!("sessions of type {kind} cannot be imported"))
        })?;
        let project = self.project(&request.project_id).await?;
        self.check_project(&project).await?;
        let session = SessionId::from(request.provider_session_id);
        let begun = match self.parts.journal.session(&session).await {
            Ok(saved) if saved.record.cli_type != request.cli_type => {
                return Err(ServiceError::UnknownSession(session));
            }
            Ok(saved) if !is_half_done(&saved) => return Ok(created(saved.record)),
            Ok(saved) => Some(saved.record),
            Err(StoreError::UnknownSession(_)) => None,
            Err(error) => return Err(error.into()),
        };
        if begun.is_none()
            && let Some(ours) = self.ours(&request.cli_type, session.as_str()).await?
        {
            return Ok(created(ours));
        }
        let history = transcripts.history(&session, &project.path).await;
        let history = history.map_err(|error| self.failed(error))?;
        let record = match begun {
            Some(record) => record,
            None => {
                let place = self.hold_place().await?;
                let record = self.imported(&session, project, request.cli_type, &history.session);
                match self.fill(place, record.clone()).await {
                    // Somebody imports it at the same time: there is one session, and both have it.
                    Ok(()) | Err(StoreError::DuplicateSession(_)) => record,
                    Err(error) => return Err(error.into()),
                }
            }
        };
        self.tell_once(&session, imported_changes(&session, history.events)).await?;
        // Whoever owns it may not know of its history.
        let handle = self.whole_session(&session).await?;
        self.hub.publish(&Publication::Created(Arc::new(handle.created().clone())));
        Ok(created(record))
    }

    fn imported(
        &self,
        session: &SessionId,
        project: Project,
        cli_type: CliType,
        told: &AgentSession,
    ) -> SessionRecord {
        SessionRecord {
            session_id: session.clone(),
            project_id: project.id,
            project_dir: project.path,
            cli_type,
            agent_session: Some(session.as_str().to_owned()),
            choices: AgentChoices::default(),
            epoch: self.parts.environment.ids.epoch(),
            title: title_or_untitled(Some(&told.title)),
            created_at: told.created_at.unwrap_or(told.last_active_at),
            last_active_at: told.last_active_at,
            archived: false,
            dead: false,
            source: SessionSource::Imported,
        }
    }

    /// The session with what was said in it before it came here, if that can be read by now and nothing was said since.
    pub(super) async fn whole_session(
        &self,
        session: &SessionId,
    ) -> Result<SessionHandle, ServiceError> {
        let handle = self.session(session).await?;
        if !handle.is_half_told() {
            return Ok(handle);
        }
        handle.ask(Command::GiveWay).await?;
        self.session(session).await
    }

    /// Reads what was said in a session before it came here, if that was not done. Tells whether there may be more of it now.
    pub(super) async fn make_whole(&self, session: &SessionId) -> Result<bool, ServiceError> {
        let is_half_done = is_half_done(&self.saved(session).await?);
        if is_half_done {
            self.whole_session(session).await?;
        }
        Ok(is_half_done)
    }

    /// Reads the history of a session that is known by name only. False if there is none to be had now: it is looked
    /// for again when the session is opened next.
    pub(super) async fn complete_import(
        &self,
        provider: &dyn CliProvider,
        saved: &SavedSession,
    ) -> bool {
        let Some(transcripts) = provider.transcripts() else { return false };
        let record = &saved.record;
        let agent_session = record.agent_session.as_deref().map(SessionId::from);
        let wanted = agent_session.as_ref().unwrap_or(&record.session_id);
        let history = match transcripts.history(wanted, &record.project_dir).await {
            Ok(history) => history,
            Err(error) => {
                let session = &record.session_id;
                tracing::warn!(%session, code = ?error.code, "its agent does not tell what was said");
                tracing::debug!(%session, %error, "why it does not");
                return false;
            }
        };
        let changes = imported_changes(&record.session_id, history.events);
        self.tell_once(&record.session_id, changes).await.is_ok()
    }

    /// Writes a history that was read. Two that open a session at once read it twice; the second finds it numbered already.
    async fn tell_once(&self, session: &SessionId, changes: Vec<Change>) -> Result<(), StoreError> {
        match self.parts.journal.append(session, changes).await {
            Err(StoreError::OutOfOrder { .. }) => Ok(()),
            appended => appended,
        }
    }

    /// A session that began here, by its agent's id of it.
    async fn ours(
        &self,
        cli_type: &CliType,
        agent_session: &str,
    ) -> Result<Option<SessionRecord>, ServiceError> {
        let known = self.parts.journal.sessions().await?;
        Ok(known.into_iter().find(|record| is_of(record, cli_type, agent_session)))
    }
}

/// Whether it is the session that an agent calls so.
fn is_of(record: &SessionRecord, cli_type: &CliType, agent_session: &str) -> bool {
    let is_agents =
        record.cli_type == *cli_type && record.agent_session.as_deref() == Some(agent_session);
    record.session_id == *agent_session || is_agents
}

/// An import that ended between its two commits; the next one completes it.
pub(super) fn is_half_done(saved: &SavedSession) -> bool {
    saved.record.source == SessionSource::Imported && saved.head == Seq(0)
}

fn created(record: SessionRecord) -> SessionCreated {
    let SessionRecord { session_id, cli_type, project_id, .. } = record;
    SessionCreated { session_id, cli_type, project_id }
}

fn offer(provider: &dyn CliProvider, agent: AgentSession) -> ImportableSession {
    ImportableSession {
        cli_type: provider.cli_type().clone(),
        provider_session_id: agent.id,
        title: agent.title,
        created_at: agent.created_at,
        last_active_at: agent.last_active_at,
        prompts: agent.prompts,
    }
}
