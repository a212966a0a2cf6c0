//! Sessions that agents keep on their own become sessions of ours.

use std::sync::Arc;

use contract::{
    ImportSessionRequest, ImportableSession, ProjectId, Seq, SessionCreated, SessionId,
    SessionSource,
};
use store::{SavedSession, SessionRecord, StoreError};

use super::SessionService;
use super::sessions::title;
use crate::core::imported_changes;
use crate::error::ServiceError;
use crate::fanout::Publication;
use crate::provider::{AgentSession, CliProvider};

impl SessionService {
    /// What the agents keep of a project and we do not have, the last used first.
    pub async fn importable(
        &self,
        project: &ProjectId,
    ) -> Result<Vec<ImportableSession>, ServiceError> {
        let project = self.project(project).await?;
        let known = self.parts.journal.sessions().await?;
        let mut importable = Vec::new();
        for provider in self.parts.providers.all() {
            let Some(transcripts) = provider.transcripts() else { continue };
            let found = transcripts.importable(&project.path).await?.into_iter();
            let new =
                found.filter(|agent| known.iter().all(|record| record.session_id != *agent.id));
            importable.extend(new.map(|agent| offer(&**provider, agent)));
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
        if self.parts.stop.is_cancelled() {
            return Err(ServiceError::ShuttingDown);
        }
        let provider = self.provider(&request.cli_type)?;
        let transcripts = provider.transcripts().ok_or_else(|| {
            let kind = &request.cli_type;
            ServiceError::NotSupported(format!("sessions of type {kind} cannot be imported"))
        })?;
        let project = self.project(&request.project_id).await?;
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
        let history = transcripts.history(&session, &project.path).await?;
        let record = match begun {
            Some(record) => record,
            None => {
                let record = SessionRecord {
                    session_id: session.clone(),
                    project_id: project.id,
                    project_dir: project.path,
                    cli_type: request.cli_type,
                    agent_session: Some(session.as_str().to_owned()),
                    epoch: self.parts.environment.ids.epoch(),
                    title: title(Some(&history.session.title)),
                    created_at: history
                        .session
                        .created_at
                        .unwrap_or(history.session.last_active_at),
                    last_active_at: history.session.last_active_at,
                    archived: false,
                    dead: false,
                    source: SessionSource::Imported,
                };
                self.parts.journal.create_session(record.clone()).await?;
                record
            }
        };
        self.parts.journal.append(&session, imported_changes(history.events)).await?;
        let handle = self.session(&session).await?;
        self.hub.publish(&Publication::Created(Arc::new(handle.created().clone())));
        Ok(created(record))
    }
}

/// An import that ended between its two commits; the next one completes it.
fn is_half_done(saved: &SavedSession) -> bool {
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
