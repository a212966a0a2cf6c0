//! The sessions of one provider: whose agent runs, whose is being started, and what is remembered of those that ended.
//!
//! At most one agent is being started for a session at a time, and a kill removes only the agent that it ended.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use contract::SessionId;

use super::commands::{AgentHandle, gone};
use crate::provider::{ProviderError, ProviderErrorCode};

/// `C` is what an agent can be asked beside messages, `M` what is remembered of a session beyond the life of its agent.
#[derive(Debug)]
pub(in crate::provider) struct AgentSessions<C, M> {
    table: Mutex<Table<C, M>>,
}

#[derive(Debug)]
struct Table<C, M> {
    /// An agent that died by itself stays until the next one takes its place or somebody kills it.
    running: HashMap<SessionId, AgentHandle<C>>,
    known: HashMap<SessionId, Arc<M>>,
    /// Two agents on one session would each write its history.
    starting: HashSet<SessionId>,
}

/// By hand, because neither what can be asked nor what is remembered need have a default.
impl<C, M> Default for AgentSessions<C, M> {
    fn default() -> Self {
        let table = Table {
            running: HashMap::default(),
            known: HashMap::default(),
            starting: HashSet::default(),
        };
        Self { table: Mutex::new(table) }
    }
}

impl<C, M> AgentSessions<C, M> {
    /// The session's agent, if it is alive.
    pub(in crate::provider) fn running(&self, session: &SessionId) -> Option<AgentHandle<C>> {
        self.agent(session).filter(AgentHandle::is_alive)
    }

    /// The session's agent, or why there is none to be asked.
    pub(in crate::provider) fn find(
        &self,
        session: &SessionId,
    ) -> Result<AgentHandle<C>, ProviderError> {
        self.running(session).ok_or_else(|| {
            if self.known(session).is_some() {
                return gone();
            }
            let message = format!("there is no session {session}");
            ProviderError::new(ProviderErrorCode::SessionNotFound, message)
        })
    }

    pub(in crate::provider) fn known(&self, session: &SessionId) -> Option<Arc<M>> {
        self.lock(|table| table.known.get(session).cloned())
    }

    /// Keeps others from starting an agent for the session until what this returns is gone.
    pub(in crate::provider) fn start(
        &self,
        session: &SessionId,
    ) -> Result<Starting<'_, C, M>, AlreadyStarting> {
        if !self.lock(|table| table.starting.insert(session.clone())) {
            return Err(AlreadyStarting);
        }
        Ok(Starting { sessions: self, session: session.clone() })
    }

    /// Returns when the session's agent is gone. It stays known.
    pub(in crate::provider) async fn kill(&self, session: &SessionId) {
        let Some(agent) = self.agent(session) else {
            return;
        };
        agent.kill().await;
        self.lock(|table| {
            // Another one may have been started meanwhile.
            if table.running.get(session).is_some_and(|running| running.is_same(&agent)) {
                table.running.remove(session);
            }
        });
    }

    fn agent(&self, session: &SessionId) -> Option<AgentHandle<C>> {
        self.lock(|table| table.running.get(session).cloned())
    }

    fn lock<T>(&self, act: impl FnOnce(&mut Table<C, M>) -> T) -> T {
        act(&mut self.table.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// A session whose agent is being started, for as long as that takes: also a start that fails, or that nobody waits for
/// any more, ends with this.
#[derive(Debug)]
pub(in crate::provider) struct Starting<'a, C, M> {
    sessions: &'a AgentSessions<C, M>,
    session: SessionId,
}

impl<C, M> Starting<'_, C, M> {
    /// The agent can be asked from now on. The session is running before it ceases to be starting.
    pub(in crate::provider) fn done(self, agent: AgentHandle<C>, memory: Arc<M>) {
        self.sessions.lock(|table| {
            table.running.insert(self.session.clone(), agent);
            table.known.insert(self.session.clone(), memory);
        });
    }
}

impl<C, M> Drop for Starting<'_, C, M> {
    fn drop(&mut self) {
        self.sessions.lock(|table| table.starting.remove(&self.session));
    }
}

#[derive(Debug, thiserror::Error)]
#[error("the agent is being started already")]
pub(in crate::provider) struct AlreadyStarting;

#[cfg(test)]
mod tests {
    use contract::SessionOptions;
    use tokio::sync::mpsc;

    use super::super::commands::Command;
    use super::*;

    type Sessions = AgentSessions<(), &'static str>;
    type Commands = mpsc::Receiver<Command<()>>;

    fn session() -> SessionId {
        SessionId::from("s1")
    }

    /// Its task is gone when what it is asked by is dropped.
    fn run(sessions: &Sessions) -> (AgentHandle<()>, Commands) {
        let (agent, commands) = AgentHandle::new(SessionOptions::default());
        sessions.start(&session()).unwrap().done(agent.clone(), Arc::new("remembered"));
        (agent, commands)
    }

    fn code_of(sessions: &Sessions) -> ProviderErrorCode {
        sessions.find(&session()).unwrap_err().code
    }

    #[test]
    fn an_agent_is_started_once_at_a_time_however_the_start_ends() {
        let sessions = Sessions::default();
        let starting = sessions.start(&session()).unwrap();
        assert!(sessions.start(&session()).is_err());
        assert!(sessions.start(&SessionId::from("another")).is_ok());
        drop(starting);
        assert!(sessions.known(&session()).is_none(), "a start that failed leaves nothing");
        let (_, _commands) = run(&sessions);
        assert!(sessions.start(&session()).is_ok());
    }

    #[test]
    fn a_session_that_lost_its_agent_is_told_from_one_that_never_was() {
        let sessions = Sessions::default();
        assert_eq!(code_of(&sessions), ProviderErrorCode::SessionNotFound);
        let (_, commands) = run(&sessions);
        assert!(sessions.find(&session()).is_ok());
        drop(commands);
        assert!(sessions.running(&session()).is_none());
        assert_eq!(code_of(&sessions), ProviderErrorCode::ProcessCrash);
        assert_eq!(sessions.known(&session()).as_deref(), Some(&"remembered"));
    }

    #[tokio::test]
    async fn a_kill_returns_when_the_agent_is_gone_and_leaves_its_successor() {
        let sessions = Sessions::default();
        let (_, mut commands) = run(&sessions);
        let session = session();
        let killing = sessions.kill(&session);
        let replacing = async {
            let Some(Command::Kill(done)) = commands.recv().await else {
                panic!("the agent is asked to end");
            };
            let successor = run(&sessions);
            done.send(()).unwrap();
            drop(commands);
            successor
        };
        let ((), (successor, _commands)) = tokio::join!(killing, replacing);
        assert!(sessions.running(&session).unwrap().is_same(&successor));
    }

    #[tokio::test]
    async fn an_agent_that_died_by_itself_can_be_killed() {
        let sessions = Sessions::default();
        drop(run(&sessions));
        sessions.kill(&session()).await;
        sessions.kill(&session()).await;
        assert_eq!(code_of(&sessions), ProviderErrorCode::ProcessCrash);
    }
}
