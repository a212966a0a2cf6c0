//! Runs: one per turn, with its life, and the session's status derived from them.

use contract::TurnId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Accepted, not yet written to the agent.
    Queued,
    /// Written; the agent has not begun to answer.
    AwaitingResponse,
    Streaming,
    /// Interrupted by us, or after what looks like its last message.
    Finalizing,
    Completed,
    Interrupted,
    Error,
}

impl RunState {
    pub fn is_active(self) -> bool {
        match self {
            Self::Queued | Self::AwaitingResponse | Self::Streaming | Self::Finalizing => true,
            Self::Completed | Self::Interrupted | Self::Error => false,
        }
    }
}

/// What a session does, derived from its runs and never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    Running,
    Permission,
    Error,
    Idle,
}

#[derive(Debug)]
struct Run {
    turn_id: TurnId,
    state: RunState,
}

/// Knows the active runs, and of the ended ones only how the last ended.
#[derive(Debug, Default)]
pub struct RunTracker {
    active: Vec<Run>,
    last: Option<RunState>,
}

impl RunTracker {
    pub fn begin(&mut self, turn_id: TurnId, state: RunState) {
        tracing::debug!(turn = %turn_id, ?state, "run begins");
        self.last = None;
        self.active.push(Run { turn_id, state });
    }

    /// Moves a run on. Runs that ended stay ended, and one that nobody began is not begun by this.
    pub fn set(&mut self, turn_id: &TurnId, state: RunState) {
        let Some(index) = self.active.iter().position(|run| run.turn_id == *turn_id) else {
            return;
        };
        let Some(run) = self.active.get_mut(index) else { return };
        if run.state == state {
            return;
        }
        tracing::debug!(turn = %turn_id, from = ?run.state, to = ?state, "run state changes");
        run.state = state;
        if !state.is_active() {
            self.active.remove(index);
            self.last = Some(state);
        }
    }

    pub fn state(&self, turn_id: &TurnId) -> Option<RunState> {
        self.active.iter().find(|run| run.turn_id == *turn_id).map(|run| run.state)
    }

    pub fn is_active(&self) -> bool {
        !self.active.is_empty()
    }

    pub fn status(&self, permission_waits: bool) -> RunStatus {
        if permission_waits {
            RunStatus::Permission
        } else if self.is_active() {
            RunStatus::Running
        } else if self.last == Some(RunState::Error) {
            RunStatus::Error
        } else {
            RunStatus::Idle
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(states: &[RunState]) -> RunTracker {
        let mut runs = RunTracker::default();
        let turn = TurnId::from("turn-1");
        runs.begin(turn.clone(), RunState::Queued);
        states.iter().for_each(|state| runs.set(&turn, *state));
        runs
    }

    const LIVE: [RunState; 3] =
        [RunState::AwaitingResponse, RunState::Streaming, RunState::Finalizing];

    #[test]
    fn a_run_is_running_from_queued_to_finalizing() {
        for count in 0..=LIVE.len() {
            assert_eq!(run(&LIVE[..count]).status(false), RunStatus::Running);
        }
    }

    #[test]
    fn success_interrupt_and_error_settle() {
        for (end, status) in [
            (RunState::Completed, RunStatus::Idle),
            (RunState::Interrupted, RunStatus::Idle),
            (RunState::Error, RunStatus::Error),
        ] {
            let mut runs = run(&LIVE);
            runs.set(&TurnId::from("turn-1"), end);
            assert_eq!(runs.status(false), status);
            assert!(!runs.is_active());
        }
    }

    #[test]
    fn a_run_that_ended_stays_ended() {
        let mut runs = run(&[RunState::Error]);
        runs.set(&TurnId::from("turn-1"), RunState::Streaming);
        assert_eq!(runs.state(&TurnId::from("turn-1")), None);
        assert_eq!(runs.status(false), RunStatus::Error);
    }

    #[test]
    fn an_error_is_over_when_the_next_run_begins() {
        let mut runs = run(&[RunState::Error]);
        runs.begin(TurnId::from("turn-2"), RunState::AwaitingResponse);
        assert_eq!(runs.status(false), RunStatus::Running);
        runs.set(&TurnId::from("turn-2"), RunState::Completed);
        assert_eq!(runs.status(false), RunStatus::Idle);
    }

    #[test]
    fn a_permission_that_waits_is_shown_before_all_else() {
        assert_eq!(run(&LIVE).status(true), RunStatus::Permission);
        assert_eq!(RunTracker::default().status(true), RunStatus::Permission);
    }
}
