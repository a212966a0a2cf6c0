//! Reads from the output of test runners how many tests passed and failed, and what those that failed said.

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::count::Count;
use crate::outcome::{Failure, Outcome};

/// Reads nextest's `Summary [ 0.1s] 3 tests run: 2 passed (1 slow), 1 timed out, 0 skipped`.
///
/// What ran and did not pass has failed, whichever of its many words nextest has for it.
pub(crate) fn nextest(stderr: &str) -> Option<Outcome> {
    let lines: Vec<&str> = stderr.lines().collect();
    let at = lines.iter().rposition(|line| line.trim_start().starts_with("Summary ["))?;
    let (before, after) = lines.split_at(at);
    let (_, counts) = after.first()?.split_once(']')?;
    let (run, results) = counts.split_once(" run: ")?;
    let ran = leading_number(run)?;
    let passed = number_before(results, "passed").unwrap_or(0);
    let failures = after
        .iter()
        .skip(1)
        .filter_map(|line| test_named_in(line))
        .map(|name| Failure { name: name.to_owned(), words: said_by_test(before, name) });
    let count = Count { passed, failed: ran.saturating_sub(passed) };
    Some(Outcome { count, failures: failures.collect() })
}

/// Reads the name of `FAIL [ 0.1s] (3/9) liminal::safety files::s_17`, which stands behind some state and time.
fn test_named_in(line: &str) -> Option<&str> {
    let (state, rest) = line.trim_start().split_once(" [")?;
    let is_state = state.chars().all(|c| c.is_ascii_uppercase() || matches!(c, ' ' | '-'));
    let (_, test) = rest.split_once("] ")?;
    let name = test.rsplit_once(") ").map_or(test, |(_, name)| name).trim();
    (is_state && !state.is_empty()).then_some(name)
}

/// What stands between the line that a test failed and the next test's, from its standard error on if it has one.
fn said_by_test(lines: &[&str], name: &str) -> String {
    let failed = |line: &&str| {
        test_named_in(line) == Some(name) && !["PASS", "SLOW"].contains(&first_word(line))
    };
    let Some(at) = lines.iter().position(failed) else { return String::new() };
    let said: Vec<&str> = lines
        .iter()
        .skip(at + 1)
        .take_while(|line| test_named_in(line).is_none())
        .copied()
        .collect();
    let from = said.iter().position(|line| first_word(line) == "stderr").unwrap_or(0);
    said.get(from..).unwrap_or_default().join("\n")
}

fn first_word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

/// Sums cargo's `test result: ok. 3 passed; 0 failed; …`, one per test binary.
pub(crate) fn cargo_test(stdout: &str) -> Outcome {
    let mut sum = Outcome::default();
    for line in stdout.lines().map(str::trim) {
        if let Some(result) = line.strip_prefix("test result: ") {
            sum.count += Count {
                passed: number_before(result, "passed").unwrap_or(0),
                failed: number_before(result, "failed").unwrap_or(0),
            };
        }
        if let Some(name) = line.strip_prefix("test ").and_then(|t| t.strip_suffix(" ... FAILED")) {
            sum.failures.push(Failure { name: name.to_owned(), words: String::new() });
        }
    }
    sum
}

pub(crate) fn vitest(json: &str) -> Result<Outcome> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Results {
        num_passed_tests: u64,
        num_failed_tests: u64,
        #[serde(default)]
        test_results: Vec<TestFile>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct TestFile {
        assertion_results: Vec<Test>,
    }
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Test {
        status: String,
        full_name: String,
        #[serde(default)]
        failure_messages: Vec<String>,
    }
    let results: Results = serde_json::from_str(json).context("cannot read vitest's results")?;
    let tests = results.test_results.into_iter().flat_map(|file| file.assertion_results);
    let failures = tests
        .filter(|test| test.status == "failed")
        .map(|test| Failure { name: test.full_name, words: test.failure_messages.join("\n") });
    let count = Count { passed: results.num_passed_tests, failed: results.num_failed_tests };
    Ok(Outcome { count, failures: failures.collect() })
}

