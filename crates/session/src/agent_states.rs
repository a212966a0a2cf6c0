//! How it stands with each type of agent, summed up over its sessions: every session has a process of its own.
//!
//! `starting`: one comes up and none runs. `connected`: one runs, or none does and nothing is wrong. `disconnected`: none
//! runs, and the last one died by itself or did not come up. `reconnecting`: somebody asked to try again.

use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use contract::{AgentConnection, CliType};

use crate::fanout::{Hub, News, Publication, Subscriber};
use crate::provider::{ProviderError, ProviderErrorCode};

/// Tells every connection when the state of a type changes.
#[derive(Debug)]
pub(crate) struct AgentStates {
    hub: Arc<Hub>,
    /// Those that people may choose. What is fed from outside is no agent, and nobody is told of it.
    agents: BTreeSet<CliType>,
    types: Mutex<HashMap<CliType, TypeState>>,
    /// Agents that may run at once.
    limit: usize,
}

/// Agents that may run at once, unless somebody says otherwise. Each is a process of its own, some of hundreds of megabytes.
pub(crate) const AGENT_LIMIT: usize = 256;

#[derive(Debug, Default)]
struct TypeState {
    starting: usize,
    running: usize,
    reconnecting: usize,
    /// How the last one that came up, or did not, fared.
    has_failed: bool,
}

/// How it stands with one agent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Presence {
    #[default]
    Absent,
    Starting,
    Running,
    Reconnecting,
    /// It died by itself, or did not come up.
    Failed,
}

/// One agent, for as long as somebody answers for it.
#[derive(Debug)]
pub(crate) struct AgentPresence {
    states: Arc<AgentStates>,
    cli_type: CliType,
    presence: Presence,
}

impl TypeState {
    fn count(&mut self, presence: Presence) -> Option<&mut usize> {
        match presence {
            Presence::Absent | Presence::Failed => None,
            Presence::Starting => Some(&mut self.starting),
            Presence::Running => Some(&mut self.running),
            Presence::Reconnecting => Some(&mut self.reconnecting),
        }
    }

    fn change(&mut self, from: Presence, to: Presence) {
        if let Some(count) = self.count(from) {
            *count = count.saturating_sub(1);
        }
        if let Some(count) = self.count(to) {
            *count += 1;
        }
        match to {
            Presence::Running => self.has_failed = false,
            Presence::Failed => self.has_failed = true,
            Presence::Absent | Presence::Starting | Presence::Reconnecting => {}
        }
    }

    fn summary(&self) -> AgentConnection {
        if self.running > 0 {
            AgentConnection::Connected
        } else if self.reconnecting > 0 {
            AgentConnection::Reconnecting
        } else if self.starting > 0 {
            AgentConnection::Starting
        } else if self.has_failed {
            AgentConnection::Disconnected
        } else {
            AgentConnection::Connected
        }
    }
}

impl AgentStates {
    pub(crate) fn new(hub: Arc<Hub>, agents: Vec<CliType>, limit: usize) -> Arc<Self> {
        let agents = BTreeSet::from_iter(agents);
        Arc::new(Self { hub, agents, types: Mutex::default(), limit })
    }

    /// Agents that run or come up.
    pub(crate) fn running(&self) -> usize {
        self.lock(|types| self.running_in(types))
    }

    fn running_in(&self, types: &HashMap<CliType, TypeState>) -> usize {
        let agents = types.iter().filter(|(cli_type, _)| self.agents.contains(*cli_type));
        agents.map(|(_, state)| state.starting + state.running).sum()
    }

    pub(crate) fn is_running(&self, cli_type: &CliType) -> bool {
        self.lock(|types| types.get(cli_type).is_some_and(|state| state.running > 0))
    }

    pub(crate) fn agent(self: &Arc<Self>, cli_type: &CliType) -> AgentPresence {
        let presence = Presence::default();
        AgentPresence { states: self.clone(), cli_type: cli_type.clone(), presence }
    }

    /// Tells a connection how it stands with each agent. It is known already: told under the lock, so that the last that it
    /// is told is what is the case.
    pub(crate) fn tell(&self, connection: &Subscriber) {
        self.lock(|types| {
            for cli_type in &self.agents {
                let status = state_of(types, cli_type);
                let news = News::Agent { cli_type: cli_type.clone(), status };
                connection.publish(Publication::News(Arc::new(news)));
            }
        });
    }

