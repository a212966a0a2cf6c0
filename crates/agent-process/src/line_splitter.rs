//! Cuts a stream of bytes into lines, in memory that does not grow with the stream.
//!
//! However the stream is cut into chunks, the lines are the same.

use std::ops::Range;

/// The longest line that is given whole. No agent was seen to write one of a hundredth of this.
pub(crate) const LONGEST_LINE: usize = 8 * 1024 * 1024;

/// What is asked from the operating system at once: as much as a pipe holds.
const CHUNK: usize = 64 * 1024;

/// One line of an agent's output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Without the newline.
    pub bytes: &'a [u8],
    /// The line was longer than 8 MiB: these are its first, the others are gone.
    pub cut: bool,
    /// The output ended without a newline: the agent may have died in the middle of the line.
    pub unfinished: bool,
}

/// Where a line lies in the buffer, until the next call that changes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    range: Range<usize>,
    cut: bool,
    unfinished: bool,
}

#[derive(Debug)]
pub(crate) struct LineSplitter {
    buffer: Vec<u8>,
    /// Everything before it has been given out or skipped.
    start: usize,
    /// There is no newline between `start` and here, so that a long line is searched once.
    searched: usize,
    /// The beginning of this line was given out as cut; the rest is passed over.
    skipping: bool,
    longest: usize,
    cut_lines: u64,
}

impl LineSplitter {
    pub(crate) fn new(longest: usize) -> Self {
        Self { buffer: Vec::new(), start: 0, searched: 0, skipping: false, longest, cut_lines: 0 }
    }

    /// The buffer with room for the next chunk at its end; only ever append to it.
    pub(crate) fn room(&mut self) -> &mut Vec<u8> {
        self.forget_consumed();
        self.buffer.reserve(CHUNK);
        &mut self.buffer
    }

    /// The next whole line, or `None` until more has been read.
    pub(crate) fn next_line(&mut self) -> Option<Found> {
        loop {
            let newline = self.find_newline();
            if self.skipping {
                self.start = newline.map_or(self.buffer.len(), |at| at + 1);
                self.searched = self.start;
                self.skipping = newline.is_none();
                newline?;
                continue;
            }
            let end = newline.unwrap_or(self.buffer.len());
            if end - self.start > self.longest {
                return Some(self.cut());
            }
            newline?;
            return Some(self.take(end, end + 1));
        }
    }

    /// What is left once the stream has ended and `next_line` has nothing more.
    pub(crate) fn finish(&mut self) -> Option<Found> {
        let end = self.buffer.len();
        if self.skipping || self.start == end {
            return None;
        }
        let found = self.take(end, end);
        Some(Found { unfinished: true, ..found })
    }

    pub(crate) fn line(&self, found: Found) -> Line<'_> {
        let Found { range, cut, unfinished } = found;
        Line { bytes: self.buffer.get(range).unwrap_or_default(), cut, unfinished }
    }

    /// How many lines were too long to be given whole.
    pub(crate) fn cut_lines(&self) -> u64 {
        self.cut_lines
    }

    fn find_newline(&mut self) -> Option<usize> {
        let unsearched = self.buffer.get(self.searched..).unwrap_or_default();
        let newline = unsearched.iter().position(|byte| *byte == b'\n');
        let found = newline.map(|offset| self.searched + offset);
        self.searched = found.unwrap_or(self.buffer.len());
        found
    }

    fn take(&mut self, end: usize, next: usize) -> Found {
        let range = self.start..end;
        self.start = next;
        self.searched = next;
        Found { range, cut: false, unfinished: false }
    }

    fn cut(&mut self) -> Found {
        let end = self.start + self.longest;
        self.skipping = true;
        self.cut_lines += 1;
        Found { cut: true, ..self.take(end, end) }
    }

    /// Moves the unfinished line to the front, and gives back the memory that a huge one took.
    fn forget_consumed(&mut self) {
        self.buffer.drain(..self.start);
        self.searched -= self.start;
        self.start = 0;
        if self.buffer.len() < CHUNK && self.buffer.capacity() > 4 * CHUNK {
            self.buffer.shrink_to(2 * CHUNK);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Owned = (Vec<u8>, bool, bool);

    fn lines(chunks: &[&[u8]], longest: usize) -> (Vec<Owned>, u64) {
        let mut splitter = LineSplitter::new(longest);
        let mut lines = Vec::new();
        for chunk in chunks {
            splitter.room().extend_from_slice(chunk);
            while let Some(found) = splitter.next_line() {
                lines.push(owned(splitter.line(found)));
            }
        }
        if let Some(found) = splitter.finish() {
            lines.push(owned(splitter.line(found)));
        }
        (lines, splitter.cut_lines())
    }

    fn owned(line: Line<'_>) -> Owned {
        (line.bytes.to_vec(), line.cut, line.unfinished)
    }

    fn whole(text: &str) -> Owned {
        (text.as_bytes().to_vec(), false, false)
    }

    #[test]
    fn lines_come_without_their_newline_and_empty_ones_count() {
        assert_eq!(lines(&[b"a\n\nb\n"], 9).0, [whole("a"), whole(""), whole("b")]);
    }

    #[test]
    fn a_last_line_without_newline_is_given_as_unfinished() {
        assert_eq!(lines(&[b"a\nb"], 9).0, [whole("a"), (b"b".to_vec(), false, true)]);
    }

    #[test]
    fn a_line_of_exactly_the_longest_length_is_whole() {
        assert_eq!(lines(&[b"1234\n", b"5\n"], 4), (vec![whole("1234"), whole("5")], 0));
    }

    #[test]
    fn a_longer_line_is_cut_and_the_next_one_is_intact() {
        let (lines, cut) = lines(&[b"12345", b"67\nnext\n"], 4);
        assert_eq!(lines, [(b"1234".to_vec(), true, false), whole("next")]);
        assert_eq!(cut, 1);
    }

    #[test]
    fn the_end_of_the_stream_in_a_cut_line_adds_nothing() {
        assert_eq!(lines(&[b"12345", b"6"], 4).0, [(b"1234".to_vec(), true, false)]);
    }

    #[test]
    fn the_memory_of_a_huge_line_is_given_back() {
        let mut splitter = LineSplitter::new(LONGEST_LINE);
        splitter.room().extend_from_slice(&vec![b'x'; 6 * 1024 * 1024]);
        assert_eq!(splitter.next_line(), None);
        splitter.room().extend_from_slice(b"\nsmall");
        assert!(splitter.next_line().is_some());
        assert!(splitter.room().capacity() <= 4 * CHUNK);
    }

    proptest! {
        #[test]
        fn any_chunking_gives_the_same_lines(
            bytes in prop::collection::vec(prop_oneof![Just(b'\n'), Just(b'a'), any::<u8>()], 0..200),
            cuts in prop::collection::vec(0_usize..200, 0..20),
            longest in 1_usize..12,
        ) {
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let chunks: Vec<&[u8]> = cuts.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(lines(&chunks, longest), lines(&[&bytes], longest));
        }
    }
}
