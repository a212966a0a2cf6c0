//! Reads the rows `| TC-1.1a | done | … |` of the acceptance list.

use std::collections::BTreeMap;

use super::case_id::CaseId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Done,
    Open,
}

#[derive(Default)]
pub(super) struct Listing {
    pub(super) states: BTreeMap<CaseId, State>,
    pub(super) problems: Vec<String>,
}

pub(super) fn read(document: &str) -> Listing {
    let mut listing = Listing::default();
    for row in document.lines().filter_map(|line| line.trim().strip_prefix('|')) {
        let mut cells = row.split('|').map(str::trim);
        let (Some(case), Some(state)) = (cells.next(), cells.next()) else { continue };
        if case.starts_with("TC-") {
            listing.add(case, state);
        }
    }
    if listing.states.is_empty() {
        listing.problems.push("no case is listed".to_owned());
    }
    listing
}

impl Listing {
    fn add(&mut self, case: &str, state: &str) {
        match (CaseId::from_cell(case), State::from_cell(state)) {
            (Some(id), Some(state)) => {
                if self.states.insert(id, state).is_some() {
                    self.problems.push(format!("{case} is listed twice"));
                }
            }
            (None, _) => self.problems.push(format!("{case} is no id")),
            (Some(_), None) => {
                self.problems.push(format!("{case} has the unknown state {state:?}"));
            }
        }
    }
}

impl State {
    fn from_cell(cell: &str) -> Option<Self> {
        match cell {
            "done" => Some(Self::Done),
            "open" => Some(Self::Open),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_read_and_other_lines_passed_over() {
        let listing = read(
            "# List\n\n| TC | state | must hold |\n|---|---|---|\n| TC-1.1a | done | a \\| b |\n|TC-1.1b|open|c|",
        );
        assert!(listing.problems.is_empty());
        let states: Vec<_> = listing.states.values().copied().collect();
        assert_eq!(states, [State::Done, State::Open]);
    }

    #[track_caller]
    fn check_problem(document: &str, problem: &str) {
        assert_eq!(read(document).problems, [problem]);
    }

    #[test]
    fn rows_that_cannot_be_trusted_are_named() {
        let good = "| TC-1.1a | done | x |\n";
        check_problem(&good.repeat(2), "TC-1.1a is listed twice");
        check_problem(&format!("{good}| TC-1.b | done | x |"), "TC-1.b is no id");
        check_problem(
            &format!("{good}| TC-1.1b | half | x |"),
            "TC-1.1b has the unknown state \"half\"",
        );
        check_problem("nothing", "no case is listed");
    }
}
