//! Keeps the files that are made from the code equal to it: the web UI's types, and the description of the API.

use anyhow::{Result, ensure};

use crate::command::{Finished, Task};
use crate::runner_output;
use crate::terminal::say;
use crate::workspace::Workspace;

/// The test that compares a committed file with the code, and the variable that lets it write the file instead, so that
/// there is one generator.
struct Generated {
    test: &'static str,
    update: &'static str,
}

const TYPESCRIPT: Generated =
    Generated { test: "-p contract --quiet typescript_is_current", update: "UPDATE_TYPESCRIPT" };

const OPENAPI: Generated = Generated {
    test: "-p server --test openapi --quiet openapi_is_current",
    update: "UPDATE_OPENAPI",
};

/// Compares the committed types with what the contract crate generates now. The description of the API is left to the
/// tests, which build the server anyway.
pub(crate) fn compare(workspace: &Workspace) -> Result<()> {
    judge(&TYPESCRIPT, &test(workspace, &TYPESCRIPT).capture()?)
}

/// Writes both.
pub(crate) fn run(workspace: &Workspace) -> Result<()> {
    for generated in [TYPESCRIPT, OPENAPI] {
        let written = test(workspace, &generated).env(generated.update, "1").capture()?;
        judge(&generated, &written)?;
    }
    say("the TypeScript types and the description of the API are current");
    Ok(())
}

fn test(workspace: &Workspace, generated: &Generated) -> Task {
    workspace.cargo_without_web_ui(&format!("test {}", generated.test))
}

/// Cargo is content when no test has this name; we are not.
fn judge(generated: &Generated, test: &Finished) -> Result<()> {
    ensure!(test.success, "{}{}", test.stdout, test.stderr);
    let ran = runner_output::cargo_test(&test.stdout).count.passed > 0;
    ensure!(ran, "there is no test: {}", generated.test);
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
        let passed = finished(true, "test result: ok. 1 passed; 0 failed;");
        assert!(judge(&TYPESCRIPT, &passed).is_ok());
    }

    #[test]
    fn a_failed_comparison_and_one_that_never_ran_are_not() {
        let failed = finished(false, "test result: FAILED. 0 passed; 1 failed;");
        let none = finished(true, "test result: ok. 0 passed; 0 failed;");
        assert!(judge(&TYPESCRIPT, &failed).is_err());
        assert!(judge(&OPENAPI, &none).is_err());
    }
}
