//! Messages and their content blocks, as the model's API shapes them.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::word::Word;

/// The `message` of an `assistant` or `user` line.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Message<'a> {
    #[serde(borrow)]
    pub(crate) id: Word<'a>,
    #[serde(borrow)]
    pub(crate) model: Word<'a>,
    #[serde(borrow)]
    pub(crate) content: Content<'a>,
    pub(crate) usage: Option<ApiUsage>,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ApiUsage {
    pub(crate) input_tokens: Option<u64>,
    pub(crate) output_tokens: Option<u64>,
    pub(crate) cache_read_input_tokens: Option<u64>,
    pub(crate) cache_creation_input_tokens: Option<u64>,
}

/// A string or a list of blocks; the API allows both.
#[derive(Debug)]
pub(crate) enum Content<'a> {
    Text(Word<'a>),
    Blocks(Vec<Block<'a>>),
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Block<'a> {
    #[serde(rename = "type", borrow)]
    pub(crate) kind: Word<'a>,
    #[serde(borrow)]
    pub(crate) text: Word<'a>,
    #[serde(borrow)]
    pub(crate) thinking: Word<'a>,
    #[serde(borrow)]
    pub(crate) id: Word<'a>,
    #[serde(borrow)]
    pub(crate) name: Word<'a>,
    #[serde(borrow)]
    pub(crate) input: Option<&'a RawValue>,
    #[serde(borrow)]
    pub(crate) tool_use_id: Word<'a>,
    #[serde(borrow)]
    pub(crate) content: Content<'a>,
    pub(crate) is_error: Option<bool>,
}

impl Default for Content<'_> {
    fn default() -> Self {
        Self::Blocks(Vec::new())
    }
}

impl<'a> Content<'a> {
    pub(crate) fn blocks(&self) -> &[Block<'a>] {
        match self {
            Self::Text(_) => &[],
            Self::Blocks(blocks) => blocks,
        }
    }

    /// As one string: text blocks joined by newlines, others named in brackets.
    pub(crate) fn to_plain_text(&self) -> String {
        match self {
            Self::Text(text) => text.as_str().to_owned(),
            Self::Blocks(blocks) => {
                let parts: Vec<String> = blocks.iter().map(Block::to_plain_text).collect();
                parts.join("\n")
            }
        }
    }
}

impl Block<'_> {
    fn to_plain_text(&self) -> String {
        match self.kind.as_str() {
            "text" => self.text.as_str().to_owned(),
            other => format!("[{other}]"),
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ContentVisitor)
    }
}

struct ContentVisitor;

impl<'de> Visitor<'de> for ContentVisitor {
    type Value = Content<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a list of content blocks")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Content::Text(Word::from(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Content::Text(Word(text.to_owned().into())))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Content::default())
    }

    /// Some lines carry an object of their own under this name.
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<serde::de::IgnoredAny, serde::de::IgnoredAny>()?.is_some() {}
        Ok(Content::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        let mut blocks = Vec::with_capacity(1);
        while let Some(block) = seq.next_element()? {
            blocks.push(block);
        }
        Ok(Content::Blocks(blocks))
    }
}
