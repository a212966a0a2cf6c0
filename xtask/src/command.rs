//! Starts other programs; the only place of this crate that does.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, anyhow};

use crate::terminal::say;

/// A program with its arguments, ready to be run once.
pub(crate) struct Task {
    shown: String,
    command: Command,
}

/// How a program ended and what it said.
pub(crate) struct Finished {
    pub(crate) success: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Task {
    /// Takes program and arguments as one line of words; an argument with a space goes to `argument`.
    #[expect(clippy::disallowed_methods, reason = "running tools is what this crate is for")]
    pub(crate) fn new(line: &str, directory: &Path) -> Self {
        let mut words = line.split_whitespace();
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words).current_dir(directory).stdin(Stdio::null());
        Self { shown: line.to_owned(), command }
    }

    pub(crate) fn argument(mut self, argument: &str) -> Self {
        self.shown = format!("{} {argument}", self.shown);
        self.command.arg(argument);
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs silently and keeps what the program said.
    pub(crate) fn capture(mut self) -> Result<Finished> {
        let output = self.command.output().with_context(|| cannot_run(&self.shown))?;
        Ok(Finished {
            success: output.status.success(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    /// Tells whether the program exists and succeeds, whatever it says.
    pub(crate) fn works(self) -> bool {
        self.capture().is_ok_and(|finished| finished.success)
    }

    /// Gives the terminal to the program and tells whether it succeeded.
    pub(crate) fn show(mut self) -> Result<bool> {
        say(format_args!("$ {}", self.shown));
        Ok(self.command.status().with_context(|| cannot_run(&self.shown))?.success())
    }

    /// Shows what the program says as it says it, and keeps it.
    pub(crate) fn stream(mut self) -> Result<Finished> {
        say(format_args!("$ {}", self.shown));
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().with_context(|| cannot_run(&self.shown))?;
        let stdout = child.stdout.take().context("the child has no stdout")?;
        let stderr = child.stderr.take().context("the child has no stderr")?;
        let (stdout, stderr) = thread::scope(|scope| {
            // Both at once: a program blocks as soon as one of its pipes is full.
            let errors = scope.spawn(|| pass_on(stderr, io::stderr()));
            (pass_on(stdout, io::stdout()), errors.join())
        });
        let stderr = stderr.map_err(|_| anyhow!("the reader of stderr panicked"))?;
        Ok(Finished { success: child.wait()?.success(), stdout: stdout?, stderr: stderr? })
    }
}

fn cannot_run(shown: &str) -> String {
    format!("cannot run `{shown}`")
}

fn pass_on(from: impl Read, mut to: impl Write) -> io::Result<String> {
    let mut from = BufReader::new(from);
    let mut seen = Vec::new();
    loop {
        let start = seen.len();
        if from.read_until(b'\n', &mut seen)? == 0 {
            return Ok(String::from_utf8_lossy(&seen).into_owned());
        }
        to.write_all(seen.get(start..).unwrap_or_default())?;
        to.flush()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_says_is_kept() {
        let finished = Task::new("cargo", Path::new(".")).argument("--version").capture().unwrap();
        assert!(finished.success);
        assert!(finished.stdout.starts_with("cargo "));
    }

    #[test]
    fn a_failing_program_is_told_from_a_missing_one() {
        let failing = Task::new("cargo --no-such-option", Path::new(".")).capture().unwrap();
        assert!(!failing.success);
        let missing = Task::new("no-such-program", Path::new(".")).capture();
        assert_eq!(missing.err().unwrap().to_string(), "cannot run `no-such-program`");
    }

    #[test]
    fn passing_on_keeps_every_byte_also_without_a_last_line_end() {
        let mut shown = Vec::new();
        let kept = pass_on("one\ntwo".as_bytes(), &mut shown).unwrap();
        assert_eq!(kept, "one\ntwo");
        assert_eq!(shown, b"one\ntwo");
    }
}
