//! The sessions that are open: at most one turn runs in each.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent_client_protocol::v1::schema::SessionId;
use tokio_util::sync::CancellationToken;

use crate::mode::Mode;
use crate::project::Project;
use crate::session_files::{Record, SessionFile};

#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: SessionId,
    pub(crate) project: Project,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: SessionFile,
    mode: Mode,
    has_title: bool,
    /// The user said "always" once. It is forgotten when the session closes.
    may_edit: bool,
    running: Option<CancellationToken>,
}

/// Another turn runs in the session.
#[derive(Debug)]
pub(crate) struct Busy;

/// The right to run a turn; given back when it is dropped.
#[derive(Debug)]
pub(crate) struct Running {
    pub(crate) session: Arc<Session>,
    pub(crate) cancelled: CancellationToken,
}

impl Session {
    pub(crate) fn new(
        id: SessionId,
        project: Project,
        file: SessionFile,
        history: &[Record],
    ) -> Arc<Self> {
        let has_title = history.iter().any(|record| matches!(record, Record::Title(_)));
        let mode = history.iter().rev().find_map(|record| match record {
            Record::Mode(mode) => Some(*mode),
            Record::Cwd(_) | Record::Title(_) | Record::Update(_) => None,
        });
        let mode = mode.unwrap_or_default();
        let state = State { file, mode, has_title, may_edit: false, running: None };
        Arc::new(Self { id, project, state: Mutex::new(state) })
    }

    pub(crate) fn begin(self: &Arc<Self>) -> Result<Running, Busy> {
        let cancelled = CancellationToken::new();
        let mut state = self.state();
        if state.running.is_some() {
            return Err(Busy);
        }
        state.running = Some(cancelled.clone());
        Ok(Running { session: Arc::clone(self), cancelled })
    }

    /// Cancels the turn that runs, if one does.
    pub(crate) fn cancel(&self) {
        if let Some(running) = &self.state().running {
            running.cancel();
        }
    }

    pub(crate) fn is_busy(&self) -> bool {
        self.state().running.is_some()
    }

    pub(crate) fn mode(&self) -> Mode {
        self.state().mode
    }

    pub(crate) fn set_mode(&self, mode: Mode) -> io::Result<()> {
        let mut state = self.state();
        state.file.append(&Record::Mode(mode))?;
        state.mode = mode;
        Ok(())
    }

    pub(crate) fn may_edit(&self) -> bool {
        self.state().may_edit
    }

    pub(crate) fn allow_edits(&self) {
        self.state().may_edit = true;
    }

    pub(crate) fn remember(&self, record: &Record) -> io::Result<()> {
        self.state().file.append(record)
    }

    /// Keeps the first title.
    pub(crate) fn entitle(&self, title: &str) -> io::Result<()> {
        let mut state = self.state();
        if !state.has_title {
            state.file.append(&Record::Title(title.to_owned()))?;
            state.has_title = true;
        }
        Ok(())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Also ends what it started elsewhere, such as a search.
        self.cancelled.cancel();
        self.session.state().running = None;
    }
}

/// All open sessions by their ids.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<HashMap<SessionId, Arc<Session>>>);

impl Sessions {
    pub(crate) fn find(&self, id: &SessionId) -> Option<Arc<Session>> {
        self.all().get(id).cloned()
    }

    /// A session that is opened again takes the place of the older one, unless a turn runs in that.
    pub(crate) fn insert(&self, session: Arc<Session>) -> Result<(), Busy> {
        let mut all = self.all();
        if all.get(&session.id).is_some_and(|older| older.is_busy()) {
            return Err(Busy);
        }
        all.insert(session.id.clone(), session);
        Ok(())
    }

    pub(crate) fn remove(&self, id: &SessionId) -> Option<Arc<Session>> {
        self.all().remove(id)
    }

    fn all(&self) -> MutexGuard<'_, HashMap<SessionId, Arc<Session>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session_files::SessionFiles;

    fn session(home: &std::path::Path) -> Arc<Session> {
        let files = SessionFiles::open(home).unwrap();
        let (id, file) = files.create(home).unwrap();
        Session::new(id, Project::open(home).unwrap(), file, &[])
    }

    #[test]
    fn one_turn_runs_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let session = session(dir.path());
        let running = session.begin().unwrap();
        assert!(session.begin().is_err());
        let cancelled = running.cancelled.clone();
        drop(running);
        assert!(cancelled.is_cancelled());
        let next = session.begin().unwrap();
        assert!(!next.cancelled.is_cancelled());
        session.cancel();
        assert!(next.cancelled.is_cancelled());
    }

    #[test]
    fn a_session_is_not_replaced_under_its_turn() {
        let dir = tempfile::tempdir().unwrap();
        let sessions = Sessions::default();
        let first = session(dir.path());
        sessions.insert(Arc::clone(&first)).unwrap();
        let running = first.begin().unwrap();
        assert!(sessions.insert(Arc::clone(&first)).is_err());
        drop(running);
        sessions.insert(first).unwrap();
    }
}
