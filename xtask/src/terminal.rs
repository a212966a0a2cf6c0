//! The only place that writes our own words to the terminal.

use std::fmt::Display;
use std::io::{self, Write};

/// Writes one line, or several, to stdout.
pub(crate) fn say(text: impl Display) {
    write_line(io::stdout().lock(), text);
}

/// Writes one line, or several, to stderr.
pub(crate) fn complain(text: impl Display) {
    write_line(io::stderr().lock(), text);
}

fn write_line(mut stream: impl Write, text: impl Display) {
    // A reader who closed the pipe is no reason to stop the work.
    drop(writeln!(stream, "{text}"));
}
