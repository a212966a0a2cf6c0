//! Makes sure that the tools of a test run exist, and fetches what can be fetched.

mod agents;
mod browser;
mod node;
mod node_packages;
mod rust_components;

use std::path::PathBuf;

use anyhow::Result;

use crate::workspace::Workspace;

/// Checks the toolchains and installs the packages of the web UI.
pub(crate) fn tools(workspace: &Workspace) -> Result<()> {
    rust_components::check(workspace)?;
    web_packages(workspace)
}

/// Installs the packages of the web UI unless the current ones are there.
pub(crate) fn web_packages(workspace: &Workspace) -> Result<()> {
    node::check(workspace)?;
    node_packages::ensure(&workspace.web_directory(), "--include=dev")
}

/// Installs the agents that tests run unless the current ones are there.
pub(crate) fn agents(workspace: &Workspace) -> Result<()> {
    node::check(workspace)?;
    agents::ensure(workspace)
}

/// Finds a Chromium, installing one where we may.
pub(crate) fn browser(workspace: &Workspace) -> Result<PathBuf> {
    browser::ensure(workspace)
}
