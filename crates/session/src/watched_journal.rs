//! A journal that knows whether it could be written last time.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use contract::{
    ClientMessageId, HistoryPage, ItemId, PermissionId, PermissionRequest, Project, ProjectId,
    SessionId, SessionSent, TurnId, UpsertObject,
};
use store::{
    AddedProject, Change, HistoryQuery, Hit, Journal, SavedSession, SessionRecord, StoreError,
    TurnProgress, Wanted,
};

/// What is written to find out whether something can be written again.
const ATTEMPT: &str = "attempt";

#[derive(Debug)]
pub(crate) struct WatchedJournal {
    inner: Arc<dyn Journal>,
    has_failed: AtomicBool,
}

impl WatchedJournal {
    pub(crate) fn new(inner: Arc<dyn Journal>) -> Self {
        Self { inner, has_failed: AtomicBool::new(false) }
    }

    /// Whether it can be written, as far as the last write tells. Only after one that failed another is tried, so that asking
    /// costs nothing while all is well and a disk that has room again is noticed.
    pub(crate) async fn check(&self) -> Result<(), StoreError> {
        if self.has_failed.load(Ordering::Relaxed) { self.note(ATTEMPT, "").await } else { Ok(()) }
    }

    /// What is refused for what it says tells nothing about the disk.
    fn watch<T>(&self, written: Result<T, StoreError>) -> Result<T, StoreError> {
        let has_failed = matches!(written, Err(StoreError::Unavailable(_)));
        self.has_failed.store(has_failed, Ordering::Relaxed);
        written
    }
}

#[async_trait]
impl Journal for WatchedJournal {
    async fn is_marked(&self, name: &str) -> Result<bool, StoreError> {
        self.inner.is_marked(name).await
    }
    async fn mark(&self, name: &str) -> Result<(), StoreError> {
        self.watch(self.inner.mark(name).await)
    }
    async fn note(&self, name: &str, value: &str) -> Result<(), StoreError> {
        self.watch(self.inner.note(name, value).await)
    }
    async fn noted(&self, name: &str) -> Result<Option<String>, StoreError> {
        self.inner.noted(name).await
    }
    fn waiting(&self) -> usize {
        self.inner.waiting()
    }
    async fn add_project(&self, project: Project) -> Result<AddedProject, StoreError> {
        self.watch(self.inner.add_project(project).await)
    }
    async fn remove_project(&self, project: &ProjectId) -> Result<bool, StoreError> {
        self.watch(self.inner.remove_project(project).await)
    }
    async fn projects(&self) -> Result<Vec<Project>, StoreError> {
        self.inner.projects().await
    }
    async fn create_session(&self, record: SessionRecord) -> Result<(), StoreError> {
        self.watch(self.inner.create_session(record).await)
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
    async fn session(&self, session: &SessionId) -> Result<SavedSession, StoreError> {
        self.inner.session(session).await
    }
    async fn append(&self, session: &SessionId, changes: Vec<Change>) -> Result<(), StoreError> {
        self.watch(self.inner.append(session, changes).await)
    }
    async fn history(
        &self,
        session: &SessionId,
        query: HistoryQuery,
    ) -> Result<HistoryPage, StoreError> {
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
        self.inner.turn(session, turn).await
    }
    async fn permission(
        &self,
        session: &SessionId,
        id: &PermissionId,
    ) -> Result<Option<PermissionRequest>, StoreError> {
        self.inner.permission(session, id).await
    }
    async fn sent(
        &self,
        session: &SessionId,
        id: &ClientMessageId,
    ) -> Result<Option<SessionSent>, StoreError> {
        self.inner.sent(session, id).await
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
}
