//! What came of a command: how many passed, and what is to be said of each that did not.

use std::ops::AddAssign;

use crate::command::Finished;
use crate::count::Count;

/// As much as is needed to see what happened; the whole stands further up.
const LINES_OF_A_FAILURE: usize = 40;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) count: Count,
    pub(crate) failures: Vec<Failure>,
}

/// A check or test that failed, and what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) name: String,
    pub(crate) words: String,
}

impl Outcome {
    pub(crate) fn failed(name: &str, words: String) -> Self {
        let failure = Failure { name: name.to_owned(), words };
        Self { count: Count::ONE_FAILED, failures: vec![failure] }
    }

    /// Makes the failure of a runner count, and be told, that blames no single test: a compile error for example, or an error
    /// after all tests have ended.
    pub(crate) fn of_runner(mut self, finished: &Finished) -> Self {
        if self.count.all_passed() && !finished.success {
            self += Self::failed("a runner that blames no test", last_words(finished));
        }
        self
    }

    /// Tells of each failure in which part of a run it was.
    pub(crate) fn within(mut self, part: &str) -> Self {
        for failure in &mut self.failures {
            failure.name = format!("{part}: {}", failure.name);
        }
        self
    }

    /// The failures again, one below the other: whoever has only the end of a long run still sees them.
    pub(crate) fn failures_told(&self) -> String {
        self.failures.iter().map(|failure| format!("{}\n", failure.told())).collect()
    }
}

/// Runners tell what went wrong at their end.
fn last_words(finished: &Finished) -> String {
    let said: Vec<&str> = finished.stdout.lines().chain(finished.stderr.lines()).collect();
    let from = said.len().saturating_sub(LINES_OF_A_FAILURE);
    said.get(from..).unwrap_or_default().join("\n")
}

impl From<Count> for Outcome {
    fn from(count: Count) -> Self {
        Self { count, failures: Vec::new() }
    }
}

impl AddAssign for Outcome {
    fn add_assign(&mut self, other: Self) {
        self.count += other.count;
        self.failures.extend(other.failures);
    }
}

impl Failure {
    /// Its name, and the beginning of what it said indented below.
    pub(crate) fn told(&self) -> String {
        let mut told = format!("FAIL {}", self.name);
        let mut lines = self.words.trim().lines();
        for line in lines.by_ref().take(LINES_OF_A_FAILURE) {
            told.push_str(&format!("\n     {line}"));
        }
        let left = lines.count();
        if left > 0 {
            told.push_str(&format!("\n     … and {left} lines more"));
        }
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_told_one_below_the_other() {
        let mut outcome = Outcome::from(Count::ONE_PASSED);
        outcome += Outcome::failed("format", "first\nsecond\n".into());
        outcome += Outcome::failed("web types", String::new()).within("lint");
        assert_eq!(outcome.count, Count { passed: 1, failed: 2 });
        let told = "FAIL format\n     first\n     second\nFAIL lint: web types\n";
        assert_eq!(outcome.failures_told(), told);
    }

    #[test]
    fn a_runner_that_fails_is_told_if_no_test_of_it_is() {
        let ended = |success| Finished {
            success,
            stdout: "many lines\n".repeat(LINES_OF_A_FAILURE) + "1 error\n",
            stderr: "no such function\n".into(),
        };
        let passed = Outcome::from(Count::ONE_PASSED);
        assert_eq!(passed.clone().of_runner(&ended(true)), passed);
        let failed = passed.of_runner(&ended(false));
        assert_eq!(failed.count, Count { passed: 1, failed: 1 });
        let told = failed.failures_told();
        assert!(told.starts_with("FAIL a runner that blames no test\n"));
        assert!(told.ends_with("\n     1 error\n     no such function\n"), "its last words");
        assert_eq!(failed.clone().of_runner(&ended(false)), failed, "not twice");
    }

    #[test]
    fn of_a_long_failure_the_beginning_is_told() {
        let words = "line\n".repeat(LINES_OF_A_FAILURE + 2);
        let told = Failure { name: "long".into(), words }.told();
        assert_eq!(told.lines().count(), LINES_OF_A_FAILURE + 2);
        assert!(told.ends_with("\n     … and 2 lines more"));
    }
}
