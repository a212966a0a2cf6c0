//! The command line's words for what a running server does.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Which server, and for whom the answer is.
#[derive(Clone, Debug, Args)]
pub(crate) struct Place {
    /// As JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
    /// Data directory of the running server [default: ~/.liminal-builder]
    #[arg(long, value_name = "DIR", env = "LIMINAL_DATA_DIR")]
    pub(crate) data_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct NewOptions {
    /// The agent to run, as `liminal agents` names it
    #[arg(long, value_name = "CLI")]
    pub(crate) cli: String,
    /// The project's directory [default: this one]
    #[arg(long, value_name = "DIR")]
    pub(crate) dir: Option<PathBuf>,
    /// What to say first; - reads it from standard input
    pub(crate) prompt: Option<String>,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Debug, Args)]
pub(crate) struct SendOptions {
    /// The session
    pub(crate) id: String,
    /// What to say; - reads it from standard input
    pub(crate) text: String,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Debug, Args)]
pub(crate) struct TailOptions {
    /// The session
    pub(crate) id: String,
    /// End as soon as nothing runs, or an answer is needed to go on
    #[arg(long)]
    pub(crate) until_idle: bool,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Debug, Args)]
pub(crate) struct SessionOptions {
    /// The session
    pub(crate) id: String,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Debug, Args)]
pub(crate) struct ListOptions {
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Debug, Args)]
pub(crate) struct ApproveOptions {
    /// The session
    pub(crate) id: String,
    /// The request, as `liminal tail` and `liminal ls` tell it
    pub(crate) request: String,
    /// One of its options, refusals included
    pub(crate) option: String,
    #[command(flatten)]
    pub(crate) place: Place,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token for programs that is good until everything is rotated; it is shown this once
    Create {
        /// What it is for
        name: String,
        #[command(flatten)]
        place: Place,
    },
    /// End every token, login and login link, and whatever was opened with one
    Rotate {
        #[command(flatten)]
        place: Place,
    },
}
