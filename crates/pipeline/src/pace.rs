//! How long text may wait unseen when too little of it arrives to be due by the gradient.

use std::time::Duration;

use crate::moment::Moment;

#[derive(Clone, Copy, Debug)]
pub enum Pace {
    /// Shown once no more text has arrived for this long; counts words, so a word that only grew waits on.
    /// The canonical path.
    Idle(Duration),
    /// Shown at the latest this long after it arrived. Providers: a reader sees a stall sooner than a second.
    Prompt { first: Duration, growth: Duration },
}

impl Pace {
    pub const CANONICAL: Self = Self::Idle(Duration::from_millis(1000));
    pub const PROVIDER: Self =
        Self::Prompt { first: Duration::from_millis(50), growth: Duration::from_millis(250) };

    /// The deadline after text arrived at `now`, given the deadline so far and whether the item was shown before.
    pub(crate) fn deadline(self, so_far: Option<Moment>, shown: bool, now: Moment) -> Moment {
        match (self, so_far) {
            (Self::Idle(wait), _) => now + wait,
            (Self::Prompt { .. }, Some(deadline)) => deadline,
            (Self::Prompt { first, growth }, None) => now + if shown { growth } else { first },
        }
    }
}