    /// Told under the lock, so that the last that is told is what is the case.
    fn change(&self, cli_type: &CliType, from: Presence, to: Presence) {
        self.lock(|types| self.change_in(types, cli_type, from, to));
    }

    fn change_in(
        &self,
        types: &mut HashMap<CliType, TypeState>,
        cli_type: &CliType,
        from: Presence,
        to: Presence,
    ) {
        let state = types.entry(cli_type.clone()).or_default();
        let before = state.summary();
        state.change(from, to);
        let status = state.summary();
        if status != before && self.agents.contains(cli_type) {
            let news = News::Agent { cli_type: cli_type.clone(), status };
            self.hub.publish(&Publication::News(Arc::new(news)));
        }
    }

    /// Takes a place for one more, if there is one. What is fed from outside needs none.
    fn begin(&self, cli_type: &CliType, from: Presence) -> Result<(), ProviderError> {
        self.lock(|types| {
            let running = self.running_in(types);
            if running >= self.limit && self.agents.contains(cli_type) {
                let message = format!(
                    "{running} agents run, and no more than {} may: end one first, or set max_agents",
                    self.limit
                );
                return Err(ProviderError::new(ProviderErrorCode::TooManyAgents, message));
            }
            self.change_in(types, cli_type, from, Presence::Starting);
            Ok(())
        })
    }

    fn lock<T>(&self, act: impl FnOnce(&mut HashMap<CliType, TypeState>) -> T) -> T {
        act(&mut self.types.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn state_of(types: &HashMap<CliType, TypeState>, cli_type: &CliType) -> AgentConnection {
    types.get(cli_type).map_or(AgentConnection::Connected, TypeState::summary)
}

impl AgentPresence {
    /// It is about to be started, if there may be one more.
    pub(crate) fn begin(&mut self) -> Result<(), ProviderError> {
        if matches!(self.presence, Presence::Starting | Presence::Running) {
            return Ok(());
        }
        self.states.begin(&self.cli_type, self.presence)?;
        self.presence = Presence::Starting;
        Ok(())
    }

    pub(crate) fn set(&mut self, presence: Presence) {
        if self.presence != presence {
            self.states.change(&self.cli_type, self.presence, presence);
            self.presence = presence;
        }
    }
}

impl Drop for AgentPresence {
    fn drop(&mut self) {
        self.set(Presence::Absent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_runs_is_enough_and_the_last_failure_counts() {
        let states = AgentStates::new(Arc::default(), Vec::new(), 1);
        let kind = CliType::from("codex");
        let state = || states.lock(|types| state_of(types, &kind));
        assert_eq!(state(), AgentConnection::Connected, "nothing is wrong");
        let (mut one, mut two) = (states.agent(&kind), states.agent(&kind));
        one.set(Presence::Starting);
        assert_eq!(state(), AgentConnection::Starting);
        one.set(Presence::Running);
        two.set(Presence::Starting);
        assert_eq!(state(), AgentConnection::Connected);
        two.set(Presence::Failed);
        assert_eq!(state(), AgentConnection::Connected, "another one runs");
        one.set(Presence::Failed);
        drop((one, two));
        assert_eq!(state(), AgentConnection::Disconnected);
        let mut again = states.agent(&kind);
        again.set(Presence::Reconnecting);
        assert_eq!(state(), AgentConnection::Reconnecting);
        again.set(Presence::Running);
        drop(again);
        assert_eq!(state(), AgentConnection::Connected, "an idle agent is nothing wrong");
        let other = states.lock(|types| state_of(types, &CliType::from("other")));
        assert_eq!(other, AgentConnection::Connected);
    }

    #[test]
    fn there_are_as_many_places_as_the_limit_says() {
        let (codex, claude) = (CliType::from("codex"), CliType::from("claude"));
        let states = AgentStates::new(Arc::default(), vec![codex.clone(), claude.clone()], 2);
        let mut agents = [&codex, &claude, &codex].map(|kind| states.agent(kind));
        let [one, two, three] = &mut agents;
        one.begin().unwrap();
        two.begin().unwrap();
        two.set(Presence::Running);
        assert_eq!(three.begin().unwrap_err().code, ProviderErrorCode::TooManyAgents);
        one.begin().unwrap();
        one.set(Presence::Failed);
        three.begin().unwrap();
        assert_eq!(one.begin().unwrap_err().code, ProviderErrorCode::TooManyAgents);
        states.agent(&CliType::from("external")).begin().unwrap();
    }
}
