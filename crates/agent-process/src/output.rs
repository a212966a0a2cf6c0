//! What an agent says: lines from its standard output.

use std::io;

use tokio::io::AsyncReadExt;
use tokio::process::ChildStdout;

use crate::line_splitter::{LONGEST_LINE, Line, LineSplitter};

/// The agent's standard output. Whoever does not read makes the agent wait: nothing is read ahead beyond one chunk.
#[derive(Debug)]
pub struct AgentOutput {
    pipe: ChildStdout,
    splitter: LineSplitter,
    has_ended: bool,
}

impl AgentOutput {
    pub(crate) fn new(pipe: ChildStdout) -> Self {
        Self { pipe, splitter: LineSplitter::new(LONGEST_LINE), has_ended: false }
    }

    /// The next line, or `None` at the end. Dropped half-way, it loses nothing.
    pub async fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            if let Some(found) = self.splitter.next_line() {
                return Ok(Some(self.splitter.line(found)));
            }
            if self.has_ended {
                let found = self.splitter.finish();
                return Ok(found.map(|found| self.splitter.line(found)));
            }
            self.has_ended = self.pipe.read_buf(self.splitter.room()).await? == 0;
        }
    }

    /// How many lines were longer than 8 MiB and lost their end.
    pub fn cut_lines(&self) -> u64 {
        self.splitter.cut_lines()
    }
}
