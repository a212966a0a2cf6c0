//! The journal in memory: an honest stand-in that passes the same contract and forgets everything at the end.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use contract::{
    ClientMessageId, HistoryPage, ItemId, PermissionId, PermissionRequest, Project, ProjectId,
    SessionId, SessionSent, TurnId, UpsertObject,
};

use crate::decisions::within_room;
use crate::memory_session::MemorySession;
use crate::{
    AddedProject, Change, HistoryQuery, Hit, Journal, SavedSession, SessionRecord, StoreError,
    TurnProgress, Wanted,
};

#[derive(Debug, Default)]
pub struct MemoryJournal {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    marks: HashSet<String>,
    notes: HashMap<String, String>,
    projects: Vec<Project>,
    /// Those that were taken out of the list.
    removed: HashSet<ProjectId>,
    sessions: HashMap<SessionId, MemorySession>,
}

impl MemoryJournal {
    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        // A panic under the lock cannot leave half a change: each is checked before it is applied.
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn with_session<T>(
        &self,
        session: &SessionId,
        act: impl FnOnce(&mut MemorySession) -> T,
    ) -> Result<T, StoreError> {
        self.with(|state| match state.sessions.get_mut(session) {
            Some(found) => Ok(act(found)),
            None => Err(StoreError::UnknownSession(session.clone())),
        })
    }
}

#[async_trait]
impl Journal for MemoryJournal {
    async fn is_marked(&self, name: &str) -> Result<bool, StoreError> {
        Ok(self.with(|state| state.marks.contains(name)))
    }

    async fn mark(&self, name: &str) -> Result<(), StoreError> {
        self.with(|state| state.marks.insert(name.to_owned()));
        Ok(())
    }

    async fn note(&self, name: &str, value: &str) -> Result<(), StoreError> {
        self.with(|state| state.notes.insert(name.to_owned(), value.to_owned()));
        Ok(())
    }

    async fn noted(&self, name: &str) -> Result<Option<String>, StoreError> {
        Ok(self.with(|state| state.notes.get(name).cloned()))
    }

    async fn add_project(&self, project: Project) -> Result<AddedProject, StoreError> {
        Ok(self.with(|state| {
            if let Some(known) = state.projects.iter().find(|known| known.path == project.path) {
                let is_new = state.removed.remove(&known.id);
                return AddedProject { project: known.clone(), is_new };
            }
            state.projects.push(project.clone());
            AddedProject { project, is_new: true }
        }))
    }

    async fn remove_project(&self, project: &ProjectId) -> Result<bool, StoreError> {
        Ok(self.with(|state| {
            let is_known = state.projects.iter().any(|known| known.id == *project);
            is_known && state.removed.insert(project.clone())
        }))
    }

    async fn projects(&self) -> Result<Vec<Project>, StoreError> {
        Ok(self.with(|state| {
            let projects = state.projects.iter();
            projects.filter(|project| !state.removed.contains(&project.id)).cloned().collect()
        }))
    }

    async fn create_session(&self, record: SessionRecord) -> Result<(), StoreError> {
        self.with(|state| {
            let id = record.session_id.clone();
            if state.sessions.contains_key(&id) {
                return Err(StoreError::DuplicateSession(id));
            }
            state.sessions.insert(id, MemorySession::new(record));
            Ok(())
        })
    }

    async fn record(&self, session: &SessionId) -> Result<SessionRecord, StoreError> {
        self.with_session(session, |session| session.record().clone())
    }

    async fn sessions(&self) -> Result<Vec<SessionRecord>, StoreError> {
        Ok(self.with(|state| {
            state.sessions.values().map(|session| session.record().clone()).collect()
        }))
    }

    async fn session_count(&self) -> Result<usize, StoreError> {
        Ok(self.with(|state| state.sessions.len()))
    }

    async fn failed(&self) -> Result<HashSet<SessionId>, StoreError> {
        Ok(self.with(|state| {
            let failed = state.sessions.iter().filter(|(_, session)| session.last_failed());
            failed.map(|(id, _)| id.clone()).collect()
        }))
    }

    async fn unsettled(&self) -> Result<Vec<SessionId>, StoreError> {
        Ok(self.with(|state| {
            let unsettled = state.sessions.iter().filter(|(_, session)| session.is_unsettled());
            unsettled.map(|(id, _)| id.clone()).collect()
        }))
    }

    async fn session(&self, session: &SessionId) -> Result<SavedSession, StoreError> {
        self.with_session(session, |session| session.saved())
    }

    async fn append(&self, session: &SessionId, changes: Vec<Change>) -> Result<(), StoreError> {
        self.with_session(session, |session| session.append(changes))?
    }

    async fn history(
        &self,
        session: &SessionId,
        query: HistoryQuery,
    ) -> Result<HistoryPage, StoreError> {
        self.with_session(session, |session| session.history(query))
    }

    async fn item(
        &self,
        session: &SessionId,
        item: &ItemId,
    ) -> Result<Option<Arc<UpsertObject>>, StoreError> {
        self.with_session(session, |session| session.item(item))
    }

    async fn turn(
        &self,
        session: &SessionId,
        turn: &TurnId,
    ) -> Result<Option<TurnProgress>, StoreError> {
        self.with_session(session, |session| session.turn(turn))
    }

    async fn permission(
        &self,
        session: &SessionId,
        id: &PermissionId,
    ) -> Result<Option<PermissionRequest>, StoreError> {
        self.with_session(session, |session| session.permission(id))
    }

    async fn sent(
        &self,
        session: &SessionId,
        id: &ClientMessageId,
    ) -> Result<Option<SessionSent>, StoreError> {
        self.with_session(session, |session| session.sent(id))
    }

    async fn decisions(
        &self,
        session: Option<SessionId>,
        limit: usize,
    ) -> Result<Vec<PermissionRequest>, StoreError> {
        if let Some(session) = session {
            return self.with_session(&session, |session| {
                within_room(newest_asked(session.decided().collect()), limit)
            });
        }
        Ok(self.with(|state| {
            let is_listed =
                |session: &&MemorySession| !state.removed.contains(&session.record().project_id);
            let listed = state.sessions.values().filter(is_listed);
            within_room(newest_asked(listed.flat_map(MemorySession::decided).collect()), limit)
        }))
    }

    async fn search(&self, wanted: Wanted, limit: usize) -> Result<Vec<Hit>, StoreError> {
        Ok(self.with(|state| {
            let is_meant = |session: &&MemorySession| match wanted.session() {
                Some(meant) => session.record().session_id == *meant,
                None => !state.removed.contains(&session.record().project_id),
            };
            let meant = state.sessions.values().filter(is_meant);
            let hits = meant.flat_map(|session| session.search(&wanted));
            hits.take(limit).collect()
        }))
    }
}

fn newest_asked(mut decided: Vec<&PermissionRequest>) -> Vec<PermissionRequest> {
    decided.sort_by_key(|request| std::cmp::Reverse((request.asked_at, &request.permission_id)));
    decided.into_iter().cloned().collect()
}
