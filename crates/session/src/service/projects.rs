//! Projects: found or added by their canonical directory.

use std::path::Path;
use std::sync::Arc;

use contract::{DirectoryCompletions, Project, ProjectId};
use futures_util::future::join_all;
use store::AddedProject;

use super::SessionService;
use crate::actor::{Command, SessionHandle};
use crate::error::ServiceError;
use crate::fanout::{Asker, News, Publication};
use crate::project_dir::NotAProject;

impl SessionService {
    pub async fn projects(&self) -> Result<Vec<Project>, ServiceError> {
        Ok(self.parts.journal.projects().await?)
    }

    pub async fn project(&self, id: &ProjectId) -> Result<Project, ServiceError> {
        let found = self.projects().await?.into_iter().find(|project| project.id == *id);
        found.ok_or_else(|| ServiceError::UnknownProject(id.clone()))
    }

    /// Adds a project and tells every connection. One that was removed comes back with its sessions.
    pub async fn add_project(&self, path: &str) -> Result<Project, ServiceError> {
        self.add_project_for(path, None).await
    }

    /// Adds a project for a connection, which is told of it with the id of its request.
    pub async fn add_project_for(
        &self,
        path: &str,
        asker: Option<&Asker>,
    ) -> Result<Project, ServiceError> {
        let refused = |NotAProject(why)| ServiceError::InvalidPath(why);
        let dir = self.parts.allowed_roots.project(path).await.map_err(refused)?;
        let AddedProject { project, is_new } = self.keep_project(&dir, asker).await?;
        if is_new { Ok(project) } else { Err(ServiceError::DuplicateProject(Box::new(project))) }
    }

    /// Takes a project out of the list, and its sessions with it. Their agents are ended, for nobody would see what they
    /// do; nothing that was said is lost. Returns when the agents are gone.
    pub async fn remove_project(
        &self,
        project: &ProjectId,
        asker: Option<&Asker>,
    ) -> Result<(), ServiceError> {
        if !self.parts.journal.remove_project(project).await? {
            return Err(ServiceError::UnknownProject(project.clone()));
        }
        let removed = News::ProjectRemoved(project.clone());
        self.hub.tell(&Publication::News(Arc::new(removed)), asker);
        let sessions: Vec<_> = self.lock(|sessions| {
            let all = sessions.values();
            all.filter(|session| session.created().project_id == *project).cloned().collect()
        });
        // A task of its own: the agents are ended also if whoever asked goes away.
        let resting = async move {
            join_all(sessions.iter().map(|session| session.ask(Command::Rest))).await;
        };
        // A session that fails here has no agent any more, or the server stops.
        self.parts.tasks.spawn(resting).await.ok();
        Ok(())
    }

    /// Ends the agent of a session whose project was removed while it came up: who removed it could not know of it. Asked
    /// once the session can be found, so that one of the two ends it.
    pub(super) async fn rest_if_removed(&self, session: &SessionHandle) {
        let is_there = self.project(&session.created().project_id).await;
        if matches!(is_there, Err(ServiceError::UnknownProject(_))) {
            // A session that fails here has no agent any more, or the server stops.
            session.ask(Command::Rest).await.ok();
        }
    }

    /// Where a project may be, from what was written of its path so far.
    pub async fn directories(&self, written: &str) -> DirectoryCompletions {
        DirectoryCompletions { dirs: self.parts.allowed_roots.completions(written).await }
    }

    /// The project that a new session belongs to.
    pub(super) async fn project_of(&self, dir: &str) -> Result<Project, ServiceError> {
        let refused = |NotAProject(why)| ServiceError::InvalidProjectDir(why);
        let dir = self.parts.allowed_roots.project(dir).await.map_err(refused)?;
        Ok(self.keep_project(&dir, None).await?.project)
    }

    /// A project that was added once may lie elsewhere by now, or the settings may say less than they did.
    pub(super) async fn check_project(&self, project: &Project) -> Result<(), ServiceError> {
        let refused = |NotAProject(why)| ServiceError::InvalidProjectDir(why);
        self.parts.allowed_roots.project(&project.path).await.map(drop).map_err(refused)
    }

    async fn keep_project(
        &self,
        dir: &str,
        asker: Option<&Asker>,
    ) -> Result<AddedProject, ServiceError> {
        let added = self.parts.journal.add_project(self.new_project(dir)).await?;
        if added.is_new {
            let news = News::ProjectAdded(added.project.clone());
            self.hub.tell(&Publication::News(Arc::new(news)), asker);
        }
        Ok(added)
    }

    fn new_project(&self, dir: &str) -> Project {
        let name = Path::new(dir)
            .file_name()
            .map_or(dir.to_owned(), |name| name.to_string_lossy().into_owned());
        let environment = &self.parts.environment;
        Project {
            id: environment.ids.project_id(),
            path: dir.to_owned(),
            name,
            added_at: environment.clock.now(),
        }
    }
}
