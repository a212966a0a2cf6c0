//! The security page and the tests tell the same story: a line is proved by tests exactly if tests are named after it.

use std::collections::BTreeSet;

use super::repository::Repository;

const DOCUMENT: &str = "docs/SECURITY.md";

pub(super) fn problems(repository: &Repository) -> Vec<String> {
    let Some(document) = repository.text(DOCUMENT) else {
        return vec![format!("{DOCUMENT} is missing")];
    };
    let told: BTreeSet<String> = document.split('`').filter_map(line_of).collect();
    let product =
        repository.with_extension(&["rs"]).filter(|file| !file.path.starts_with("xtask/"));
    let tested = product.flat_map(|file| file.text.split("fn ").filter_map(line_of));
    let browsers = repository.with_extension(&["ts"]);
    let in_browsers =
        browsers.flat_map(|file| file.text.split("test(\"").filter_map(line_of_browser_test));
    let tested: BTreeSet<String> = tested.chain(in_browsers).collect();
    let untested = told.difference(&tested);
    let untold = tested.difference(&told);
    untested
        .map(|line| format!("{DOCUMENT}: no test is named {line}"))
        .chain(untold.map(|line| format!("{DOCUMENT} does not tell of the tests named {line}")))
        .collect()
}

/// Reads the `s_07_` at the beginning of a name.
fn line_of(name: &str) -> Option<String> {
    let digits = name.strip_prefix("s_")?.get(..3)?;
    let (number, end) = digits.split_at_checked(2)?;
    let counts = end == "_" && number.bytes().all(|byte| byte.is_ascii_digit());
    counts.then(|| format!("s_{number}_"))
}

/// Reads the `S-07 ` at the beginning of a name.
fn line_of_browser_test(name: &str) -> Option<String> {
    let (number, _) = name.strip_prefix("S-")?.split_once(' ')?;
    line_of(&format!("s_{number}_"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(document: &str, test: &str) -> Vec<String> {
        problems(&Repository::of_files(&[(DOCUMENT, document), ("crates/a/tests/a.rs", test)]))
    }

    #[test]
    fn a_line_with_its_test_is_fine() {
        assert!(check("| S-07 | x | `s_07_` |", "async fn s_07_names() {}").is_empty());
    }

    #[test]
    fn a_test_in_a_browser_is_one_too() {
        let files = [(DOCUMENT, "`s_16_`"), ("web/e2e/a.spec.ts", "test(\"S-16 text\", () => {})")];
        assert!(problems(&Repository::of_files(&files)).is_empty());
    }

    #[test]
    fn a_line_without_a_test_and_a_test_without_a_line_are_named() {
        assert_eq!(
            check("`s_07_`", "fn s_08_origins() {}"),
            [
                "docs/SECURITY.md: no test is named s_07_",
                "docs/SECURITY.md does not tell of the tests named s_08_"
            ]
        );
    }

    #[test]
    fn a_missing_document_is_named() {
        assert_eq!(problems(&Repository::default()), ["docs/SECURITY.md is missing"]);
    }
}
