//! Finds the tests that carry the id of an acceptance case in their name.

use super::super::repository::{Repository, TextFile};
use super::case_id::CaseId;

#[derive(Debug)]
pub(super) struct NamedTest {
    pub(super) case: CaseId,
    pub(super) path: String,
}

/// How many lines above a function its test attribute may stand.
const ATTRIBUTE_DISTANCE: usize = 6;
const WEB_TEST_ENDINGS: [&str; 4] = [".spec.ts", ".spec.tsx", ".test.ts", ".test.tsx"];

/// Looks everywhere but in xtask, whose own tests are full of examples and prove nothing of the product.
pub(super) fn named_tests(repository: &Repository) -> Vec<NamedTest> {
    let product = repository.texts.iter().filter(|file| !file.path.starts_with("xtask/"));
    product.flat_map(tests_of).collect()
}

fn tests_of(file: &TextFile) -> Vec<NamedTest> {
    let cases = if file.path.ends_with(".rs") {
        rust_cases(&file.text)
    } else if WEB_TEST_ENDINGS.iter().any(|ending| file.path.ends_with(ending)) {
        web_cases(&file.text)
    } else {
        Vec::new()
    };
    cases.into_iter().map(|case| NamedTest { case, path: file.path.clone() }).collect()
}

fn rust_cases(text: &str) -> Vec<CaseId> {
    let lines: Vec<&str> = text.lines().map(str::trim).collect();
    let functions =
        lines.iter().enumerate().filter_map(|(index, line)| Some((index, function_name(line)?)));
    functions
        .filter(|(index, _)| is_test(lines.get(..*index).unwrap_or_default()))
        .filter_map(|(_, name)| CaseId::from_function(name))
        .collect()
}

/// Gives the rest of the line from the name on.
fn function_name(line: &str) -> Option<&str> {
    let (before, name) = line.split_once("fn ")?;
    let only_qualifiers =
        before.split_whitespace().all(|word| matches!(word, "pub" | "pub(crate)" | "async"));
    only_qualifiers.then_some(name)
}

/// Looks upwards for a test attribute, but not past the end of the item before.
fn is_test(lines_above: &[&str]) -> bool {
    let nearest = lines_above.iter().rev().take(ATTRIBUTE_DISTANCE);
    nearest.take_while(|line| !line.ends_with('}')).any(|line| is_test_attribute(line))
}

/// Accepts `#[test]`, `#[tokio::test]` and `#[tokio::test(start_paused = true)]`.
fn is_test_attribute(line: &str) -> bool {
    let path = line.strip_prefix("#[").and_then(|rest| rest.split(['(', ']']).next());
    path.is_some_and(|path| path.ends_with("test"))
}

fn web_cases(text: &str) -> Vec<CaseId> {
    ["test(", "it("].iter().flat_map(|opening| web_cases_after(text, opening)).collect()
}

fn web_cases_after(text: &str, opening: &str) -> Vec<CaseId> {
    let calls = text.match_indices(opening).filter(|(start, _)| {
        // `submit(` is no `it(`, and `pattern.test(` no `test(`.
        let before = text.get(..*start).unwrap_or_default();
        !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '.'))
    });
    calls
        .filter_map(|(start, _)| text.get(start + opening.len()..))
        .filter_map(|arguments| arguments.trim_start().strip_prefix(['"', '\'', '`']))
        .filter_map(CaseId::from_title)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        let found = named_tests(&Repository::of_files(&[(path, text)]));
        let cases: Vec<String> = found.iter().map(|test| test.case.to_string()).collect();
        assert_eq!(cases, expected);
    }

    #[test]
    fn rust_tests_are_found_under_every_attribute() {
        check("a.rs", "#[test]\nfn tc_1_1a() {}", &["TC-1.1a"]);
        check("a.rs", "#[tokio::test]\nasync fn tc_1_1a_x() {}", &["TC-1.1a"]);
        check(
            "a.rs",
            "#[tokio::test(\n  start_paused = true\n)]\nasync fn tc_1_1a_x() {",
            &["TC-1.1a"],
        );
        check("a.rs", "#[test]\n/// Why.\n#[expect(x)]\nfn tc_1_1a_x() {}", &["TC-1.1a"]);
        check("a.rs", "proptest! {\n    #[test]\n    fn tc_5_2b_x(n in 0..9) {\n", &["TC-5.2b"]);
    }

    #[test]
    fn functions_that_are_no_tests_are_passed_over() {
        check("a.rs", "fn tc_1_1a_helper() {}", &[]);
        check("a.rs", "#[test]\nfn other() {}\n\nfn tc_1_1a_helper() {}", &[]);
        check("a.rs", "#[test]\nfn other() { call(\"fn tc_1_1a\"); }", &[]);
        check("xtask/src/a.rs", "#[test]\nfn tc_1_1a() {}", &[]);
    }

    #[test]
    fn web_tests_are_found() {
        check("a.spec.ts", "test(\"TC-1.1a works\", async () => {})", &["TC-1.1a"]);
        check("a.test.tsx", "  it(\n    'TC-1.1b: works', () => {})", &["TC-1.1b"]);
    }

    #[test]
    fn other_web_code_is_passed_over() {
        check("a.ts", "test(\"TC-1.1a works\", () => {})", &[]);
        check("a.spec.ts", "submit(\"TC-1.1a\"); r.test(\"TC-1.1a\"); test(\"works\")", &[]);
    }
}