/// A flaky test has failed: it passed only because it was tried again.
pub(crate) fn playwright(json: &str) -> Result<Outcome> {
    #[derive(Deserialize)]
    struct Results {
        stats: Stats,
        #[serde(default)]
        suites: Vec<PlaywrightSuite>,
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
    let count = Count { passed: expected, failed: unexpected + flaky };
    let failures = results.suites.into_iter().flat_map(PlaywrightSuite::failures).collect();
    Ok(Outcome { count, failures })
}

#[derive(Deserialize)]
struct PlaywrightSuite {
    title: String,
    #[serde(default)]
    suites: Vec<Self>,
    #[serde(default)]
    specs: Vec<PlaywrightSpec>,
}

#[derive(Deserialize)]
struct PlaywrightSpec {
    title: String,
    tests: Vec<PlaywrightTest>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PlaywrightTest {
    project_name: String,
    status: String,
    #[serde(default)]
    results: Vec<PlaywrightResult>,
}

#[derive(Deserialize)]
struct PlaywrightResult {
    #[serde(default)]
    errors: Vec<PlaywrightError>,
}

#[derive(Deserialize)]
struct PlaywrightError {
    #[serde(default)]
    message: String,
}

impl PlaywrightSuite {
    fn failures(self) -> Vec<Failure> {
        let mut failures = Vec::new();
        for spec in self.specs {
            for test in spec.tests {
                if matches!(test.status.as_str(), "unexpected" | "flaky") {
                    let name = format!("[{}] {}: {}", test.project_name, self.title, spec.title);
                    failures.push(Failure { name, words: test.words() });
                }
            }
        }
        failures.extend(self.suites.into_iter().flat_map(Self::failures));
        failures
    }
}

impl PlaywrightTest {
    fn words(self) -> String {
        let errors = self.results.into_iter().flat_map(|result| result.errors);
        errors.map(|error| error.message).collect::<Vec<_>>().join("\n")
    }
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
        let outcome = nextest(&stderr).unwrap();
        assert_eq!(outcome.count, Count { passed, failed });
        assert_eq!(outcome.failures_told(), "FAIL some test\n");
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
    fn what_a_failed_test_said_is_kept_with_its_name() {
        let stderr = "\
        PASS [   0.1s] (1/3) store::journal a::b
        SLOW [> 20.0s] (─────────) store::journal c::d
        FAIL [   0.2s] (2/3) store::journal c::d
  stdout ───
    running 1 test
  stderr ───
    thread 'c::d' panicked at a.rs:1:2:
    it broke
        PASS [   0.1s] (3/3) store::journal e
────────────
     Summary [   1.2s] 3 tests run: 2 passed, 1 failed, 0 skipped
        FAIL [   0.2s] (2/3) store::journal c::d
error: test run failed
";
        let words = "  stderr ───\n    thread 'c::d' panicked at a.rs:1:2:\n    it broke";
        let expected = Failure { name: "store::journal c::d".into(), words: words.into() };
        assert_eq!(nextest(stderr).unwrap().failures, [expected]);
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

test a::b ... FAILED
test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
";
        let outcome = cargo_test(stdout);
        assert_eq!(outcome.count, Count { passed: 4, failed: 2 });
        assert_eq!(outcome.failures_told(), "FAIL a::b\n");
        assert_eq!(cargo_test(""), Outcome::default());
    }

    #[test]
    fn the_results_of_the_web_runners_are_read() {
        let json = r#"{"numTotalTests": 6, "numPassedTests": 5, "numFailedTests": 1, "testResults": [{"assertionResults": [
            {"status": "passed", "fullName": "a", "failureMessages": []},
            {"status": "failed", "fullName": "b c", "failureMessages": ["no"]}]}]}"#;
        let outcome = vitest(json).unwrap();
        assert_eq!(outcome.count, Count { passed: 5, failed: 1 });
        assert_eq!(outcome.failures_told(), "FAIL b c\n     no\n");
        let json = r#"{"stats": {"expected": 4, "unexpected": 1, "flaky": 2, "skipped": 0}, "suites": [{"title": "a.spec.ts",
            "specs": [{"title": "b", "tests": [{"projectName": "phone", "status": "expected"}]}],
            "suites": [{"title": "c", "specs": [{"title": "d", "tests": [
                {"projectName": "phone", "status": "unexpected", "results": [{"errors": [{"message": "no"}]}]}]}]}]}]}"#;
        let outcome = playwright(json).unwrap();
        assert_eq!(outcome.count, Count { passed: 4, failed: 3 });
        assert_eq!(outcome.failures_told(), "FAIL [phone] c: d\n     no\n");
        assert!(vitest("{}").is_err());
        assert!(playwright("{}").is_err());
    }
}
