//! The project's own commands, called as `cargo xtask <command>`.

mod bench;
mod codegen;
mod command;
mod count;
mod install;
mod lint;
mod metadata;
mod outcome;
mod report;
mod request;
mod runner_output;
mod stages;
mod terminal;
mod tidy;
mod workspace;

use std::process::ExitCode;

use anyhow::Result;

use crate::outcome::Outcome;
use crate::request::Request;
use crate::terminal::{complain, say};
use crate::workspace::Workspace;

/// What a shell expects from a program that was called wrongly.
const CALLED_WRONGLY: u8 = 2;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match Request::parse(&arguments) {
        Ok(request) => exit_code(perform(&request)),
        Err(refusal) => {
            complain(refusal);
            ExitCode::from(CALLED_WRONGLY)
        }
    }
}

/// Tells whether everything that was asked for is in order.
fn perform(request: &Request) -> Result<bool> {
    let workspace = Workspace::find()?;
    match request {
        Request::Help => {
            say(request::USAGE);
            Ok(true)
        }
        Request::Lint => Ok(conclude(&lint::run(&workspace))),
        Request::Tidy => Ok(conclude(&tidy::run(&workspace))),
        Request::Test(extent) => Ok(conclude(&stages::run(&workspace, *extent))),
        Request::Agents => install::agents(&workspace).map(|()| true),
        Request::Codegen => codegen::run(&workspace).map(|()| true),
        Request::Bench(bench) => bench::run(&workspace, bench),
    }
}

/// Ends a command with what failed and its sum, which is the last line of stdout.
fn conclude(outcome: &Outcome) -> bool {
    say(format_args!("\n{}\n{}", outcome.failures_told(), outcome.count));
    outcome.count.all_passed()
}

fn exit_code(performed: Result<bool>) -> ExitCode {
    match performed {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            complain(format_args!("error: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
