//! Prints the verdict of each check and counts them.

use anyhow::Result;

use crate::count::Count;
use crate::outcome::Outcome;
use crate::terminal::say;

#[derive(Default)]
pub(crate) struct Report {
    outcome: Outcome,
}

impl Report {
    pub(crate) fn record(&mut self, name: &str, verdict: &Result<()>) {
        say(rendered(name, verdict));
        self.outcome += match verdict {
            Ok(()) => Count::ONE_PASSED.into(),
            Err(problem) => Outcome::failed(name, format!("{problem:#}")),
        };
    }

    /// Says that a check did not run; it counts neither way.
    pub(crate) fn leave_out(&self, name: &str, why: &str) {
        say(format_args!("left out {name}: {why}"));
    }

    pub(crate) fn outcome(self) -> Outcome {
        self.outcome
    }
}

fn rendered(name: &str, verdict: &Result<()>) -> String {
    match verdict {
        Ok(()) => format!("ok   {name}"),
        Err(problem) => format!("FAIL {name}\n{}", indented(&format!("{problem:#}"))),
    }
}

fn indented(text: &str) -> String {
    text.trim().lines().map(|line| format!("     {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn a_passed_check_is_one_line() {
        assert_eq!(rendered("format", &Ok(())), "ok   format");
    }

    #[test]
    fn what_a_failed_check_says_stands_indented_below_it() {
        let verdict = Err(anyhow!("first\nsecond\n"));
        assert_eq!(rendered("format", &verdict), "FAIL format\n     first\n     second");
    }
}
