//! The command line.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::Resettable;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::cli::arguments::{
    ApproveOptions, ListOptions, NewOptions, SendOptions, SessionOptions, TailOptions, TokenCommand,
};

/// Runs coding agents and shows what they do, in a browser and to programs.
#[derive(Debug, Parser)]
#[command(name = "liminal", version, args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: ServeOptions,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server (the default)
    Serve(ServeOptions),
    /// Start a session on the running server, and say something to it
    New(NewOptions),
    /// Say something to a session
    Send(SendOptions),
    /// Tell what was said in a session, and what is being said
    Tail(TailOptions),
    /// List the sessions, what they do, and what they ask
    Ls(ListOptions),
    /// Stop the running turn of a session
    Cancel(SessionOptions),
    /// End the agent of a session and all it started
    Kill(SessionOptions),
    /// Answer what an agent asks, with one of its options
    Approve(ApproveOptions),
    /// Tell a whole session
    Export(SessionOptions),
    /// Print a link that logs one browser in, once, within ten minutes
    Open(ListOptions),
    /// Make tokens for programs, or end all credentials
    #[command(subcommand)]
    Token(TokenCommand),
    /// Translate a recording exactly as live
    Replay(ReplayOptions),
    /// Tell which agents can be run here, their versions, and how to get what is missing
    Agents(AgentsOptions),
    /// Be an agent that needs no account, on standard input and output; for trying the product and for tests
    DemoAgent(DemoAgentOptions),
    /// Watch over one agent process; the server starts this itself
    #[command(hide = true)]
    AgentGuard,
    /// Run a program that is no agent, and keep what it leaves behind; the server starts this itself
    #[command(hide = true)]
    BesideAgents(BesideAgentsOptions),
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ReplayOptions {
    /// A recording made with serve --record
    pub(crate) file: PathBuf,
    /// One JSON object per line instead of text for people
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct BesideAgentsOptions {
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) command: Vec<OsString>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct AgentsOptions {
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
    /// Directory of config.toml [default: ~/.liminal-builder]
    #[arg(long, value_name = "DIR", env = "LIMINAL_DATA_DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct DemoAgentOptions {
    /// Directory of its sessions [default: $XDG_STATE_HOME/liminal-demo-agent or ~/.local/state/liminal-demo-agent]
    #[arg(long, value_name = "DIR", env = "LIMINAL_DEMO_HOME")]
    pub(crate) home: Option<PathBuf>,
    /// Milliseconds between two pieces of streamed text; 0 does not wait at all [default: 30]
    #[arg(long, value_name = "MILLISECONDS", env = "LIMINAL_DEMO_PACE_MS")]
    pub(crate) pace_ms: Option<u32>,
}

#[derive(Clone, Debug, Args)]
pub(crate) struct ServeOptions {
    /// Loopback address and port to listen on; port 0 picks one [default: 127.0.0.1:4870]
    #[arg(long, value_name = "ADDRESS:PORT", env = "LIMINAL_LISTEN")]
    pub(crate) listen: Option<String>,
    /// Directory of config.toml [default: ~/.liminal-builder]
    #[arg(long, value_name = "DIR", env = "LIMINAL_DATA_DIR")]
    pub(crate) data_dir: Option<PathBuf>,
    /// Directories below which projects may live, separated as in PATH [default: the home directory]
    #[arg(long, value_name = "DIRS", env = "LIMINAL_ALLOWED_ROOTS")]
    pub(crate) allowed_roots: Option<OsString>,
    /// Whether connections that ask for no message family get the legacy one [default: true]
    #[arg(long, value_name = "BOOLEAN", env = "LIMINAL_LEGACY_WINDOW", hide = true)]
    pub(crate) legacy_window: Option<bool>,
    /// What a message does to a turn that nobody asked for: queue or preempt [default: queue]
    #[arg(long, value_name = "RULE", env = "LIMINAL_AUTONOMOUS", hide = true)]
    pub(crate) autonomous: Option<String>,
    /// How long an agent may have nothing to do, 0 for ever [default: 30]
    #[arg(long, value_name = "MINUTES", env = "LIMINAL_IDLE_STOP_MINUTES", hide = true)]
    pub(crate) idle_stop_minutes: Option<u32>,
    /// How many agents may run at once [default: 256]
    #[arg(long, value_name = "NUMBER", env = "LIMINAL_MAX_AGENTS", hide = true)]
    pub(crate) max_agents: Option<std::num::NonZeroUsize>,
    /// How many sessions are kept [default: 100000]
    #[arg(long, value_name = "NUMBER", env = "LIMINAL_MAX_SESSIONS", hide = true)]
    pub(crate) max_sessions: Option<std::num::NonZeroUsize>,
    /// How many bytes a session may hold before it takes no more messages [default: 4294967296]
    #[arg(long, value_name = "BYTES", env = "LIMINAL_MAX_SESSION_BYTES", hide = true)]
    pub(crate) max_session_bytes: Option<std::num::NonZeroU64>,
    /// Whether a session may be set to a mode in which its agent never asks [default: true]
    #[arg(long, value_name = "BOOLEAN", env = "LIMINAL_ALLOW_BYPASS", hide = true)]
    pub(crate) allow_bypass: Option<bool>,
    /// Print one line for programs once connections are accepted: url, token and pid
    #[arg(long, value_name = "FORMAT")]
    pub(crate) ready: Option<ReadyFormat>,
    /// Do not open a browser
    #[arg(long)]
    pub(crate) no_open: bool,
    /// Write down what passes between the server and its agents, one file per agent process
    #[arg(long, value_name = "DIR")]
    pub(crate) record: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ReadyFormat {
    Json,
}

impl ServeOptions {
    /// What the file there says and nothing else.
    pub(crate) fn in_data_dir(data_dir: Option<PathBuf>) -> Self {
        Self {
            listen: None,
            data_dir,
            allowed_roots: None,
            legacy_window: None,
            autonomous: None,
            idle_stop_minutes: None,
            max_agents: None,
            max_sessions: None,
            max_session_bytes: None,
            allow_bypass: None,
            ready: None,
            no_open: true,
            record: None,
        }
    }
}

impl Arguments {
    /// `liminal` alone means `liminal serve`. The variables of the server's settings are looked at only for that: one that
    /// cannot be used keeps nobody from a command which has no use for it.
    pub(crate) fn read(words: impl IntoIterator<Item = OsString>) -> Result<Command, clap::Error> {
        let words: Vec<_> = words.into_iter().collect();
        let by_words_alone = <Self as CommandFactory>::command()
            .mut_args(|argument| argument.env(Resettable::Reset));
        let read = match by_words_alone.try_get_matches_from(&words) {
            Ok(matches) if matches.subcommand().is_some() => Self::from_arg_matches(&matches)?,
            Err(error) if error.use_stderr() => return Err(error),
            // No other command, or help, which tells of the variables.
            Ok(_) | Err(_) => Self::try_parse_from(&words)?,
        };
        Ok(read.command.unwrap_or(Command::Serve(read.serve)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_sound() {
        <Arguments as CommandFactory>::command().debug_assert();
    }

    #[test]
    fn alone_it_means_serve() {
        let parse = |line: &str| {
            let command = Arguments::read(line.split(' ').map(OsString::from)).unwrap();
            let Command::Serve(options) = command else { panic!("{command:?}") };
            options
        };
        assert_eq!(parse("liminal --listen 127.0.0.1:0").listen.as_deref(), Some("127.0.0.1:0"));
        assert!(parse("liminal serve --no-open").no_open);
    }
}
