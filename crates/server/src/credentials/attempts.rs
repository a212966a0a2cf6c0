//! Wrong credentials of one kind, counted.
//!
//! A wrong one is told so (401) until there have been too many lately, then told to come back later (429). A right one is
//! always let in: what is guessed has 256 bits, everybody on this machine comes from the same address, and whoever could
//! lock others out by guessing would have won something. Each kind has its own count, so one cannot be used to hide another.

use std::time::Duration;

use tokio::time::Instant;

/// As many may be wrong at once.
pub(super) const BURST: u32 = 30;
/// One more may be wrong each time this has passed.
const INTERVAL: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub(super) struct Attempts {
    /// When all wrong attempts so far will be forgotten.
    forgotten_at: Option<Instant>,
}

/// The credential is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Refused {
    /// Set when there were too many wrong ones lately.
    pub(crate) retry_after: Option<Duration>,
}

impl Attempts {
    pub(super) fn refuse(&mut self, now: Instant) -> Refused {
        let debt = self.forgotten_at.map_or(Duration::ZERO, |at| at.saturating_duration_since(now));
        let allowed = INTERVAL * BURST;
        if debt + INTERVAL > allowed {
            return Refused { retry_after: Some(debt + INTERVAL - allowed) };
        }
        self.forgotten_at = Some(now + debt + INTERVAL);
        Refused::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten thousand in a minute: as many are heard as if there had been far fewer.
    #[test]
    fn s_11_how_many_are_heard_does_not_grow_with_how_many_are_tried() {
        #[expect(clippy::disallowed_methods, reason = "any point in time will do")]
        let start = Instant::from_std(std::time::Instant::now());
        for tries in [100_u32, 10_000] {
            let mut attempts = Attempts::default();
            let minute = Duration::from_secs(60);
            let heard = (0..tries)
                .filter(|n| attempts.refuse(start + minute * *n / tries).retry_after.is_none());
            let heard = u32::try_from(heard.count()).unwrap();
            assert!((BURST..=BURST + 30).contains(&heard), "{heard} of {tries}");
        }
    }

    #[test]
    fn after_a_burst_one_more_is_heard_every_interval() {
        #[expect(clippy::disallowed_methods, reason = "any point in time will do")]
        let start = Instant::from_std(std::time::Instant::now());
        let mut attempts = Attempts::default();
        for _ in 0..BURST {
            assert_eq!(attempts.refuse(start), Refused::default());
        }
        assert_eq!(attempts.refuse(start), Refused { retry_after: Some(INTERVAL) });
        assert_eq!(
            attempts.refuse(start),
            Refused { retry_after: Some(INTERVAL) },
            "no debt grows"
        );
        assert_eq!(attempts.refuse(start + INTERVAL), Refused::default());
        assert!(attempts.refuse(start + INTERVAL).retry_after.is_some());
        assert_eq!(attempts.refuse(start + INTERVAL * 100), Refused::default(), "all is forgotten");
    }
}
