//! What an agent is told: lines on its standard input.

use std::io;

use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;

/// Memory kept from one line to the next.
const KEPT: usize = 64 * 1024;

/// The agent's standard input. Dropping it closes it.
#[derive(Debug)]
pub struct AgentInput {
    pipe: ChildStdin,
    /// One line at most, and how much of it the agent has.
    line: Vec<u8>,
    written: usize,
}

impl AgentInput {
    pub(crate) fn new(pipe: ChildStdin) -> Self {
        Self { pipe, line: Vec::new(), written: 0 }
    }

    /// Writes a line and its newline in one go. It waits while the agent does not read.
    ///
    /// Agents end on half a line, so a call that is dropped half-way leaves its rest for the next one to write first.
    pub async fn write_line(&mut self, line: &[u8]) -> io::Result<()> {
        self.write_rest().await?;
        self.line.extend_from_slice(line);
        self.line.push(b'\n');
        self.write_rest().await
    }

    /// Closes the input, which tells most agents to finish and exit.
    pub fn close(self) {
        drop(self);
    }

    async fn write_rest(&mut self) -> io::Result<()> {
        while let Some(rest) = self.line.get(self.written..).filter(|rest| !rest.is_empty()) {
            self.written += self.pipe.write(rest).await?;
        }
        self.line.clear();
        self.line.shrink_to(KEPT);
        self.written = 0;
        Ok(())
    }
}
