//! `liminal demo-agent`: the agent that needs no account.

use std::time::Duration;

use anyhow::Context;
use demo_agent::Settings;

use crate::arguments::DemoAgentOptions;

pub(crate) fn run(options: DemoAgentOptions) -> anyhow::Result<()> {
    let home = options.home.or_else(Settings::usual_home);
    let home = home.context("there is no home directory; give --home")?;
    let pace = options.pace_ms.map(|pace| Duration::from_millis(pace.into()));
    let settings = Settings { home, pace: pace.unwrap_or(Settings::USUAL_PACE) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let ended = runtime.block_on(demo_agent::run(settings));
    // Standard input may be read at this moment, and nobody wants to wait for the next line.
    runtime.shutdown_background();
    Ok(ended?)
}
