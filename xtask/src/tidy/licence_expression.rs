//! Decides whether a licence expression can be satisfied with the licences we accept.

use std::iter::Peekable;
use std::str::SplitWhitespace;

use anyhow::{Context, Result, ensure};

/// Reads `MIT OR (Apache-2.0 WITH LLVM-exception AND ISC)` and the older `MIT/Apache-2.0`.
pub(super) fn is_satisfied(expression: &str, accepted: &[String]) -> Result<bool> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut reader = Reader { words: spaced.split_whitespace().peekable(), accepted };
    let satisfied = reader.any_of()?;
    ensure!(reader.words.peek().is_none(), "`{expression}` goes on after its end");
    Ok(satisfied)
}

struct Reader<'a> {
    words: Peekable<SplitWhitespace<'a>>,
    accepted: &'a [String],
}

/// One method per level of binding: `OR` binds weakest, `WITH` strongest.
impl<'a> Reader<'a> {
    fn any_of(&mut self) -> Result<bool> {
        let mut satisfied = self.all_of()?;
        while self.take("OR") {
            satisfied |= self.all_of()?;
        }
        Ok(satisfied)
    }

    fn all_of(&mut self) -> Result<bool> {
        let mut satisfied = self.one()?;
        while self.take("AND") {
            satisfied &= self.one()?;
        }
        Ok(satisfied)
    }

    fn one(&mut self) -> Result<bool> {
        if self.take("(") {
            let satisfied = self.any_of()?;
            ensure!(self.take(")"), "a parenthesis is not closed");
            return Ok(satisfied);
        }
        let mut licence = self.name()?.to_owned();
        if self.take("WITH") {
            licence = format!("{licence} WITH {}", self.name()?);
        }
        Ok(self.accepted.contains(&licence))
    }

    fn name(&mut self) -> Result<&'a str> {
        let name = self.words.next().context("a licence is missing")?;
        let is_name = !matches!(name, "(" | ")" | "AND" | "OR" | "WITH");
        ensure!(is_name, "`{name}` stands where a licence should be");
        Ok(name)
    }

    fn take(&mut self, word: &str) -> bool {
        self.words.next_if(|next| *next == word).is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expression: &str) -> Result<bool> {
        let accepted = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
        is_satisfied(expression, &accepted)
    }

    #[test]
    fn one_accepted_choice_is_enough() {
        assert!(check("MIT").unwrap());
        assert!(check("GPL-3.0 OR MIT").unwrap());
        assert!(check("MIT/Apache-2.0").unwrap());
        assert!(check("Apache-2.0 / MIT").unwrap());
        assert!(!check("GPL-3.0 OR MPL-2.0").unwrap());
    }

    #[test]
    fn every_part_of_a_conjunction_is_needed() {
        assert!(check("MIT AND ISC").unwrap());
        assert!(!check("MIT AND GPL-3.0").unwrap());
    }

    #[test]
    fn and_binds_more_strongly_than_or_unless_parentheses_say_so() {
        assert!(check("MIT OR ISC AND GPL-3.0").unwrap());
        assert!(!check("(MIT OR ISC) AND GPL-3.0").unwrap());
        assert!(check("(MIT OR GPL-3.0) AND (ISC)").unwrap());
    }

    #[test]
    fn an_exception_makes_another_licence() {
        assert!(check("Apache-2.0 WITH LLVM-exception").unwrap());
        assert!(!check("Apache-2.0").unwrap());
        assert!(!check("MIT WITH LLVM-exception").unwrap());
    }

    #[test]
    fn what_is_no_expression_is_refused() {
        for broken in ["", "MIT OR", "(MIT", "MIT ISC", "AND MIT", "MIT WITH", "MIT)"] {
            assert!(check(broken).is_err(), "{broken}");
        }
    }
}
