//! The whole text of an item, cheap to take again and again while it grows.
//!
//! An upsert carries all text so far. Copying it each time would make an answer of n bytes cost O(n²); here a new
//! state shares what the earlier ones already held, so taking one costs only the text that is new.
//!
//! Invariant: every piece is more than twice as long as the next, so there are O(log n) of them.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Clone, Default)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "string"))]
pub struct Text {
    pieces: Vec<Arc<str>>,
    len: usize,
}

impl Text {
    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    pub fn pieces(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().map(|piece| &**piece)
    }

    /// Appends `suffix`; texts cloned before keep what they had.
    pub fn push_str(&mut self, suffix: &str) {
        if suffix.is_empty() {
            return;
        }
        self.len += suffix.len();
        let mut kept = self.pieces.len();
        let mut merged = suffix.len();
        while let Some(last) = kept.checked_sub(1).and_then(|index| self.pieces.get(index)) {
            if last.len() > 2 * merged {
                break;
            }
            merged += last.len();
            kept -= 1;
        }
        let piece = join(self.pieces.drain(kept..), suffix, merged);
        self.pieces.push(piece);
    }

    /// Whether this text begins with all of `prefix`. Free for pieces that both share.
    pub fn starts_with(&self, prefix: &Self) -> bool {
        if prefix.len > self.len {
            return false;
        }
        let shared =
            self.pieces.iter().zip(&prefix.pieces).take_while(|(a, b)| Arc::ptr_eq(a, b)).count();
        begins_with(self.pieces().skip(shared), prefix.pieces().skip(shared))
    }

    /// Length as JavaScript counts it.
    pub fn utf16_len(&self) -> u64 {
        self.pieces().map(utf16_len).sum()
    }

    /// Its first `bytes`, or a little less, so that no character is cut. Shares the pieces that stay whole.
    #[must_use]
    pub fn head(&self, bytes: usize) -> Self {
        let mut head = Self::default();
        for piece in &self.pieces {
            let room = bytes - head.len;
            let kept =
                if piece.len() <= room { piece.clone() } else { Arc::from(beginning(piece, room)) };
            let is_cut = kept.len() < piece.len();
            head.len += kept.len();
            head.pieces.extend(Some(kept).filter(|kept| !kept.is_empty()));
            if is_cut {
                break;
            }
        }
        head
    }

    /// Its last `bytes`, or a little less, so that no character is cut.
    pub fn tail(&self, bytes: usize) -> String {
        let mut last = Vec::new();
        let mut room = bytes;
        for piece in self.pieces.iter().rev() {
            let from = piece.ceil_char_boundary(piece.len().saturating_sub(room));
            last.push(piece.get(from..).unwrap_or_default());
            room = room.saturating_sub(piece.len());
            if from > 0 || room == 0 {
                break;
            }
        }
        last.into_iter().rev().collect()
    }

    /// What comes after its first `bytes`, which end between two characters.
    pub fn after(&self, bytes: usize) -> String {
        let mut skipped = bytes;
        let mut rest = String::with_capacity(self.len.saturating_sub(bytes));
        for piece in self.pieces() {
            rest.push_str(piece.get(skipped.min(piece.len())..).unwrap_or_default());
            skipped = skipped.saturating_sub(piece.len());
        }
        rest
    }
}

/// Whether one run of pieces begins with all of another, however both are cut.
fn begins_with<'a>(
    mut text: impl Iterator<Item = &'a str>,
    prefix: impl Iterator<Item = &'a str>,
) -> bool {
    let mut left: &[u8] = &[];
    for piece in prefix {
        let mut wanted = piece.as_bytes();
        while !wanted.is_empty() {
            if left.is_empty() {
                let Some(next) = text.next() else { return false };
                left = next.as_bytes();
            }
            let (found, later) = left.split_at(left.len().min(wanted.len()));
            let (expected, rest) = wanted.split_at(found.len());
            if found != expected {
                return false;
            }
            (left, wanted) = (later, rest);
        }
    }
    true
}

/// The first `bytes` of a text, or a little less, so that no character is cut.
pub(crate) fn beginning(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or_default()
}

/// Length as JavaScript counts it.
pub(crate) fn utf16_len(text: &str) -> u64 {
    // A character begins with any byte that continues none; those of four bytes are two units.
    let units = |byte: u8| u64::from(byte & 0xC0 != 0x80) + u64::from(byte >= 0xF0);
    text.bytes().map(units).sum()
}

fn join(pieces: impl Iterator<Item = Arc<str>>, suffix: &str, len: usize) -> Arc<str> {
    if len == suffix.len() {
        return Arc::from(suffix);
    }
    let mut joined = String::with_capacity(len);
    for piece in pieces {
        joined.push_str(&piece);
    }
    joined.push_str(suffix);
    Arc::from(joined)
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        let mut whole = Self::default();
        whole.push_str(text);
        whole
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pieces().try_for_each(|piece| f.write_str(piece))
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_string(), f)
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.starts_with(other)
    }
}

impl Eq for Text {}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.len == other.len() && begins_with(self.pieces(), std::iter::once(other))
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_earlier_state_is_untouched_by_growth() {
        let mut text = Text::from("one");
        let earlier = text.clone();
        text.push_str(" two");
        assert_eq!(earlier, "one");
        assert_eq!(text, "one two");
        assert!(text.starts_with(&earlier) && !earlier.starts_with(&text));
    }

    proptest! {
        #[test]
        fn any_cutting_gives_the_same_text(chunks in proptest::collection::vec(".{0,40}", 0..60)) {
            let mut text = Text::default();
            for chunk in &chunks {
                text.push_str(chunk);
            }
            let whole = chunks.concat();
            prop_assert_eq!(&text, whole.as_str());
            prop_assert_eq!(&text, &Text::from(whole.as_str()));
            prop_assert_eq!(serde_json::to_string(&text).unwrap(), serde_json::to_string(&whole).unwrap());
            prop_assert!(text.pieces.windows(2).all(|pair| pair[0].len() > 2 * pair[1].len()));
        }

        #[test]
        fn texts_are_equal_exactly_when_their_strings_are(a in "[ab]{0,6}", b in "[ab]{0,6}") {
            let grown = |text: &str| {
                let mut grown = Text::default();
                text.split_inclusive('a').for_each(|chunk| grown.push_str(chunk));
                grown
            };
            prop_assert_eq!(grown(&a) == grown(&b), a == b);
            prop_assert_eq!(grown(&a).starts_with(&grown(&b)), a.starts_with(&b));
            for cut in 0..=a.len() {
                prop_assert_eq!(grown(&a).after(cut), &a[cut..]);
            }
        }

        #[test]
        fn a_head_never_cuts_a_character(text in "[a\u{e4}\u{20ac}\u{1f600}]{0,40}", bytes in 0..120_usize) {
            let mut grown = Text::default();
            text.split_inclusive('a').for_each(|chunk| grown.push_str(chunk));
            let head = grown.head(bytes);
            prop_assert!(head.len() <= bytes && head.len() + 4 > bytes.min(text.len()));
            prop_assert!(grown.starts_with(&head));
            prop_assert!(head.pieces.windows(2).all(|pair| pair[0].len() > 2 * pair[1].len()));
            let units = u64::try_from(text.encode_utf16().count()).unwrap();
            prop_assert_eq!(grown.utf16_len(), units);
        }
    }
}
