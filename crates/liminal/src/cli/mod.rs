//! The commands that ask a running server, by the socket in its data directory.

mod access;
pub(crate) mod arguments;
mod client;
mod export;
mod listing;
mod sessions;
mod tail;
mod transcript;

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context;

use crate::settings;

pub(crate) use access::{open, token};
pub(crate) use export::export;
pub(crate) use listing::list;
pub(crate) use sessions::{approve, cancel, kill, new, send};
pub(crate) use tail::tail;

use arguments::Place;
use client::Client;

/// Runs what a command does. One thread is enough for one answer.
pub(crate) fn run<F: Future<Output = anyhow::Result<()>>>(work: F) -> anyhow::Result<()> {
    let ended = tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(work);
    match ended {
        // Whoever read the output has seen enough.
        Err(error) if is_broken_pipe(&error) => Ok(()),
        ended => ended,
    }
}

impl Place {
    fn directory(&self) -> anyhow::Result<PathBuf> {
        let directory = self.data_dir.clone().or_else(settings::usual_data_dir);
        directory.context("there is no home directory; give --data-dir")
    }

    fn client(&self) -> anyhow::Result<Client> {
        Ok(Client::of(&self.directory()?))
    }

    /// Says it to a person, or hands it to a program.
    fn tell(&self, words: &str, value: &impl serde::Serialize) -> anyhow::Result<()> {
        if self.json { print(&json_line(value)?) } else { print(words) }
    }
}

/// One line that any program can read and that steers no terminal.
fn json_line(value: &impl serde::Serialize) -> anyhow::Result<String> {
    Ok(crate::terminal::escaped_json(&serde_json::to_string(value)?))
}

fn print(text: &str) -> anyhow::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{text}")?;
    Ok(out.flush()?)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<io::Error>();
    cause.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// What was given, or what standard input holds.
fn text_or_input(text: String) -> anyhow::Result<String> {
    if text != "-" {
        return Ok(text);
    }
    io::read_to_string(io::stdin().lock()).context("standard input")
}
