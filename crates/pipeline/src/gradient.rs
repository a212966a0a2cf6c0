//! When a growing text is worth showing again: often at first, then less and less often.

use std::sync::Arc;

/// How many new words a text must exceed before it is shown again; the last value repeats for ever.
#[derive(Clone, Debug)]
pub struct BatchGradient(Arc<[usize]>);

/// Where one text stands on a gradient.
#[derive(Clone, Debug, Default)]
pub struct BatchCursor {
    /// May grow past the end of the gradient; the look-up clamps.
    index: usize,
    shown_words: usize,
}

impl BatchGradient {
    const DEFAULT: [usize; 5] = [10, 20, 40, 80, 120];

    /// An empty list means the default.
    pub fn new(thresholds: &[usize]) -> Self {
        if thresholds.is_empty() { Self::default() } else { Self(Arc::from(thresholds)) }
    }

    fn threshold(&self, index: usize) -> usize {
        self.0.get(index).or(self.0.last()).copied().unwrap_or_default()
    }
}

impl Default for BatchGradient {
    fn default() -> Self {
        Self(Arc::from(Self::DEFAULT))
    }
}

impl BatchCursor {
    pub fn shown_words(&self) -> usize {
        self.shown_words
    }

    /// Whether a text of `words` words exceeds the threshold; equality does not.
    pub fn is_due(&self, words: usize, gradient: &BatchGradient) -> bool {
        words - self.shown_words > gradient.threshold(self.index)
    }

    /// Notes that a text of `words` words is shown, and moves on by as many thresholds as its news exceeded.
    pub fn advance(&mut self, words: usize, gradient: &BatchGradient) {
        let mut remaining = words - self.shown_words;
        loop {
            let threshold = gradient.threshold(self.index);
            if threshold == 0 || remaining <= threshold {
                break;
            }
            remaining -= threshold;
            self.index += 1;
        }
        self.shown_words = words;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The word counts at which a text is shown that arrives in pieces of these many words.
    fn shown_at(gradient: &[usize], pieces: impl IntoIterator<Item = usize>) -> Vec<usize> {
        let gradient = BatchGradient::new(gradient);
        let mut cursor = BatchCursor::default();
        let mut words = 0;
        let mut shown = Vec::new();
        for piece in pieces {
            words += piece;
            if cursor.is_due(words, &gradient) {
                cursor.advance(words, &gradient);
                shown.push(words);
            }
        }
        shown
    }

    fn first_then_singles(first: usize, until: usize) -> Vec<usize> {
        std::iter::once(first).chain(std::iter::repeat_n(1, until - first)).collect()
    }

    #[test]
    fn one_word_at_a_time_is_shown_ever_less_often() {
        let expected = [11, 32, 73, 154, 275, 396, 517, 638];
        assert_eq!(shown_at(&[], std::iter::repeat_n(1, 700)), expected);
    }

    #[test]
    fn a_large_first_piece_moves_on_by_as_many_thresholds() {
        assert_eq!(shown_at(&[], first_then_singles(31, 160)), [31, 72, 153]);
        assert_eq!(shown_at(&[], first_then_singles(71, 160)), [71, 152]);
        assert_eq!(shown_at(&[], first_then_singles(151, 280)), [151, 272]);
        assert_eq!(shown_at(&[], first_then_singles(271, 400)), [271, 392]);
        assert_eq!(shown_at(&[], first_then_singles(500, 630)), [500, 621]);
    }

    #[test]
    fn the_index_runs_past_the_end_of_the_list() {
        for (first, index) in [(151, 5), (271, 6), (500, 7)] {
            let gradient = BatchGradient::default();
            let mut cursor = BatchCursor::default();
            cursor.advance(first, &gradient);
            cursor.advance(first + 121, &gradient);
            assert_eq!(cursor.index, index, "after {first} words and 121 more");
        }
    }

    #[test]
    fn the_last_threshold_repeats() {
        assert_eq!(shown_at(&[1, 2], std::iter::repeat_n(1, 10)), [2, 5, 8]);
    }

    #[test]
    fn a_zero_threshold_shows_every_word_and_never_loops() {
        assert_eq!(shown_at(&[0], [1, 1, 5]), [1, 2, 7]);
    }
}
