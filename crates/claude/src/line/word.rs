//! A string of a line, borrowed from it where its JSON has no escapes.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Empty where the line has something other than a string: one odd field is no reason to lose a line.
///
/// An own type because serde borrows into a bare `Cow` only, not into one inside an `Option` or a `Vec`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Word<'a>(pub(crate) Cow<'a, str>);

impl Word<'_> {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The string, unless it is empty.
    pub(crate) fn given(&self) -> Option<&str> {
        Some(&*self.0).filter(|text| !text.is_empty())
    }
}

impl<'a> From<&'a str> for Word<'a> {
    fn from(text: &'a str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

impl Deref for Word<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Word<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordVisitor)
    }
}

struct WordVisitor;

impl<'de> Visitor<'de> for WordVisitor {
    type Value = Word<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Word(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Word(Cow::Owned(text.to_owned())))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Word::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
        Ok(Word::default())
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Word::default())
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Word::default())
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Word::default())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Word::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Word::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_string_without_escapes_is_borrowed_also_inside_an_option() {
        let word: Option<Word<'_>> = serde_json::from_str(r#""plain""#).unwrap();
        assert!(matches!(word, Some(Word(Cow::Borrowed("plain")))));
        let word: Word<'_> = serde_json::from_str(r#""two\nlines""#).unwrap();
        assert_eq!(word.as_str(), "two\nlines");
    }

    #[test]
    fn something_else_in_its_place_is_empty() {
        for odd in ["null", "7", "-7", "1.5", "true", r#"{"a":[1]}"#, "[1,{}]"] {
            assert_eq!(serde_json::from_str::<Word<'_>>(odd).unwrap(), Word::default(), "{odd}");
        }
    }
}
