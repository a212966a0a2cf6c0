//! The last words of an agent: the end of what it wrote to standard error.

use std::collections::VecDeque;

/// Enough for a stack trace, little enough for a hundred agents.
const KEPT: usize = 64 * 1024;

/// The last 64 KiB; what is older is forgotten.
#[derive(Debug, Default)]
pub(crate) struct StderrTail {
    bytes: VecDeque<u8>,
    /// How many there were in all.
    written: u64,
}

impl StderrTail {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let newest = bytes.get(bytes.len().saturating_sub(KEPT)..).unwrap_or_default();
        let too_many = (self.bytes.len() + newest.len()).saturating_sub(KEPT);
        self.bytes.drain(..too_many);
        self.bytes.extend(newest);
        self.written += bytes.len() as u64;
    }

    pub(crate) fn written(&self) -> u64 {
        self.written
    }

    /// What was written after the first `seen` bytes, as far as it is kept.
    pub(crate) fn after(&self, seen: u64) -> String {
        let new = usize::try_from(self.written.saturating_sub(seen)).unwrap_or(usize::MAX);
        let skipped = self.bytes.len().saturating_sub(new);
        let bytes: Vec<u8> = self.bytes.iter().skip(skipped).copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// The text, with a mark in place of what is not UTF-8, such as half a character at the beginning.
    pub(crate) fn text(&self) -> String {
        let (front, back) = self.bytes.as_slices();
        String::from_utf8_lossy(&[front, back].concat()).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_is_kept_whole() {
        let mut tail = StderrTail::default();
        tail.push(b"one ");
        tail.push(b"two");
        assert_eq!(tail.text(), "one two");
    }

    #[test]
    fn of_much_the_last_64_kib_are_kept() {
        let mut tail = StderrTail::default();
        tail.push(b"forgotten");
        tail.push(&[b'a'; KEPT - 3]);
        tail.push(b"end");
        assert_eq!(tail.text(), format!("{}end", "a".repeat(KEPT - 3)));
        tail.push(&[b'b'; 3 * KEPT]);
        assert_eq!(tail.text(), "b".repeat(KEPT));
    }

    #[test]
    fn what_is_new_is_told_alone() {
        let mut tail = StderrTail::default();
        tail.push(b"one ");
        let seen = tail.written();
        assert_eq!(tail.after(seen), "");
        tail.push(b"two");
        assert_eq!((tail.after(seen), tail.after(0)), ("two".to_owned(), "one two".to_owned()));
        tail.push(&[b'b'; 3 * KEPT]);
        assert_eq!(tail.after(seen), "b".repeat(KEPT), "the rest is forgotten");
    }

    #[test]
    fn half_a_character_is_no_obstacle() {
        let mut tail = StderrTail::default();
        tail.push(&"ä".as_bytes()[1..]);
        tail.push(b"!");
        assert_eq!(tail.text(), "\u{fffd}!");
    }
}
