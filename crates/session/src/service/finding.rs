//! Finding things: items by their words, and files of a session's project by their names.

use std::path::PathBuf;

use contract::{FileCompletions, SearchHit, SearchResults, SessionId, SessionListItem};
use store::Wanted;

use super::SessionService;
use crate::error::ServiceError;
use crate::project_dir::NotAProject;
use crate::project_files::matching_files;

impl SessionService {
    /// The newest items that have all of the words, each the beginning of a word: of a session, or of all.
    pub async fn search(
        &self,
        query: &str,
        session: Option<SessionId>,
        limit: usize,
    ) -> Result<SearchResults, ServiceError> {
        let wanted = Wanted::parse(query)
            .ok_or_else(|| ServiceError::InvalidRequest("q: give at least one word".to_owned()))?;
        if let Some(session) = &session {
            self.parts.journal.record(session).await?;
        }
        let wanted = wanted.within(session);
        let hits = self.parts.journal.search(wanted, limit).await?.into_iter();
        let hits = hits.map(|hit| SearchHit {
            session_id: hit.session_id,
            item_id: hit.item_id,
            snippet: hit.snippet,
        });
        Ok(SearchResults { hits: hits.collect() })
    }

    /// A session as lists show it, whether or not they do.
    pub async fn describe(&self, session: &SessionId) -> Result<SessionListItem, ServiceError> {
        let record = self.parts.journal.record(session).await?;
        let failed = self.parts.journal.failed().await?.contains(session);
        Ok(self.list_item(record, failed))
    }

    /// Files of the session's project, by what was written of a name so far.
    pub async fn files(
        &self,
        session: &SessionId,
        written: &str,
    ) -> Result<FileCompletions, ServiceError> {
        let dir = self.parts.journal.record(session).await?.project_dir;
        let refused = |NotAProject(why)| ServiceError::InvalidProjectDir(why);
        let real = self.parts.allowed_roots.project(&dir).await.map_err(refused)?;
        if real != dir {
            let why = format!("{dir}: leads somewhere else than when the session began");
            return Err(ServiceError::InvalidProjectDir(why));
        }
        // Few at a time: whoever types fast asks often, and a walk cannot be called back. It is never closed.
        let _turn = self.walks.acquire().await;
        let (root, written) = (PathBuf::from(real), written.to_owned());
        let found = tokio::task::spawn_blocking(move || matching_files(&root, &written));
        Ok(FileCompletions { files: found.await.unwrap_or_default() })
    }
}
