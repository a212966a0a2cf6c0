//! How much is kept at the most. Whoever asks for more is refused; what is there stays.

use crate::error::ServiceError;

/// What the journal takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Caps {
    /// Sessions, put away or not.
    pub sessions: usize,
    /// Bytes that the items of one session hold. A turn that runs is not cut off by it.
    pub session_bytes: u64,
}

/// Far beyond what people do: a program that runs wild is stopped by it.
impl Default for Caps {
    fn default() -> Self {
        Self { sessions: 100_000, session_bytes: 4 << 30 }
    }
}

impl Caps {
    /// Whether there may be one more.
    pub(crate) fn check_sessions(self, count: usize) -> Result<(), ServiceError> {
        (count < self.sessions).then_some(()).ok_or(ServiceError::TooManySessions(self.sessions))
    }

    /// Whether a session that holds so much may be added to.
    pub(crate) fn check_bytes(self, bytes: u64) -> Result<(), ServiceError> {
        (bytes < self.session_bytes)
            .then_some(())
            .ok_or(ServiceError::SessionFull(self.session_bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn s_35_the_last_one_is_taken_and_one_more_is_not() {
        let caps = Caps { sessions: 3, session_bytes: 10 };
        assert!(caps.check_sessions(2).is_ok() && caps.check_sessions(3).is_err());
        assert!(caps.check_bytes(9).is_ok() && caps.check_bytes(10).is_err());
    }
}
