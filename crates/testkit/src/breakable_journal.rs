//! A journal that can be told to fail.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use contract::{
    ClientMessageId, HistoryPage, ItemId, PermissionRequest, Project, ProjectId, SessionId,
    SessionSent, TurnId, UpsertObject,
};
use store::{
    AddedProject, Change, HistoryQuery, Hit, Journal, MemoryJournal, SavedSession, SessionRecord,
    StoreError, TurnProgress, Wanted,
};
use tokio::sync::watch;

#[derive(Debug, Default)]
pub struct BreakableJournal {
    pub inner: MemoryJournal,
    pub broken: AtomicBool,
    /// What was said cannot be read.
    pub unreadable: AtomicBool,
    /// The next commit fails, and no other.
    pub breaks_once: AtomicBool,
    /// While this is so no commit ends.
    pub held: watch::Sender<bool>,
    /// Sessions are never kept, and nobody is told.
    pub stuck: AtomicBool,
}

impl BreakableJournal {
    fn check_room(&self) -> Result<(), StoreError> {
        let is_full =
            self.broken.load(Ordering::SeqCst) || self.breaks_once.swap(false, Ordering::SeqCst);
        if is_full { Err(StoreError::Unavailable("disk full".into())) } else { Ok(()) }
    }

    fn check_readable(&self) -> Result<(), StoreError> {
        let readable = !self.unreadable.load(Ordering::SeqCst);
        readable.then_some(()).ok_or_else(|| StoreError::Unavailable("a page is damaged".into()))
    }
}

#[async_trait]
impl Journal for BreakableJournal {
    async fn is_marked(&self, name: &str) -> Result<bool, StoreError> {
        self.inner.is_marked(name).await
    }
    async fn mark(&self, name: &str) -> Result<(), StoreError> {
        self.inner.mark(name).await
    }
    async fn add_project(&self, project: Project) -> Result<AddedProject, StoreError> {
        self.inner.add_project(project).await
    }
    async fn remove_project(&self, project: &ProjectId) -> Result<bool, StoreError> {
        self.inner.remove_project(project).await
    }
    async fn projects(&self) -> Result<Vec<Project>, StoreError> {
        self.inner.projects().await
    }
    async fn create_session(&self, record: SessionRecord) -> Result<(), StoreError> {
        if self.stuck.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        self.inner.create_session(record).await
    }
    async fn record(&self, session: &SessionId) -> Result<SessionRecord, StoreError> {
        self.inner.record(session).await
    }
    async fn sessions(&self) -> Result<Vec<SessionRecord>, StoreError> {
        self.inner.sessions().await
    }
    async fn session_count(&self) -> Result<usize, StoreError> {
        self.inner.session_count().await
    }
    async fn failed(&self) -> Result<HashSet<SessionId>, StoreError> {
        self.inner.failed().await
    }
    async fn unsettled(&self) -> Result<Vec<SessionId>, StoreError> {
        self.inner.unsettled().await
    }
    async fn decisions(
        &self,
        session: Option<SessionId>,
        limit: usize,
    ) -> Result<Vec<PermissionRequest>, StoreError> {
        self.inner.decisions(session, limit).await
    }
    async fn search(&self, wanted: Wanted, limit: usize) -> Result<Vec<Hit>, StoreError> {
        self.inner.search(wanted, limit).await
    }
    async fn session(&self, session: &SessionId) -> Result<SavedSession, StoreError> {
        self.inner.session(session).await
    }
    async fn append(&self, session: &SessionId, changes: Vec<Change>) -> Result<(), StoreError> {
        self.check_room()?;
        self.held.subscribe().wait_for(|held| !held).await.ok();
        self.inner.append(session, changes).await
    }
    async fn history(
        &self,
        session: &SessionId,
        query: HistoryQuery,
    ) -> Result<HistoryPage, StoreError> {
        self.check_readable()?;
        self.inner.history(session, query).await
    }
    async fn item(
        &self,
        session: &SessionId,
        item: &ItemId,
    ) -> Result<Option<Arc<UpsertObject>>, StoreError> {
        self.inner.item(session, item).await
    }
    async fn turn(
        &self,
        session: &SessionId,
        turn: &TurnId,
    ) -> Result<Option<TurnProgress>, StoreError> {
        self.check_readable()?;
        self.inner.turn(session, turn).await
    }
    async fn permission(
        &self,
        session: &SessionId,
        id: &contract::PermissionId,
    ) -> Result<Option<PermissionRequest>, StoreError> {
        self.check_readable()?;
        self.inner.permission(session, id).await
    }
    async fn note(&self, name: &str, value: &str) -> Result<(), StoreError> {
        self.check_room()?;
        self.inner.note(name, value).await
    }
    async fn noted(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.inner.noted(name).await
    }
    async fn sent(
        &self,
        session: &SessionId,
        id: &ClientMessageId,
    ) -> Result<Option<SessionSent>, StoreError> {
        self.check_readable()?;
        self.inner.sent(session, id).await
    }
}
