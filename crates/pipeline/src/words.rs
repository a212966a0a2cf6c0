//! Counts words of a text that arrives in pieces, without looking at any piece twice.

/// Counts maximal runs of characters that are not Unicode white space.
///
/// However the text is cut into pieces, the count is that of the whole.
#[derive(Clone, Debug, Default)]
pub struct WordCounter {
    count: usize,
    in_word: bool,
}

impl WordCounter {
    pub fn count(&self) -> usize {
        self.count
    }

    pub fn push(&mut self, piece: &str) {
        for character in piece.chars() {
            let in_word = !character.is_whitespace();
            self.count += usize::from(in_word && !self.in_word);
            self.in_word = in_word;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    fn count_in_pieces<'a>(pieces: impl IntoIterator<Item = &'a str>) -> usize {
        let mut counter = WordCounter::default();
        pieces.into_iter().for_each(|piece| counter.push(piece));
        counter.count()
    }

    /// Texts rich in what is easily got wrong: every Unicode white space, its look-alikes, characters of 1 to 4 bytes.
    fn tricky_text() -> impl Strategy<Value = Vec<char>> {
        let white = "\t\n\u{b}\u{c}\r \u{85}\u{a0}\u{1680}\u{2000}\u{2003}\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}";
        let lookalikes = "\u{200b}\u{feff}\u{180e}\u{2060}\u{1c}";
        let others = "aZ0.é߿ह€𝄞🦀";
        let characters: Vec<char> = [white, lookalikes, others].concat().chars().collect();
        let picked = prop_oneof![4 => proptest::sample::select(characters), 1 => any::<char>()];
        proptest::collection::vec(picked, 0..60)
    }

    proptest! {
        #[test]
        fn every_cutting_counts_the_runs_of_the_whole(
            text in tricky_text(),
            cuts in proptest::collection::vec(any::<bool>(), 60),
        ) {
            let mut pieces = vec![String::new()];
            for (character, cut) in text.iter().zip(cuts) {
                if cut {
                    pieces.push(String::new());
                }
                pieces.last_mut().unwrap().push(*character);
            }
            let whole: String = text.iter().collect();
            let expected = Regex::new(r"\S+").unwrap().find_iter(&whole).count();
            prop_assert_eq!(count_in_pieces(pieces.iter().map(String::as_str)), expected);
            prop_assert_eq!(count_in_pieces([whole.as_str()]), expected);
        }
    }

    #[test]
    fn growth_inside_a_word_and_white_space_do_not_count() {
        assert_eq!(count_in_pieces(["hel", "lo", " ", "\n", "w"]), 2);
        assert_eq!(count_in_pieces(["", " ", ""]), 0);
    }
}
