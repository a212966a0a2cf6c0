//! Time as the pure crates see it: an argument.

use std::ops::Add;
use std::time::Duration;

use contract::Timestamp;

/// A point on a clock that only moves forward, counted from an origin that the driver chose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment(Duration);

impl Moment {
    pub fn since_origin(elapsed: Duration) -> Self {
        Self(elapsed)
    }

    pub fn from_millis(millis: u64) -> Self {
        Self(Duration::from_millis(millis))
    }

    /// How long until `self`, seen from `now`; zero if it has passed.
    pub fn saturating_duration_since(self, now: Self) -> Duration {
        self.0.saturating_sub(now.0)
    }
}

impl Add<Duration> for Moment {
    type Output = Self;

    fn add(self, wait: Duration) -> Self {
        Self(self.0.saturating_add(wait))
    }
}

/// The two clocks at one instant: the one for deadlines and the one for people.
#[derive(Clone, Copy, Debug, Default)]
pub struct Now {
    pub moment: Moment,
    pub wall: Timestamp,
}
