//! `cargo xtask test`: stages in order, each counted, all of them run.

mod browser_tests;
mod live_tests;
mod results_file;
mod rust_tests;
mod web_unit_tests;

use anyhow::{Result, anyhow};

use crate::count::Count;
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
    run: fn(&Workspace) -> Result<Count>,
}

#[rustfmt::skip] // One line per stage.
const STAGES: &[Stage] = &[
    Stage { title: "tools",          when: When::Always,   empty: Empty::IsFine,    run: install_tools },
    Stage { title: "agents",         when: When::Always,   empty: Empty::IsFine,    run: install_agents },
    Stage { title: "browser",        when: When::FullOnly, empty: Empty::IsFine,    run: install_browser },
    Stage { title: "lint",           when: When::Always,   empty: Empty::IsFailure, run: run_lint },
    Stage { title: "Rust tests",     when: When::Always,   empty: Empty::IsFailure, run: rust_tests::run },
    Stage { title: "live agents",    when: When::Always,   empty: Empty::IsFine,    run: live_tests::run },
    Stage { title: "doc tests",      when: When::Always,   empty: Empty::IsFine,    run: rust_tests::run_doc_tests },
    Stage { title: "web unit tests", when: When::Always,   empty: Empty::IsFailure, run: web_unit_tests::run },
    Stage { title: "browser tests",  when: When::FullOnly, empty: Empty::IsFailure, run: browser_tests::run },
];

/// Runs all stages, also when one fails, and gives back their sum.
pub(crate) fn run(workspace: &Workspace, extent: Extent) -> Count {
    let mut sum = Count::NONE;
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

    fn run(&self, workspace: &Workspace) -> Count {
        say(format_args!("\n=== {} ===", self.title));
        let count = (self.run)(workspace).and_then(|count| self.judge(count));
        let count = count.unwrap_or_else(|error| {
            say(format_args!("FAIL {}: {error:#}", self.title));
            Count::ONE_FAILED
        });
        if count != Count::NONE {
            say(format_args!("--- {}: {count}", self.title));
        }
        count
    }

    /// A stage that ran nothing has proved nothing.
    fn judge(&self, count: Count) -> Result<Count> {
        match (self.empty, count) {
            (Empty::IsFailure, Count::NONE) => Err(anyhow!("nothing ran")),
            (Empty::IsFine | Empty::IsFailure, count) => Ok(count),
        }
    }
}

fn install_tools(workspace: &Workspace) -> Result<Count> {
    install::tools(workspace)?;
    Ok(Count::NONE)
}

fn install_agents(workspace: &Workspace) -> Result<Count> {
    install::agents(workspace)?;
    Ok(Count::NONE)
}

fn install_browser(workspace: &Workspace) -> Result<Count> {
    let browser = install::browser(workspace)?;
    say(browser.display());
    Ok(Count::NONE)
}

fn run_lint(workspace: &Workspace) -> Result<Count> {
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
        assert!(stage("Rust tests").judge(Count::NONE).is_err());
        assert_eq!(stage("Rust tests").judge(Count::ONE_PASSED).unwrap(), Count::ONE_PASSED);
        assert_eq!(stage("tools").judge(Count::NONE).unwrap(), Count::NONE);
    }
}
