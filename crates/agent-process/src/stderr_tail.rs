//! The last words of an agent: the end of what it wrote to standard error.

use std::collections::VecDeque;

/// Enough for a stack trace, little enough for a hundred agents.
const KEPT: usize = 64 * 1024;

/// The last 64 KiB; what is older is forgotten.
#[derive(Debug, Default)]
pub(crate) struct StderrTail {
    bytes: VecDeque<u8>,
}

impl StderrTail {
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        let newest = bytes.get(bytes.len().saturating_sub(KEPT)..).unwrap_or_default();
        let too_many = (self.bytes.len() + newest.len()).saturating_sub(KEPT);
        self.bytes.drain(..too_many);
        self.bytes.extend(newest);
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
    fn half_a_character_is_no_obstacle() {
        let mut tail = StderrTail::default();
        tail.push(&"ä".as_bytes()[1..]);
        tail.push(b"!");
        assert_eq!(tail.text(), "\u{fffd}!");
    }
}
