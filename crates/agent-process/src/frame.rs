//! Frames on the control channel: a tag, the length of what follows as four bytes, and what follows.

use std::io;

/// Far more than any command line and environment that an operating system takes.
const LONGEST: usize = 16 * 1024 * 1024;

const HEADER: usize = 5;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) tag: u8,
    pub(crate) payload: Vec<u8>,
}

impl Frame {
    pub(crate) fn append_to(&self, bytes: &mut Vec<u8>) -> io::Result<()> {
        let length = u32::try_from(self.payload.len()).map_err(io::Error::other)?;
        bytes.push(self.tag);
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(&self.payload);
        Ok(())
    }
}

/// Puts frames together from bytes as they arrive.
///
/// It holds one unfinished frame and what was read with it; a frame longer than 16 MiB is an error.
#[derive(Debug, Default)]
pub(crate) struct FrameDecoder {
    buffer: Vec<u8>,
}

impl FrameDecoder {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    pub(crate) fn next_frame(&mut self) -> io::Result<Option<Frame>> {
        let Some(([tag, a, b, c, d], rest)) = self.buffer.split_first_chunk::<HEADER>() else {
            return Ok(None);
        };
        let length =
            usize::try_from(u32::from_be_bytes([*a, *b, *c, *d])).map_err(io::Error::other)?;
        if length > LONGEST {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a frame is too long"));
        }
        let Some(payload) = rest.get(..length) else { return Ok(None) };
        let frame = Frame { tag: *tag, payload: payload.to_vec() };
        self.buffer.drain(..HEADER + length);
        Ok(Some(frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(tag: u8, payload: &[u8]) -> Frame {
        Frame { tag, payload: payload.to_vec() }
    }

    #[test]
    fn frames_survive_any_cutting_of_their_bytes() {
        let frames = [frame(1, b"first"), frame(2, b""), frame(3, &[0; 700])];
        let mut bytes = Vec::new();
        frames.iter().for_each(|frame| frame.append_to(&mut bytes).unwrap());
        for size in [1, 2, 5, 7, bytes.len()] {
            let mut decoder = FrameDecoder::default();
            let mut decoded = Vec::new();
            for chunk in bytes.chunks(size) {
                decoder.push(chunk);
                while let Some(frame) = decoder.next_frame().unwrap() {
                    decoded.push(frame);
                }
            }
            assert_eq!(decoded, frames);
        }
    }

    #[test]
    fn a_frame_that_claims_to_be_huge_is_refused_before_it_is_read() {
        let mut decoder = FrameDecoder::default();
        decoder.push(&[1, 0xff, 0xff, 0xff, 0xff]);
        assert!(decoder.next_frame().is_err());
    }
}
