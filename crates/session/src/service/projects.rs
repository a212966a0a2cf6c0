//! Projects: found or added by their canonical directory.

use std::path::Path;

use contract::{DirectoryCompletions, Project, ProjectId};

use super::SessionService;
use crate::error::ServiceError;
use crate::project_dir::NotAProject;

impl SessionService {
    pub async fn projects(&self) -> Result<Vec<Project>, ServiceError> {
        Ok(self.parts.journal.projects().await?)
    }

    pub async fn project(&self, id: &ProjectId) -> Result<Project, ServiceError> {
        let found = self.projects().await?.into_iter().find(|project| project.id == *id);
        found.ok_or_else(|| ServiceError::UnknownProject(id.clone()))
    }

    pub async fn add_project(&self, path: &str) -> Result<Project, ServiceError> {
        let refused = |NotAProject(why)| ServiceError::InvalidPath(why);
        let dir = self.parts.allowed_roots.project(path).await.map_err(refused)?;
        let project = self.new_project(&dir);
        let kept = self.parts.journal.add_project(project.clone()).await?;
        if kept.id == project.id { Ok(kept) } else { Err(ServiceError::DuplicateProject(dir)) }
    }

    /// Where a project may be, from what was written of its path so far.
    pub async fn directories(&self, written: &str) -> DirectoryCompletions {
        DirectoryCompletions { dirs: self.parts.allowed_roots.completions(written).await }
    }

    /// The project that a new session belongs to.
    pub(super) async fn project_of(&self, dir: &str) -> Result<Project, ServiceError> {
        let refused = |NotAProject(why)| ServiceError::InvalidProjectDir(why);
        let dir = self.parts.allowed_roots.project(dir).await.map_err(refused)?;
        Ok(self.parts.journal.add_project(self.new_project(&dir)).await?)
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
