//! The promise that every journal keeps.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use contract::{
    ClientMessageId, HistoryPage, ItemId, PermissionId, PermissionRequest, Project, ProjectId,
    SessionId, SessionSent, TurnId, UpsertObject,
};

use crate::{
    AddedProject, Change, HistoryQuery, Hit, SavedSession, SessionRecord, StoreError, TurnProgress,
    Wanted,
};

/// Where sessions are kept. What is committed is never taken back, and each session has one owner who appends.
#[async_trait]
pub trait Journal: std::fmt::Debug + Send + Sync + 'static {
    /// Whether something that is done once was done.
    async fn is_marked(&self, name: &str) -> Result<bool, StoreError>;

    async fn mark(&self, name: &str) -> Result<(), StoreError>;

    /// Keeps a value under a name, in place of the one before.
    async fn note(&self, name: &str, value: &str) -> Result<(), StoreError>;

    async fn noted(&self, name: &str) -> Result<Option<String>, StoreError>;

    /// Writes that wait for their turn now.
    fn waiting(&self) -> usize {
        0
    }

    /// Adds a project unless its path is there already; one that was removed comes back as it was.
    async fn add_project(&self, project: Project) -> Result<AddedProject, StoreError>;

    /// Takes a project out of the list. Nothing of it or its sessions is lost. False if it is not there.
    async fn remove_project(&self, project: &ProjectId) -> Result<bool, StoreError>;

    /// In the order they were first added, without those that were removed.
    async fn projects(&self) -> Result<Vec<Project>, StoreError>;

    async fn create_session(&self, record: SessionRecord) -> Result<(), StoreError>;

    /// What a session is, without what its owner needs to take it up.
    async fn record(&self, session: &SessionId) -> Result<SessionRecord, StoreError>;

    async fn sessions(&self) -> Result<Vec<SessionRecord>, StoreError>;

    /// How many there are, put away or not.
    async fn session_count(&self) -> Result<usize, StoreError>;

    /// Sessions whose last turn to end ended with an error.
    async fn failed(&self) -> Result<HashSet<SessionId>, StoreError>;

    /// Sessions that their last owner left in the middle of something: a turn, an item, a question, a queue.
    async fn unsettled(&self) -> Result<Vec<SessionId>, StoreError>;

    async fn session(&self, session: &SessionId) -> Result<SavedSession, StoreError>;

    /// Commits all changes or none. Those that consume a `seq` must follow each other without a gap.
    async fn append(&self, session: &SessionId, changes: Vec<Change>) -> Result<(), StoreError>;

    async fn history(
        &self,
        session: &SessionId,
        query: HistoryQuery,
    ) -> Result<HistoryPage, StoreError>;

    /// The newest state of an item, whole.
    async fn item(
        &self,
        session: &SessionId,
        item: &ItemId,
    ) -> Result<Option<Arc<UpsertObject>>, StoreError>;

    async fn turn(
        &self,
        session: &SessionId,
        turn: &TurnId,
    ) -> Result<Option<TurnProgress>, StoreError>;

    /// A permission request of the session, whatever became of it.
    async fn permission(
        &self,
        session: &SessionId,
        id: &PermissionId,
    ) -> Result<Option<PermissionRequest>, StoreError>;

    /// What was answered to a send that carried this id.
    async fn sent(
        &self,
        session: &SessionId,
        id: &ClientMessageId,
    ) -> Result<Option<SessionSent>, StoreError>;

    /// Permission requests that are over, the last asked first: of a session, or of all without those of removed projects.
    /// Bounded in bytes too, but one is always told.
    async fn decisions(
        &self,
        session: Option<SessionId>,
        limit: usize,
    ) -> Result<Vec<PermissionRequest>, StoreError>;

    /// The newest items that have ended and have all of the words: of a session, or of all without those of removed projects.
    async fn search(&self, wanted: Wanted, limit: usize) -> Result<Vec<Hit>, StoreError>;
}
