//! The guard's end of the control channel. It never makes the guard wait, except for the order and for the last words.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use crate::frame::FrameDecoder;
use crate::message::{Command, Order, Report};

/// How long a server that does not read may hold up the end of the guard, per write.
const LAST_WORDS: Duration = Duration::from_secs(1);

pub(super) struct Control {
    channel: UnixStream,
    decoder: FrameDecoder,
    /// Reports on their way. Nothing is read from the agent while it is not empty, so it holds one frame and, at the end,
    /// what a pipe holds.
    outbox: Vec<u8>,
    is_open: bool,
}

impl Control {
    /// Takes over standard error and puts nothing in its place, lest a panic's message end up among the frames.
    pub(super) fn from_stderr() -> io::Result<Self> {
        let stderr = rustix::stdio::stderr();
        rustix::net::sockopt::socket_type(stderr)?;
        let channel = UnixStream::from(stderr.try_clone_to_owned()?);
        rustix::stdio::dup2_stderr(std::fs::File::options().write(true).open("/dev/null")?)?;
        Ok(Self { channel, decoder: FrameDecoder::default(), outbox: Vec::new(), is_open: true })
    }

    /// Waits for the first command, and from then on waits for nothing.
    pub(super) fn read_order(&mut self) -> io::Result<Order> {
        let mut buffer = [0; 16 * 1024];
        loop {
            if let Some(frame) = self.decoder.next_frame()? {
                self.channel.set_nonblocking(true)?;
                return match Command::of(&frame)? {
                    Command::Start(order) => Ok(order),
                    Command::Terminate | Command::Kill => Err(io::ErrorKind::InvalidData.into()),
                };
            }
            let count = self.channel.read(&mut buffer)?;
            if count == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            self.decoder.push(buffer.get(..count).unwrap_or_default());
        }
    }

    /// The next command that has arrived, `Some(None)` once when the channel has ended, or `None`.
    pub(super) fn next_command(&mut self) -> Option<Option<Command>> {
        let mut buffer = [0; 256];
        while self.is_open {
            match self
                .decoder
                .next_frame()
                .and_then(|frame| frame.map(|f| Command::of(&f)).transpose())
            {
                Ok(Some(command)) => return Some(Some(command)),
                Ok(None) => {}
                Err(_) => return Some(self.close()),
            }
            match self.channel.read(&mut buffer) {
                Ok(0) => return Some(self.close()),
                Ok(count) => self.decoder.push(buffer.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return None,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return Some(self.close()),
            }
        }
        None
    }

    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    pub(super) fn is_flushed(&self) -> bool {
        self.outbox.is_empty()
    }

    /// Sends a report as far as there is room; the rest waits. Nobody hears it once the server is gone.
    pub(super) fn push(&mut self, report: &Report) -> io::Result<()> {
        if self.is_open {
            report.frame()?.append_to(&mut self.outbox)?;
            self.flush();
        }
        Ok(())
    }

    pub(super) fn flush(&mut self) {
        while self.is_open && !self.outbox.is_empty() {
            match self.channel.write(&self.outbox) {
                Ok(count) => drop(self.outbox.drain(..count)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // What is wrong with the channel shows when it is read.
                Err(_) => return,
            }
        }
    }

    /// Sends what waits, at the price of waiting for the server.
    pub(super) fn flush_all(&mut self) {
        let patient = self.channel.set_nonblocking(false).is_ok()
            && self.channel.set_write_timeout(Some(LAST_WORDS)).is_ok();
        if patient {
            self.flush();
        }
    }

    fn close(&mut self) -> Option<Command> {
        self.is_open = false;
        self.outbox.clear();
        None
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.channel.as_fd()
    }
}
