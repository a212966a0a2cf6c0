//! `cargo xtask test`: stages in order, each counted, all of them run.

mod browser_tests;
mod live_tests;
mod results_file;
mod root_tests;
mod rust_tests;
mod web_unit_tests;

use anyhow::{Result, anyhow};

use crate::count::Count;
use crate::outcome::Outcome;
use crate::terminal::say;
use crate::workspace::Workspace;
use crate::{install, lint};

/// How much of the test run is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    Quick,
    Full,
}

/// In which runs a stage takes part.
#[derive(Clone, Copy)]
enum When {
    Always,
    FullOnly,
}

/// What it means that a stage counted nothing.
#[derive(Clone, Copy)]
enum Empty {
    IsFine,
    IsFailure,
}

struct Stage {
    title: &'static str,
    when: When,
    empty: Empty,
    run: fn(&Workspace) -> Result<Outcome>,
}

#[rustfmt::skip] // One line per stage.
const STAGES: &[Stage] = &[
    Stage { title: "tools",          when: When::Always,   empty: Empty::IsFine,    run: install_tools },
    Stage { title: "agents",         when: When::Always,   empty: Empty::IsFine,    run: install_agents },
    Stage { title: "browser",        when: When::FullOnly, empty: Empty::IsFine,    run: install_browser },
    Stage { title: "lint",           when: When::Always,   empty: Empty::IsFailure, run: run_lint },
    Stage { title: "Rust tests",     when: When::Always,   empty: Empty::IsFailure, run: rust_tests::run },
    Stage { title: "tests as root",  when: When::Always,   empty: Empty::IsFine,    run: root_tests::run },
    Stage { title: "live agents",    when: When::Always,   empty: Empty::IsFine,    run: live_tests::run },
    Stage { title: "doc tests",      when: When::Always,   empty: Empty::IsFine,    run: rust_tests::run_doc_tests },
    Stage { title: "web unit tests", when: When::Always,   empty: Empty::IsFailure, run: web_unit_tests::run },
    Stage { title: "browser tests",  when: When::FullOnly, empty: Empty::IsFailure, run: browser_tests::run },
];

/// Runs all stages, also when one fails, and gives back their sum.
pub(crate) fn run(workspace: &Workspace, extent: Extent) -> Outcome {
    let mut sum = Outcome::default();
    for stage in STAGES.iter().filter(|stage| stage.is_part_of(extent)) {
        sum += stage.run(workspace);
    }
    sum
}

impl Stage {
    fn is_part_of(&self, extent: Extent) -> bool {
        match self.when {
            When::Always => true,
            When::FullOnly => extent == Extent::Full,
        }
    }

    fn run(&self, workspace: &Workspace) -> Outcome {
        say(format_args!("\n=== {} ===", self.title));
        let outcome = (self.run)(workspace).and_then(|outcome| self.judge(outcome));
        let outcome = outcome.map(|outcome| outcome.within(self.title)).unwrap_or_else(|error| {
            say(format_args!("FAIL {}: {error:#}", self.title));
            Outcome::failed(self.title, format!("{error:#}"))
        });
        if outcome.count != Count::NONE {
            say(format_args!("--- {}: {}", self.title, outcome.count));
        }
        outcome
    }

    /// A stage that ran nothing has proved nothing.
    fn judge(&self, outcome: Outcome) -> Result<Outcome> {
        match (self.empty, outcome.count) {
            (Empty::IsFailure, Count::NONE) => Err(anyhow!("nothing ran")),
            (Empty::IsFine | Empty::IsFailure, _) => Ok(outcome),
        }
    }
}

fn install_tools(workspace: &Workspace) -> Result<Outcome> {
    install::tools(workspace)?;
    Ok(Outcome::default())
}

fn install_agents(workspace: &Workspace) -> Result<Outcome> {
    install::agents(workspace)?;
    Ok(Outcome::default())
}

fn install_browser(workspace: &Workspace) -> Result<Outcome> {
    let browser = install::browser(workspace)?;
    say(browser.display());
    Ok(Outcome::default())
}

fn run_lint(workspace: &Workspace) -> Result<Outcome> {
    Ok(lint::run(workspace))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(title: &str) -> &'static Stage {
        STAGES.iter().find(|stage| stage.title == title).unwrap()
    }

    #[test]
    fn a_quick_run_leaves_out_what_needs_a_browser() {
        let left_out: Vec<_> =
            STAGES.iter().filter(|s| !s.is_part_of(Extent::Quick)).map(|s| s.title).collect();
        assert_eq!(left_out, ["browser", "browser tests"]);
        assert!(STAGES.iter().all(|stage| stage.is_part_of(Extent::Full)));
    }

    #[test]
    fn a_stage_of_tests_that_ran_none_has_failed() {
        let (nothing, passed) = (Outcome::default(), Outcome::from(Count::ONE_PASSED));
        assert!(stage("Rust tests").judge(nothing.clone()).is_err());
        assert_eq!(stage("Rust tests").judge(passed.clone()).unwrap(), passed);
        assert_eq!(stage("tools").judge(nothing.clone()).unwrap(), nothing);
    }
}
