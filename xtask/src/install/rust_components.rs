//! The parts of the Rust toolchain that a minimal installation leaves out.

use anyhow::{Result, ensure};

use crate::workspace::Workspace;

pub(super) fn check(workspace: &Workspace) -> Result<()> {
    for (tool, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        ensure!(
            workspace.cargo(&format!("{tool} --version")).works(),
            "{component} is missing; run `rustup component add {component}`"
        );
    }
    Ok(())
}
