//! The server's end of the control channel.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;

use crate::frame::FrameDecoder;
use crate::message::{Command, Report};

const CHUNK: usize = 64 * 1024;

#[derive(Debug)]
pub(crate) struct Link {
    channel: UnixStream,
    decoder: FrameDecoder,
    chunk: Vec<u8>,
}

impl Link {
    pub(crate) fn new(channel: UnixStream) -> Self {
        Self { channel, decoder: FrameDecoder::default(), chunk: Vec::new() }
    }

    /// The next report, or `None` once the guard is gone. Dropped half-way, it loses nothing.
    pub(crate) async fn next_report(&mut self) -> io::Result<Option<Report>> {
        loop {
            if let Some(frame) = self.decoder.next_frame()? {
                return Report::of(frame).map(Some);
            }
            self.chunk.clear();
            self.chunk.reserve(CHUNK);
            if self.channel.read_buf(&mut self.chunk).await? == 0 {
                return Ok(None);
            }
            self.decoder.push(&self.chunk);
        }
    }

    /// The guard reads whatever else it does, so this does not wait for long.
    pub(crate) async fn send(&mut self, command: &Command) -> io::Result<()> {
        let mut bytes = Vec::new();
        command.frame()?.append_to(&mut bytes)?;
        self.channel.write_all(&bytes).await
    }
}
