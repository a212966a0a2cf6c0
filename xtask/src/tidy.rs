//! Rules of this repository that no other tool knows.

mod acceptance;
mod code_map;
mod decision_records;
mod direction;
mod file_length;
mod licence_expression;
mod licences;
mod links;
mod markdown;
mod marker_words;
mod purity;
mod repository;
mod safety;
mod skipped_tests;

use anyhow::{Result, anyhow};

use crate::outcome::Outcome;
use crate::report::Report;
use crate::tidy::repository::Repository;
use crate::workspace::Workspace;

/// A rule: looks at the gathered repository and names every breach of it.
struct Check {
    name: &'static str,
    problems: fn(&Repository) -> Vec<String>,
}

const CHECKS: &[Check] = &[
    Check { name: "dependency direction", problems: direction::problems },
    Check { name: "crates in the architecture document", problems: code_map::problems },
    Check { name: "pure crates", problems: purity::problems },
    Check { name: "file length", problems: file_length::problems },
    Check { name: "marker words", problems: marker_words::problems },
    Check { name: "skipped tests", problems: skipped_tests::problems },
    Check { name: "decision records", problems: decision_records::problems },
    Check { name: "links", problems: links::problems },
    Check { name: "acceptance list", problems: acceptance::problems },
    Check { name: "security page", problems: safety::problems },
    Check { name: "licences and sources", problems: licences::problems },
];

/// Runs only these checks.
pub(crate) fn run(workspace: &Workspace) -> Outcome {
    let mut report = Report::default();
    record(workspace, &mut report);
    report.outcome()
}

/// Adds the verdict of each check to `report`.
pub(crate) fn record(workspace: &Workspace, report: &mut Report) {
    match Repository::gather(workspace) {
        Ok(repository) => {
            for check in CHECKS {
                let verdict = verdict_on(&(check.problems)(&repository));
                report.record(&format!("tidy: {}", check.name), &verdict);
            }
        }
        Err(error) => report.record("tidy", &Err(error)),
    }
}

fn verdict_on(problems: &[String]) -> Result<()> {
    if problems.is_empty() { Ok(()) } else { Err(anyhow!(problems.join("\n"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_repository_is_tidy() {
        let repository = Repository::gather(&Workspace::find().unwrap()).unwrap();
        let problems: Vec<String> =
            CHECKS.iter().flat_map(|check| (check.problems)(&repository)).collect();
        assert!(problems.is_empty(), "{}", problems.join("\n"));
    }
}
