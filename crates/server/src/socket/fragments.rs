//! How many pieces a client's message may come in.
//!
//! The library joins pieces however many there are, so frames are counted on their way to it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

pub(super) const PIECES_AT_MOST: u32 = 64;

const FINAL: u8 = 0x80;
const OPCODE: u8 = 0x0f;
const MASKED: u8 = 0x80;
const LENGTH: u8 = 0x7f;
const MASK_BYTES: usize = 4;

#[derive(Debug, thiserror::Error)]
#[error("a message comes in more than {PIECES_AT_MOST} pieces")]
pub(super) struct TooManyPieces;

/// Finds the frames in what a client sends.
#[derive(Debug, Default)]
struct Frames {
    /// As much as there is of the head of the next one.
    head: Vec<u8>,
    /// How much is still to come of the last one.
    payload: u64,
    /// Of the message that is under way.
    pieces: u32,
}

impl Frames {
    fn take(&mut self, mut bytes: &[u8]) -> Result<(), TooManyPieces> {
        loop {
            let skipped = usize::try_from(self.payload).unwrap_or(usize::MAX).min(bytes.len());
            self.payload -= skipped as u64;
            let Some((first, rest)) = bytes.get(skipped..).and_then(<[u8]>::split_first) else {
                return Ok(());
            };
            bytes = rest;
            self.head.push(*first);
            if let Some(payload) = payload_after(&self.head) {
                self.payload = payload;
                self.count()?;
                self.head.clear();
            }
        }
    }

    fn count(&mut self) -> Result<(), TooManyPieces> {
        let first = self.head.first().copied().unwrap_or_default();
        self.pieces = match first & OPCODE {
            0 => self.pieces + 1,
            1 | 2 => 1,
            // Control frames may stand between the pieces of a message.
            _ => return Ok(()),
        };
        // One that is not the last is followed by another.
        let least = self.pieces + u32::from(first & FINAL == 0);
        if least > PIECES_AT_MOST { Err(TooManyPieces) } else { Ok(()) }
    }
}

/// How long the payload is, once the head is whole.
fn payload_after(head: &[u8]) -> Option<u64> {
    let [_, second, rest @ ..] = head else { return None };
    let length_bytes = match second & LENGTH {
        126 => 2,
        127 => 8,
        _ => 0,
    };
    let mask = if second & MASKED == 0 { 0 } else { MASK_BYTES };
    if rest.len() < length_bytes + mask {
        return None;
    }
    let long = rest.iter().take(length_bytes).fold(0, |sum, byte| (sum << 8) | u64::from(*byte));
    Some(if length_bytes == 0 { u64::from(second & LENGTH) } else { long })
}

/// A client's connection whose frames are counted.
#[derive(Debug)]
pub(super) struct CountedPieces<T> {
    inner: T,
    frames: Frames,
}

impl<T> CountedPieces<T> {
    pub(super) fn new(inner: T) -> Self {
        Self { inner, frames: Frames::default() }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for CountedPieces<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        let read = buffer.filled().get(before..).unwrap_or_default();
        Poll::Ready(self.frames.take(read).map_err(io::Error::other))
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for CountedPieces<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.inner).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frame(opcode: u8, is_final: bool, masked: bool, length: usize) -> Vec<u8> {
        let mask = if masked { MASKED } else { 0 };
        let mut bytes = vec![opcode | if is_final { FINAL } else { 0 }];
        match (u8::try_from(length), u16::try_from(length)) {
            (Ok(short), _) if short < 126 => bytes.push(mask | short),
            (_, Ok(middle)) => {
                bytes.push(mask | 126);
                bytes.extend(middle.to_be_bytes());
            }
            _ => {
                bytes.push(mask | 127);
                bytes.extend((length as u64).to_be_bytes());
            }
        }
        bytes.extend(vec![0xff; length + if masked { MASK_BYTES } else { 0 }]);
        bytes
    }

    /// A message in so many pieces, with a ping after each but the last.
    fn message(pieces: u32, length: usize) -> Vec<u8> {
        let of = |n| frame(u8::from(n == 1), n == pieces, true, length);
        let ping = frame(9, true, true, 3);
        (1..=pieces)
            .flat_map(|n| [of(n), if n < pieces { ping.clone() } else { vec![] }])
            .flatten()
            .collect()
    }

    proptest! {
        #[test]
        fn messages_of_as_many_pieces_as_are_allowed_pass_however_they_arrive(
            messages in prop::collection::vec((1..=PIECES_AT_MOST, prop_oneof![9 => 0..130_usize, 1 => Just(70_000)]), 1..4),
            cut in 1..5000_usize,
        ) {
            let bytes: Vec<u8> = messages.iter().flat_map(|(pieces, length)| message(*pieces, *length)).collect();
            let mut frames = Frames::default();
            for part in bytes.chunks(cut) {
                prop_assert!(frames.take(part).is_ok());
            }
            prop_assert_eq!((frames.head.len(), frames.payload), (0, 0), "frames end where they end");
        }

        #[test]
        fn one_piece_more_does_not(cut in 1..500_usize, length in 0..200_usize) {
            let bytes = message(PIECES_AT_MOST + 1, length);
            let mut frames = Frames::default();
            prop_assert!(bytes.chunks(cut).any(|part| frames.take(part).is_err()));
        }
    }
}
