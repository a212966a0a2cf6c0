//! The turns that an agent works on, and how the last one ended.

use contract::{Cancelled, TurnId};
use pipeline::Moment;

use super::effects::Reply;
use super::queue::Waiting;

/// Usually there is one run; an agent that speaks of several turns at once is believed.
#[derive(Debug, Default)]
pub(super) struct Runs {
    active: Vec<Run>,
    last: Option<RunEnd>,
}

#[derive(Debug)]
pub(super) struct Run {
    pub(super) turn_id: TurnId,
    pub(super) phase: Phase,
    /// Whether somebody asked for it; an agent may also wake up by itself.
    was_asked_for: bool,
}

#[derive(Debug)]
pub(super) enum Phase {
    /// Handed to the agent, which has not begun; it keeps its place in the queue until then.
    AwaitingResponse(Box<Waiting>),
    Streaming,
    /// Interrupted, waiting for its end. `awaiting` as above if it had not begun.
    Finalizing {
        awaiting: Option<Box<Waiting>>,
        interrupt: Interrupt,
    },
}

/// An interrupt under way and who waits for it.
#[derive(Debug)]
pub(super) struct Interrupt {
    pub(super) deadline: Moment,
    pub(super) waiters: Vec<Reply<Cancelled>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RunEnd {
    Completed,
    Interrupted,
    Error,
}

impl Phase {
    fn awaiting(&self) -> Option<&Waiting> {
        match self {
            Self::AwaitingResponse(waiting) | Self::Finalizing { awaiting: Some(waiting), .. } => {
                Some(waiting)
            }
            Self::Streaming | Self::Finalizing { awaiting: None, .. } => None,
        }
    }
}

impl Runs {
    pub(super) fn is_active(&self) -> bool {
        !self.active.is_empty()
    }

    pub(super) fn last_failed(&self) -> bool {
        self.last == Some(RunEnd::Error)
    }

    pub(super) fn current(&self) -> Option<&TurnId> {
        self.active.first().map(|run| &run.turn_id)
    }

    pub(super) fn turns(&self) -> Vec<TurnId> {
        self.active.iter().map(|run| run.turn_id.clone()).collect()
    }

    pub(super) fn contains(&self, turn: &TurnId) -> bool {
        self.active.iter().any(|run| run.turn_id == *turn)
    }

    /// The turns that were handed to the agent and have not begun: one, besides those that are to join a running one.
    pub(super) fn awaiting(&self) -> impl Iterator<Item = &Waiting> {
        self.active.iter().filter_map(|run| run.phase.awaiting())
    }

    /// A turn is handed to the agent.
    pub(super) fn begin(&mut self, turn_id: TurnId, phase: Phase) {
        self.add(Run { turn_id, phase, was_asked_for: true });
    }

    /// How the last one ended stays until another one has: one that never begins ends nothing.
    fn add(&mut self, run: Run) {
        self.active.push(run);
    }

    /// The turn that runs without anybody having asked for it.
    pub(super) fn autonomous(&self) -> Option<&TurnId> {
        self.active.iter().find(|run| !run.was_asked_for).map(|run| &run.turn_id)
    }

    /// The agent began a turn. Returns whether it was one that we handed over.
    pub(super) fn mark_started(&mut self, turn: &TurnId) -> bool {
        let Some(run) = self.active.iter_mut().find(|run| run.turn_id == *turn) else {
            let turn_id = turn.clone();
            self.add(Run { turn_id, phase: Phase::Streaming, was_asked_for: false });
            return false;
        };
        match &mut run.phase {
            Phase::AwaitingResponse(_) => run.phase = Phase::Streaming,
            Phase::Finalizing { awaiting, .. } => *awaiting = None,
            Phase::Streaming => {}
        }
        true
    }

    pub(super) fn take(&mut self, turn: &TurnId) -> Option<Run> {
        let index = self.active.iter().position(|run| run.turn_id == *turn)?;
        Some(self.active.remove(index))
    }

    pub(super) fn take_all(&mut self) -> Vec<Run> {
        std::mem::take(&mut self.active)
    }

    pub(super) fn note_end(&mut self, end: RunEnd) {
        self.last = Some(end);
    }

    /// Begins to interrupt a run, or joins those who wait for it already. Returns whether the agent is to be asked.
    pub(super) fn interrupt(
        &mut self,
        turn: &TurnId,
        deadline: Moment,
        waiter: Option<Reply<Cancelled>>,
    ) -> bool {
        let Some(run) = self.active.iter_mut().find(|run| run.turn_id == *turn) else {
            return false;
        };
        if let Phase::Finalizing { interrupt, .. } = &mut run.phase {
            interrupt.waiters.extend(waiter);
            return false;
        }
        let interrupt = Interrupt { deadline, waiters: waiter.into_iter().collect() };
        let before = std::mem::replace(&mut run.phase, Phase::Streaming);
        let awaiting = match before {
            Phase::AwaitingResponse(waiting) => Some(waiting),
            Phase::Streaming | Phase::Finalizing { .. } => None,
        };
        run.phase = Phase::Finalizing { awaiting, interrupt };
        true
    }

    /// Those who wait for an interrupt wait until this deadline.
    pub(super) fn move_interrupts(&mut self, until: Moment) {
        for run in &mut self.active {
            if let Phase::Finalizing { interrupt, .. } = &mut run.phase {
                interrupt.deadline = until;
            }
        }
    }

    pub(super) fn interrupt_deadline(&self) -> Option<Moment> {
        let deadlines = self.active.iter().filter_map(|run| match &run.phase {
            Phase::Finalizing { interrupt, .. } => Some(interrupt.deadline),
            Phase::AwaitingResponse(_) | Phase::Streaming => None,
        });
        deadlines.min()
    }

    /// Gives up those interrupts that `is_over` names by turn and deadline: their runs go on. Returns who waited.
    pub(super) fn give_up_interrupts(
        &mut self,
        is_over: impl Fn(&TurnId, Moment) -> bool,
    ) -> Vec<Reply<Cancelled>> {
        let mut waiters = Vec::new();
        for run in &mut self.active {
            let over = matches!(&run.phase, Phase::Finalizing { interrupt, .. }
                if is_over(&run.turn_id, interrupt.deadline));
            if !over {
                continue;
            }
            if let Phase::Finalizing { awaiting, interrupt } =
                std::mem::replace(&mut run.phase, Phase::Streaming)
            {
                run.phase = awaiting.map_or(Phase::Streaming, Phase::AwaitingResponse);
                waiters.extend(interrupt.waiters);
            }
        }
        waiters
    }
}
