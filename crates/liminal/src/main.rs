//! Liminal Builder: one place to start coding agents, watch them, answer them, stop them and come back to them.

mod agent_settings;
mod agents;
mod announce;
mod arguments;
mod cli;
mod data_dir;
mod demo;
mod list_agents;
mod listeners;
mod local_socket;
mod log;
mod open_browser;
mod orphans;
mod own_files;
mod predecessor;
mod replay;
mod serve;
mod settings;
mod shutdown;
mod terminal;

use std::io::Write;
use std::process::ExitCode;

use arguments::{Arguments, Command};
use settings::{Settings, SettingsError};

/// For settings that cannot be used, found before anything is started.
const BAD_SETTINGS: u8 = 64;

fn main() -> ExitCode {
    let command = Arguments::read(std::env::args_os()).unwrap_or_else(|error| error.exit());
    let result = match command {
        // Before anything else: a guard has no log, no settings and no runtime.
        Command::AgentGuard => return agent_process::guard::run(),
        Command::BesideAgents(options) => return agent_process::beside::keep(&options.command),
        Command::DemoAgent(options) => demo::run(options),
        Command::Agents(options) => list_agents::run(&options),
        Command::Replay(options) => replay::replay(&options),
        Command::Serve(options) => serve(&options),
        Command::New(options) => cli::run(cli::new(options)),
        Command::Send(options) => cli::run(cli::send(options)),
        Command::Tail(options) => cli::run(cli::tail(options)),
        Command::Ls(options) => cli::run(cli::list(options)),
        Command::Cancel(options) => cli::run(cli::cancel(options)),
        Command::Kill(options) => cli::run(cli::kill(options)),
        Command::Approve(options) => cli::run(cli::approve(options)),
        Command::Export(options) => cli::run(cli::export(options)),
        Command::Open(options) => cli::run(cli::open(options)),
        Command::Token(command) => cli::run(cli::token(command)),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Nobody is left to tell if even this cannot be written.
            writeln!(std::io::stderr(), "liminal: {error:#}").ok();
            if error.is::<SettingsError>() {
                ExitCode::from(BAD_SETTINGS)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}

fn serve(options: &arguments::ServeOptions) -> anyhow::Result<()> {
    let secrets = log::start();
    keep_memory_private();
    run(Settings::load(options)?, options, &secrets)
}

/// No core dump and no other process of the user shows what is in memory: tokens, keys of agents, conversations.
#[cfg(target_os = "linux")]
fn keep_memory_private() {
    use rustix::process::{DumpableBehavior, set_dumpable_behavior};
    if let Err(error) = set_dumpable_behavior(DumpableBehavior::NotDumpable) {
        tracing::warn!(%error, "the server's memory may be dumped");
    }
}

#[cfg(not(target_os = "linux"))]
fn keep_memory_private() {}

fn run_soon() {
    if let Err(error) = scheduling::ask_for_short_slices() {
        tracing::debug!(%error, "a thread runs in slices of the usual length");
    }
}

fn run(
    settings: Settings,
    options: &arguments::ServeOptions,
    secrets: &session::Secrets,
) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        // Agents and what they run may have all processors: what they say must not wait behind them.
        .on_thread_start(run_soon)
        .build()?;
    let ended = runtime.block_on(serve::serve(settings, options, secrets));
    // What had its time and did not end keeps nobody waiting.
    runtime.shutdown_background();
    ended
}
