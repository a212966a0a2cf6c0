//! JSON lines in and out: bounded both ways, and no line can end the conversation.

use std::io;
use std::sync::Arc;

use agent_client_protocol::{Agent, ConnectTo, Lines};
use futures_util::{sink, stream};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Semaphore;

/// Enough for any prompt with pictures in it; what is longer is answered as a line that cannot be read.
const LONGEST_LINE: usize = 32 << 20;

/// Updates that may wait to be written. The implementation below us queues without a bound, so whoever sends an update
/// takes a credit first, and waits when the client reads slowly.
const UNWRITTEN_UPDATES: u32 = 64;

#[derive(Clone, Debug)]
pub(crate) struct Credit(Arc<Semaphore>);

impl Credit {
    pub(crate) fn full() -> Self {
        Self(Arc::new(Semaphore::new(UNWRITTEN_UPDATES as usize)))
    }

    pub(crate) async fn take(&self) {
        // It is never closed; whoever waits for it ends with the connection.
        if let Ok(permit) = self.0.acquire().await {
            permit.forget();
        }
    }

    /// Waits until every update has reached the client's pipe.
    pub(crate) async fn all_written(&self) {
        drop(self.0.acquire_many(UNWRITTEN_UPDATES).await);
    }

    fn written(&self, line: &str) {
        // Quotes inside a text are escaped, so only the method itself looks like this.
        if line.contains(r#""method":"session/update""#) {
            self.0.add_permits(1);
        }
    }
}

pub(crate) fn transport(
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
    credit: Credit,
) -> impl ConnectTo<Agent> + 'static {
    let incoming = stream::unfold(BufReader::new(input), async |mut input| {
        let line = next_line(&mut input).await.transpose()?;
        Some((line, input))
    });
    let outgoing = sink::unfold((output, credit), async |(mut output, credit), line: String| {
        output.write_all(format!("{line}\n").as_bytes()).await?;
        output.flush().await?;
        credit.written(&line);
        Ok::<_, io::Error>((output, credit))
    });
    Lines::new(Box::pin(outgoing), Box::pin(incoming))
}

/// The next line that says anything. Bytes that are no text are replaced: then it is a bad line, and not a bad client.
async fn next_line(input: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<String>> {
    loop {
        let Some(line) = read_line(input, LONGEST_LINE).await? else { return Ok(None) };
        let line = String::from_utf8_lossy(&line);
        if !line.trim().is_empty() {
            return Ok(Some(line.trim().to_owned()));
        }
    }
}

/// A line without its end, or what is left before the end of the input. A line that is too long becomes one that is no
/// JSON and says so.
async fn read_line(
    input: &mut (impl AsyncBufRead + Unpin),
    longest: usize,
) -> io::Result<Option<Vec<u8>>> {
    let (mut line, mut length) = (Vec::new(), 0);
    loop {
        let bytes = input.fill_buf().await?;
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let part = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
        let at_end = bytes.is_empty();
        length += part.len();
        if length <= longest {
            line.extend_from_slice(part);
        }
        let taken = part.len() + usize::from(end.is_some());
        input.consume(taken);
        if end.is_none() && !at_end {
            continue;
        }
        if at_end && length == 0 {
            return Ok(None);
        }
        if length > longest {
            line = format!("a line of {length} bytes, which is too long").into_bytes();
        }
        return Ok(Some(line));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(bytes: &[u8], buffer: usize, longest: usize) -> Vec<String> {
        let mut input = BufReader::with_capacity(buffer, bytes);
        let mut lines = Vec::new();
        while let Some(line) = read_line(&mut input, longest).await.unwrap() {
            lines.push(String::from_utf8(line).unwrap());
        }
        lines
    }

    #[tokio::test]
    async fn lines_are_whole_however_they_arrive() {
        for buffer in 1..12 {
            assert_eq!(lines(b"one\n\nthree\nhalf", buffer, 9).await, ["one", "", "three", "half"]);
        }
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_says_so_and_the_next_one_counts() {
        for buffer in 1..12 {
            let lines = lines(b"123456\n12345\n", buffer, 5).await;
            assert_eq!(lines, ["a line of 6 bytes, which is too long", "12345"]);
        }
    }

    #[tokio::test]
    async fn empty_lines_say_nothing_and_bad_bytes_do_not_end_the_input() {
        let mut input: &[u8] = b"\n  \r\n\xff\xfe\r\nnext";
        assert_eq!(next_line(&mut input).await.unwrap().unwrap(), "\u{fffd}\u{fffd}");
        assert_eq!(next_line(&mut input).await.unwrap().unwrap(), "next");
        assert_eq!(next_line(&mut input).await.unwrap(), None);
    }
}
