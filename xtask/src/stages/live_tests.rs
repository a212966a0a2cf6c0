//! Tests with the user's own, logged-in agents. They cost money, so they run only when asked for.

use anyhow::Result;

use crate::count::Count;
use crate::runner_output;
use crate::terminal::say;
use crate::workspace::Workspace;

const ASKED_FOR: &str = "RUN_PROVIDER_LIVE_TESTS";

pub(super) fn run(workspace: &Workspace) -> Result<Count> {
    if std::env::var(ASKED_FOR).as_deref() != Ok("1") {
        say(format_args!("left out: {ASKED_FOR}=1 runs them with your own logged-in agents"));
        return Ok(Count::NONE);
    }
    let line = "test -p liminal --features live-tests --test live --no-fail-fast";
    let finished = workspace.cargo(line).stream()?;
    Ok(runner_output::cargo_test(&finished.stdout).of_runner_that(finished.success))
}
