//! The acceptance list and the tests tell the same story: a case is done exactly if a test carries its id.

mod case_id;
mod document;
mod named_tests;

use std::collections::BTreeMap;

use self::case_id::CaseId;
use self::document::{Listing, State};
use self::named_tests::{NamedTest, named_tests};
use super::repository::Repository;

const DOCUMENT: &str = "docs/acceptance.md";

pub(super) fn problems(repository: &Repository) -> Vec<String> {
    let Some(document) = repository.text(DOCUMENT) else {
        return vec![format!("{DOCUMENT} is missing")];
    };
    let Listing { states, problems } = document::read(document);
    let tests = named_tests(repository);
    let mut found: Vec<String> =
        problems.into_iter().map(|problem| format!("{DOCUMENT}: {problem}")).collect();
    found.extend(done_without_test(&states, &tests));
    found.extend(tests.iter().filter_map(|test| test_without_done(&states, test)));
    found
}

fn done_without_test(states: &BTreeMap<CaseId, State>, tests: &[NamedTest]) -> Vec<String> {
    let done = states.iter().filter(|(_, state)| **state == State::Done).map(|(case, _)| case);
    let unproved = done.filter(|case| !tests.iter().any(|test| test.case == **case));
    unproved
        .map(|case| format!("{DOCUMENT}: {case} is done, but no test is named after it"))
        .collect()
}

fn test_without_done(states: &BTreeMap<CaseId, State>, test: &NamedTest) -> Option<String> {
    let NamedTest { case, path } = test;
    match states.get(case) {
        Some(State::Done) => None,
        Some(State::Open) => Some(format!("{path}: tests {case}, which {DOCUMENT} calls open")),
        None => Some(format!("{path}: tests {case}, which {DOCUMENT} does not list")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUST: (&str, &str) = ("crates/a/src/a.rs", "#[test]\nfn tc_1_1a_works() {}");
    const WEB: (&str, &str) = ("web/a.spec.ts", "test(\"TC-2.1b shows it\", () => {})");

    fn check(document: &str, tests: &[(&str, &str)]) -> Vec<String> {
        problems(&Repository::of_files(&[&[(DOCUMENT, document)], tests].concat()))
    }

    #[test]
    fn done_with_test_and_open_without_are_fine() {
        let document = "| TC-1.1a | done | x |\n| TC-2.1b | done | y |\n| TC-3.1a | open | z |";
        assert_eq!(check(document, &[RUST, WEB]), Vec::<String>::new());
    }

    #[test]
    fn done_without_test_is_named() {
        assert_eq!(
            check("| TC-1.1a | done | x |", &[]),
            ["docs/acceptance.md: TC-1.1a is done, but no test is named after it"]
        );
    }

    #[test]
    fn tests_of_open_or_unknown_cases_are_named() {
        assert_eq!(
            check("| TC-1.1a | open | x |", &[RUST, WEB]),
            [
                "crates/a/src/a.rs: tests TC-1.1a, which docs/acceptance.md calls open",
                "web/a.spec.ts: tests TC-2.1b, which docs/acceptance.md does not list"
            ]
        );
    }

    #[test]
    fn a_missing_document_is_named() {
        assert_eq!(problems(&Repository::default()), ["docs/acceptance.md is missing"]);
    }
}
