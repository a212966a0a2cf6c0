//! Measures the page in a real browser, with the product as it is released.

use std::env::consts::EXE_SUFFIX;

use anyhow::{Result, ensure};

use crate::command::Finished;
use crate::install;
use crate::workspace::Workspace;

pub(super) fn run(workspace: &Workspace) -> Result<Finished> {
    install::web_packages(workspace)?;
    install::agents(workspace)?;
    let browser = install::browser(workspace)?;
    ensure!(workspace.cargo("build --release -p liminal").show()?, "the product does not build");
    let models = workspace.cargo_without_web_ui("build -p testkit --bin real-agents").show()?;
    ensure!(models, "the models behind the agents do not build");
    let target = workspace.target_directory()?;
    workspace
        .web("npx --no-install playwright test --config bench/playwright.config.ts")
        .env("LIMINAL_BIN", target.join(format!("release/liminal{EXE_SUFFIX}")))
        .env("LIMINAL_REAL_AGENTS", target.join(format!("debug/real-agents{EXE_SUFFIX}")))
        .env("CHROMIUM", browser)
        .stream()
}
