//! Every check that needs no running product.

use anyhow::{Result, ensure};

use crate::command::Task;
use crate::outcome::Outcome;
use crate::report::Report;
use crate::workspace::Workspace;
use crate::{codegen, install, tidy};

/// Runs all checks, also when one fails.
pub(crate) fn run(workspace: &Workspace) -> Outcome {
    let mut report = Report::default();
    check_rust(workspace, &mut report);
    tidy::record(workspace, &mut report);
    report.record("typescript drift", &codegen::compare(workspace));
    report.record("web types", &web_script_succeeds(workspace, "typecheck"));
    report.record("web style", &web_script_succeeds(workspace, "lint"));
    check_with_cargo_deny(workspace, &mut report);
    report.outcome()
}

fn check_rust(workspace: &Workspace, report: &mut Report) {
    let clippy = "clippy --workspace --all-targets -- -D warnings";
    let rustdoc = workspace
        .cargo_without_web_ui("doc --workspace --no-deps")
        .env("RUSTDOCFLAGS", "-Dwarnings");
    report.record("format", &succeeds(workspace.cargo("fmt --all --check")));
    report.record("clippy", &succeeds(workspace.cargo_without_web_ui(clippy)));
    report.record("rustdoc", &succeeds(rustdoc));
}

fn web_script_succeeds(workspace: &Workspace, script: &str) -> Result<()> {
    install::web_packages(workspace)?;
    succeeds(workspace.web(&format!("npm run {script}")))
}

fn check_with_cargo_deny(workspace: &Workspace, report: &mut Report) {
    if workspace.cargo("deny --version").works() {
        let check = workspace.cargo("deny check bans licenses sources");
        report.record("cargo-deny", &succeeds(check));
    } else {
        report.leave_out("cargo-deny", "not installed; tidy has checked licences and sources");
    }
}

fn succeeds(task: Task) -> Result<()> {
    let finished = task.capture()?;
    ensure!(finished.success, "{}{}", finished.stdout, finished.stderr);
    Ok(())
}
