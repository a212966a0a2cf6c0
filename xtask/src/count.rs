//! How many checks or tests passed and failed.

use std::fmt;
use std::ops::{Add, AddAssign};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
}

impl Count {
    pub(crate) const NONE: Self = Self { passed: 0, failed: 0 };
    pub(crate) const ONE_PASSED: Self = Self { passed: 1, failed: 0 };
    pub(crate) const ONE_FAILED: Self = Self { passed: 0, failed: 1 };

    pub(crate) fn all_passed(self) -> bool {
        self.failed == 0
    }
}

impl Add for Count {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { passed: self.passed + other.passed, failed: self.failed + other.failed }
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl fmt::Display for Count {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_of_a_run_reads_so() {
        assert_eq!(Count { passed: 12, failed: 0 }.to_string(), "12 passed, 0 failed");
    }
}
