//! Says where the server is, to a person or to a program.

use std::io::{self, Write};

use serde::Serialize;
use server::Secret;

use crate::arguments::ReadyFormat;

/// What whoever started the server needs to use it.
pub(crate) struct Announcement<'a> {
    /// With a login code in its fragment, which browsers send nowhere.
    pub(crate) url: String,
    pub(crate) token: &'a Secret,
}

#[derive(Serialize)]
struct Ready<'a> {
    url: &'a str,
    token: &'a str,
    pid: u32,
}

impl Announcement<'_> {
    pub(crate) fn print(&self, format: Option<ReadyFormat>) -> io::Result<()> {
        let mut out = io::stdout().lock();
        match format {
            Some(ReadyFormat::Json) => {
                let ready =
                    Ready { url: &self.url, token: self.token.reveal(), pid: std::process::id() };
                writeln!(out, "{}", serde_json::to_string(&ready)?)?;
            }
            None => {
                writeln!(
                    out,
                    "\nLiminal Builder {} is running. Open\n",
                    env!("CARGO_PKG_VERSION")
                )?;
                writeln!(out, "  {}\n", self.url)?;
                writeln!(
                    out,
                    "The link logs one browser in, once, within ten minutes; `liminal open` prints another. Ctrl-C stops the server.\n"
                )?;
            }
        }
        out.flush()
    }
}
