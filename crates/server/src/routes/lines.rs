//! Cuts a stream of bytes into lines, however it arrives.

use bytes::{Bytes, BytesMut};

/// The longest line that is taken.
pub(super) const LONGEST_LINE: usize = 8 << 20;

/// Bytes that wait for the end of their line: at most one line and one chunk.
#[derive(Debug, Default)]
pub(super) struct Lines {
    buffer: BytesMut,
    /// Where to go on looking for a line's end, so that no byte is looked at twice.
    searched: usize,
    /// The number of the line that comes next, counted from 1.
    number: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) number: u64,
    pub(super) bytes: Bytes,
}

/// A line is longer than is taken.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong {
    pub(super) number: u64,
}

impl Lines {
    pub(super) fn push(&mut self, chunk: &[u8]) {
        self.buffer.extend_from_slice(chunk);
    }

    /// The next whole line, without its end.
    pub(super) fn next_line(&mut self) -> Result<Option<Line>, TooLong> {
        let found = self.buffer.iter().skip(self.searched).position(|byte| *byte == b'\n');
        let Some(length) = found.map(|offset| self.searched + offset) else {
            self.searched = self.buffer.len();
            return if self.searched > LONGEST_LINE {
                Err(TooLong { number: self.number + 1 })
            } else {
                Ok(None)
            };
        };
        self.searched = 0;
        let line = self.buffer.split_to(length + 1).freeze();
        let line = self.numbered(line.slice(..length));
        if length > LONGEST_LINE { Err(TooLong { number: line.number }) } else { Ok(Some(line)) }
    }

    /// What is left when no more comes: a last line without an end.
    pub(super) fn last_line(&mut self) -> Option<Line> {
        let rest = self.buffer.split().freeze();
        (!rest.is_empty()).then(|| self.numbered(rest))
    }

    fn numbered(&mut self, bytes: Bytes) -> Line {
        self.number += 1;
        let bytes = if bytes.ends_with(b"\r") { bytes.slice(..bytes.len() - 1) } else { bytes };
        Line { number: self.number, bytes }
    }
}

impl Line {
    pub(super) fn is_blank(&self) -> bool {
        self.bytes.iter().all(u8::is_ascii_whitespace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(chunks: &[&[u8]]) -> Vec<(u64, String)> {
        let mut lines = Lines::default();
        let mut found = Vec::new();
        for chunk in chunks {
            lines.push(chunk);
            while let Some(line) = lines.next_line().unwrap() {
                found.push(line);
            }
        }
        found.extend(lines.last_line());
        found
            .into_iter()
            .map(|line| (line.number, String::from_utf8(line.bytes.to_vec()).unwrap()))
            .collect()
    }

    #[test]
    fn lines_are_the_same_however_they_are_cut() {
        let text = "one\r\n\ntwo é\nthree".as_bytes();
        let expected =
            [(1, "one"), (2, ""), (3, "two é"), (4, "three")].map(|(n, line)| (n, line.to_owned()));
        for cut in 0..text.len() {
            assert_eq!(read(&[&text[..cut], &text[cut..]]), expected, "cut at {cut}");
        }
        let bytes: Vec<&[u8]> = text.chunks(1).collect();
        assert_eq!(read(&bytes), expected);
    }

    #[test]
    fn s_35_a_line_has_at_most_eight_mebibytes() {
        assert_eq!(LONGEST_LINE, 8 << 20);
        for (length, is_taken) in [(LONGEST_LINE, true), (LONGEST_LINE + 1, false)] {
            let mut lines = Lines::default();
            lines.push(&vec![b'x'; length]);
            assert_eq!(lines.next_line().is_ok(), is_taken, "{length}, before its end");
            lines.push(b"\n");
            let line = lines.next_line();
            let taken = line.ok().flatten().map(|line| line.bytes.len());
            assert_eq!(taken, is_taken.then_some(length), "{length}, with its end");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_refused_by_its_number() {
        let mut lines = Lines::default();
        lines.push(b"short\n");
        lines.push(&vec![b'x'; LONGEST_LINE + 1]);
        assert!(lines.next_line().unwrap().is_some());
        assert_eq!(lines.next_line(), Err(TooLong { number: 2 }), "before its end was seen");
        lines.push(b"\n");
        assert_eq!(lines.next_line(), Err(TooLong { number: 2 }));
    }
}
