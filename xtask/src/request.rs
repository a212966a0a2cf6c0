//! Reads the command line.

use crate::bench::{self, Bench};
use crate::stages::Extent;

pub(crate) const USAGE: &str = "\
usage: cargo xtask <command>

  lint            format, clippy, rustdoc, tidy, generated types, web, cargo-deny
  tidy            only our own checks of the repository
  test [--quick]  install what is missing, lint, and run every test;
                  --quick leaves out the browser
  agents          install the agents that tests run
  codegen         rewrite the TypeScript and docs/openapi.json, which are made from the code
  bench <name>    run a benchmark, check its bounds, refresh docs/BENCHMARKS.md";

/// What the caller asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    Help,
    Lint,
    Tidy,
    Test(Extent),
    Agents,
    Codegen,
    Bench(&'static Bench),
}

impl Request {
    /// Refuses with a text for the caller.
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match words.as_slice() {
            [] | ["--help" | "-h" | "help"] => Ok(Self::Help),
            ["lint"] => Ok(Self::Lint),
            ["tidy"] => Ok(Self::Tidy),
            ["test"] => Ok(Self::Test(Extent::Full)),
            ["test", "--quick"] => Ok(Self::Test(Extent::Quick)),
            ["agents"] => Ok(Self::Agents),
            ["codegen"] => Ok(Self::Codegen),
            ["bench", name] => bench::named(name).map(Self::Bench),
            _ => Err(format!("unknown command: {}\n\n{USAGE}", words.join(" "))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Request, String> {
        let arguments: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Request::parse(&arguments)
    }

    #[test]
    fn commands_are_read() {
        assert_eq!(parse(""), Ok(Request::Help));
        assert_eq!(parse("--help"), Ok(Request::Help));
        assert_eq!(parse("test"), Ok(Request::Test(Extent::Full)));
        assert_eq!(parse("test --quick"), Ok(Request::Test(Extent::Quick)));
        assert_eq!(parse("agents"), Ok(Request::Agents));
        assert!(matches!(parse("bench pipeline"), Ok(Request::Bench(_))));
        assert!(matches!(parse("bench claude"), Ok(Request::Bench(_))));
    }

    #[test]
    fn an_unknown_command_is_answered_with_the_usage() {
        assert!(parse("tset").unwrap_err().contains(USAGE));
        assert!(parse("test --quik").unwrap_err().contains(USAGE));
    }

    #[test]
    fn an_unknown_bench_is_answered_with_the_known_ones() {
        assert!(parse("bench nothing").unwrap_err().contains("pipeline"));
    }
}
