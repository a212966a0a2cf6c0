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

    /// Makes the failure of a runner count that blames no single test, a compile error for example.
    pub(crate) fn of_runner_that(self, succeeded: bool) -> Self {
        if self.all_passed() && !succeeded { self + Self::ONE_FAILED } else { self }
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
    fn a_failing_runner_never_counts_as_passed() {
        let two_passed = Count { passed: 2, failed: 0 };
        assert_eq!(two_passed.of_runner_that(false), Count { passed: 2, failed: 1 });
        assert_eq!(two_passed.of_runner_that(true), two_passed);
    }

    #[test]
    fn a_failed_test_is_not_counted_twice() {
        assert_eq!(Count::ONE_FAILED.of_runner_that(false), Count::ONE_FAILED);
    }

    #[test]
    fn the_last_line_of_a_run_reads_so() {
        assert_eq!(Count { passed: 12, failed: 0 }.to_string(), "12 passed, 0 failed");
    }
}
