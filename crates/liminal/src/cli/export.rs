//! `liminal export`: the whole session, to be read or for programs.

use super::arguments::SessionOptions;
use super::client::segment;
use super::print;
use crate::terminal::{escaped_json, shown_text};

/// As the server writes it, and without anything that steers a terminal.
pub(crate) async fn export(options: SessionOptions) -> anyhow::Result<()> {
    let (format, harmless): (_, fn(&str) -> String) =
        if options.place.json { ("jsonl", escaped_json) } else { ("markdown", shown_text) };
    let path = format!("/api/session/{}/export?format={format}", segment(&options.id));
    options.place.client()?.lines(&path, |line| print(&harmless(line))).await
}
