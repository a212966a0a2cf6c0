//! Reads from the output of test runners how many tests passed and failed.

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::count::Count;

/// Reads nextest's `Summary [ 0.1s] 3 tests run: 2 passed (1 slow), 1 timed out, 0 skipped`.
///
/// What ran and did not pass has failed, whichever of its many words nextest has for it.
pub(crate) fn nextest(stderr: &str) -> Option<Count> {
    let summary = stderr.lines().rev().find(|line| line.trim_start().starts_with("Summary ["))?;
    let (_, counts) = summary.split_once(']')?;
    let (run, results) = counts.split_once(" run: ")?;
    let ran = leading_number(run)?;
    let passed = number_before(results, "passed").unwrap_or(0);
    Some(Count { passed, failed: ran.saturating_sub(passed) })
}

/// Sums cargo's `test result: ok. 3 passed; 0 failed; …`, one per test binary.
pub(crate) fn cargo_test(stdout: &str) -> Count {
    let mut sum = Count::NONE;
    for result in stdout.lines().filter_map(|line| line.trim().strip_prefix("test result: ")) {
        sum += Count {
            passed: number_before(result, "passed").unwrap_or(0),
            failed: number_before(result, "failed").unwrap_or(0),
        };
    }
    sum
}

pub(crate) fn vitest(json: &str) -> Result<Count> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Results {
        num_passed_tests: u64,
        num_failed_tests: u64,
    }
    let results: Results = serde_json::from_str(json).context("cannot read vitest's results")?;
    Ok(Count { passed: results.num_passed_tests, failed: results.num_failed_tests })
}

/// A flaky test has failed: it passed only because it was tried again.
pub(crate) fn playwright(json: &str) -> Result<Count> {
    #[derive(Deserialize)]
    struct Results {
        stats: Stats,
    }
    #[derive(Deserialize)]
    struct Stats {
        expected: u64,
        unexpected: u64,
        flaky: u64,
    }
    let results: Results =
        serde_json::from_str(json).context("cannot read Playwright's results")?;
    let Stats { expected, unexpected, flaky } = results.stats;
    Ok(Count { passed: expected, failed: unexpected + flaky })
}

fn number_before(text: &str, word: &str) -> Option<u64> {
    let (before, _) = text.split_once(&format!(" {word}"))?;
    before.rsplit(' ').next()?.parse().ok()
}

/// Reads the 3 of `3 tests`, and of `3/10 tests` when a run was stopped.
fn leading_number(text: &str) -> Option<u64> {
    let digits = text.trim_start().split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_nextest(summary: &str, passed: u64, failed: u64) {
        let stderr = format!("    Finished\n────────────\n{summary}\n   FAIL [ 0.1s] some test\n");
        assert_eq!(nextest(&stderr), Some(Count { passed, failed }));
    }

    #[test]
    fn nextest_summaries_are_read() {
        check_nextest("     Summary [   0.012s] 3 tests run: 3 passed, 0 skipped", 3, 0);
        check_nextest("     Summary [   0.012s] 1 test run: 0 passed, 1 failed, 2 skipped", 0, 1);
        check_nextest(
            "     Summary [   1.2s] 9 tests run: 6 passed (1 slow, 2 leaky), 1 failed, 1 exec failed, 1 timed out, 0 skipped",
            6,
            3,
        );
        check_nextest("     Summary [   1.2s] 3/10 tests run: 2 passed, 1 failed", 2, 1);
    }

    #[test]
    fn a_compile_error_has_no_summary() {
        assert_eq!(nextest("error[E0425]: cannot find value `x`\n"), None);
    }

    #[test]
    fn the_results_of_all_test_binaries_are_summed() {
        let stdout = "\
running 3 tests
test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s

test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";
        assert_eq!(cargo_test(stdout), Count { passed: 4, failed: 2 });
        assert_eq!(cargo_test(""), Count::NONE);
    }

    #[test]
    fn the_results_of_the_web_runners_are_read() {
        let json = r#"{"numTotalTests": 6, "numPassedTests": 5, "numFailedTests": 1}"#;
        assert_eq!(vitest(json).unwrap(), Count { passed: 5, failed: 1 });
        let json = r#"{"stats": {"expected": 4, "unexpected": 1, "flaky": 2, "skipped": 0}}"#;
        assert_eq!(playwright(json).unwrap(), Count { passed: 4, failed: 3 });
        assert!(vitest("{}").is_err());
        assert!(playwright("{}").is_err());
    }
}
