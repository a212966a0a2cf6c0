//! The id of an acceptance case, `TC-1.1a`, and its spelling in the names of tests.

use std::fmt;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct CaseId(String);

impl CaseId {
    /// Reads exactly `TC-1.1a`.
    pub(super) fn from_cell(cell: &str) -> Option<Self> {
        let (case, rest) = read(cell.strip_prefix("TC-")?, '.')?;
        rest.is_empty().then_some(case)
    }

    /// Reads the start of the title `TC-1.1a does something`.
    pub(super) fn from_title(title: &str) -> Option<Self> {
        let (case, rest) = read(title.strip_prefix("TC-")?, '.')?;
        (!rest.starts_with(char::is_alphanumeric)).then_some(case)
    }

    /// Reads the start of the function name `tc_1_1a_does_something`.
    pub(super) fn from_function(name: &str) -> Option<Self> {
        let (case, rest) = read(name.strip_prefix("tc_")?, '_')?;
        (!rest.starts_with(char::is_alphanumeric)).then_some(case)
    }
}

/// Reads two numbers and a letter; gives back what follows.
fn read(text: &str, separator: char) -> Option<(CaseId, &str)> {
    let (area, text) = leading(text, |c| c.is_ascii_digit())?;
    let (criterion, text) = leading(text.strip_prefix(separator)?, |c| c.is_ascii_digit())?;
    let (letter, text) = leading(text, |c| c.is_ascii_lowercase())?;
    Some((CaseId(format!("TC-{area}.{criterion}{letter}")), text))
}

/// Splits off the characters that belong, of which there has to be one.
fn leading(text: &str, belongs: fn(char) -> bool) -> Option<(&str, &str)> {
    let end = text.find(|c| !belongs(c)).unwrap_or(text.len());
    let (start, rest) = text.split_at(end);
    (!start.is_empty()).then_some((start, rest))
}

impl fmt::Display for CaseId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> Option<CaseId> {
        Some(CaseId(text.to_owned()))
    }

    #[test]
    fn every_spelling_means_the_same() {
        assert_eq!(CaseId::from_cell("TC-1.12a"), id("TC-1.12a"));
        assert_eq!(CaseId::from_title("TC-1.12a: shows"), id("TC-1.12a"));
        assert_eq!(CaseId::from_function("tc_1_12a_shows"), id("TC-1.12a"));
        assert_eq!(CaseId::from_function("tc_1_12a"), id("TC-1.12a"));
    }

    #[test]
    fn what_is_no_id_is_refused() {
        assert_eq!(CaseId::from_cell("TC-1.1a and more"), None);
        assert_eq!(CaseId::from_cell("TC-1"), None);
        assert_eq!(CaseId::from_title("TC-1.1a2"), None);
        assert_eq!(CaseId::from_function("tc_one"), None);
        assert_eq!(CaseId::from_function("tc_1_1_works"), None);
    }
}
