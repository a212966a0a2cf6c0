//! Cuts what is said into deltas, nothing lost between them.

use serde_json::Value;

/// The input of a call comes in this many pieces.
const INPUT_PIECES: usize = 3;

/// A text in pieces of whole words.
pub(crate) fn in_words(text: &Value, words_per_delta: usize) -> Vec<String> {
    let words: Vec<&str> = text.as_str().unwrap_or_default().split_inclusive(' ').collect();
    words.chunks(words_per_delta).map(<[&str]>::concat).collect()
}

/// The input of a call.
pub(crate) fn in_pieces(input: &str) -> Vec<String> {
    let characters: Vec<char> = input.chars().collect();
    let length = characters.len().div_ceil(INPUT_PIECES).max(1);
    characters.chunks(length).map(|piece| piece.iter().collect()).collect()
}
