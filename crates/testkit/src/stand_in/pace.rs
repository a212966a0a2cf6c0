//! When an answer waits, and how it ends.

use std::time::Duration;

use super::gate::Gate;
use super::playback::Step;

#[derive(Clone, Debug, Default)]
pub(super) struct Pace {
    pub(super) first: Duration,
    pub(super) each: Duration,
    holds: Vec<Hold>,
}

#[derive(Clone, Debug)]
struct Hold {
    place: Place,
    gate: Gate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Before anything is said.
    Start,
    /// After this many deltas.
    Deltas(usize),
}

/// How a stream ends, counted in deltas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Whole,
    CutAfter(usize),
    ErrorAfter(usize),
}

impl Pace {
    pub(super) fn hold(&mut self, place: Place, gate: &Gate) {
        self.holds.push(Hold { place, gate: gate.clone() });
    }

    /// What comes before everything else.
    pub(super) fn before(&self) -> Vec<Step> {
        let mut steps = vec![Step::Sleep(self.first)];
        steps.extend(self.holds_at(|place| place == Place::Start));
        steps
    }

    /// All waiting there is, for an answer that is given in one piece.
    pub(super) fn all_holds(&self) -> Vec<Step> {
        let mut steps = vec![Step::Sleep(self.first)];
        steps.extend(self.holds_at(|_| true));
        steps
    }

    pub(super) fn holds_after(&self, deltas: usize, of: usize) -> Vec<Step> {
        self.holds_at(|place| match place {
            Place::Start => false,
            Place::Deltas(wanted) => wanted.min(of) == deltas,
        })
    }

    fn holds_at(&self, is_here: impl Fn(Place) -> bool) -> Vec<Step> {
        let here = self.holds.iter().filter(|hold| is_here(hold.place));
        here.map(|hold| Step::Pass(hold.gate.clone())).collect()
    }
}
