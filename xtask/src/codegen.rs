//! Keeps the web UI's TypeScript types equal to the contract crate.

use anyhow::{Result, ensure};

use crate::command::{Finished, Task};
use crate::runner_output;
use crate::terminal::say;
use crate::workspace::Workspace;

/// Compares the committed file with what the contract crate generates now.
pub(crate) fn compare(workspace: &Workspace) -> Result<()> {
    judge(&test(workspace).capture()?)
}

/// Lets the same test write the file instead, so that there is one generator.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    judge(&test(workspace).env("UPDATE_TYPESCRIPT", "1").capture()?)?;
    say("the TypeScript types are current");
    Ok(())
}

fn test(workspace: &Workspace) -> Task {
    workspace.cargo("test -p contract --quiet typescript_is_current")
}

/// Cargo is content when no test has this name; we are not.
fn judge(test: &Finished) -> Result<()> {
    ensure!(test.success, "{}{}", test.stdout, test.stderr);
    let ran = runner_output::cargo_test(&test.stdout).passed > 0;
    ensure!(ran, "the contract crate has no test `typescript_is_current`");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(success: bool, stdout: &str) -> Finished {
        Finished { success, stdout: stdout.to_owned(), stderr: String::new() }
    }

    #[test]
    fn a_passed_comparison_is_fine() {
        assert!(judge(&finished(true, "test result: ok. 1 passed; 0 failed;")).is_ok());
    }

    #[test]
    fn a_failed_comparison_and_one_that_never_ran_are_not() {
        assert!(judge(&finished(false, "test result: FAILED. 0 passed; 1 failed;")).is_err());
        assert!(judge(&finished(true, "test result: ok. 0 passed; 0 failed;")).is_err());
    }
}
