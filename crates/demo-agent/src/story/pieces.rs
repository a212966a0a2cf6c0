//! How a text is cut for streaming. All pieces together are the text.

const WORDS_IN_A_PIECE: usize = 3;

/// A few words each, with the spaces that follow them.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    cut(text, WORDS_IN_A_PIECE)
}

pub(crate) fn words(text: &str) -> impl Iterator<Item = &str> {
    cut(text, 1)
}

fn cut(text: &str, words: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, after) = rest.split_at(end_of_words(rest, words));
        rest = after;
        (!piece.is_empty()).then_some(piece)
    })
}

/// Where so many words and the spaces around them end.
fn end_of_words(text: &str, words: usize) -> usize {
    let mut begun = 0;
    let mut in_word = false;
    for (at, letter) in text.char_indices() {
        let begins = !letter.is_whitespace() && !in_word;
        if begins && begun == words {
            return at;
        }
        begun += usize::from(begins);
        in_word = !letter.is_whitespace();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_piece_is_a_few_words_with_the_spaces_after_them() {
        let cut: Vec<_> = pieces("  one two\nthree  four").collect();
        assert_eq!(cut, ["  one two\nthree  ", "four"]);
        let cut: Vec<_> = words("one two\n\n").collect();
        assert_eq!(cut, ["one ", "two\n\n"]);
        assert_eq!(pieces("").count(), 0);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_between_the_pieces(text in "[ \na-cé]{0,40}") {
            prop_assert_eq!(pieces(&text).collect::<String>(), text.as_str());
            prop_assert_eq!(words(&text).collect::<String>(), text.as_str());
        }
    }
}
