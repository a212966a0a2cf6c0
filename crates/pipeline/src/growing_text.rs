//! The text of one item while it grows: what is there, what was shown, and when to show it next.

use contract::{ItemStatus, Text};

use crate::gradient::{BatchCursor, BatchGradient};
use crate::moment::Moment;
use crate::pace::Pace;
use crate::words::WordCounter;

/// The rules by which growing text is shown.
#[derive(Clone, Debug)]
pub struct Batching {
    pub gradient: BatchGradient,
    pub pace: Pace,
}

/// Text that is appended to and now and then shown as a whole.
///
/// Appending costs O(new text) and, amortised, no allocation; so does showing, since a shown state shares what
/// earlier ones held.
#[derive(Clone, Debug, Default)]
pub struct GrowingText {
    /// What was shown, frozen.
    shown: Text,
    /// What arrived since.
    tail: String,
    words: WordCounter,
    cursor: BatchCursor,
    was_shown: bool,
    deadline: Option<Moment>,
}

impl GrowingText {
    /// Appends text and says whether it is due by the gradient.
    pub fn push(&mut self, text: &str, now: Moment, batching: &Batching) -> bool {
        self.tail.push_str(text);
        self.words.push(text);
        self.deadline = Some(batching.pace.deadline(self.deadline, self.was_shown, now));
        self.cursor.is_due(self.words.count(), &batching.gradient)
    }

    /// When the text is to be shown if nothing more arrives.
    pub fn deadline(&self) -> Option<Moment> {
        self.deadline
    }

    pub fn was_shown(&self) -> bool {
        self.was_shown
    }

    /// Length in bytes.
    pub fn len(&self) -> usize {
        self.shown.len() + self.tail.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether all of it was shown.
    pub fn is_all_shown(&self) -> bool {
        self.tail.is_empty()
    }

    /// Whether showing the text now would tell the reader something new.
    pub fn has_news(&self, pace: Pace) -> bool {
        match pace {
            Pace::Idle(_) => self.words.count() > self.cursor.shown_words(),
            Pace::Prompt { .. } if self.was_shown => !self.tail.is_empty(),
            Pace::Prompt { .. } => self.words.count() > 0,
        }
    }

    /// Takes the whole text to be shown now, as `create` the first time and `update` from then on.
    pub fn show(&mut self, gradient: &BatchGradient) -> (ItemStatus, Text) {
        let status = if self.was_shown { ItemStatus::Update } else { ItemStatus::Create };
        self.was_shown = true;
        self.deadline = None;
        self.cursor.advance(self.words.count(), gradient);
        (status, self.whole())
    }

    /// Notes that the deadline passed without anything worth showing.
    pub fn disarm(&mut self) {
        self.deadline = None;
    }

    /// The whole text so far.
    pub fn whole(&mut self) -> Text {
        self.shown.push_str(&self.tail);
        self.tail.clear();
        self.shown.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn provider() -> Batching {
        Batching { gradient: BatchGradient::default(), pace: Pace::PROVIDER }
    }

    #[test]
    fn a_providers_first_text_waits_50_ms_and_its_growth_250() {
        let batching = provider();
        let mut text = GrowingText::default();
        assert!(!text.push("Hello", Moment::from_millis(0), &batching));
        assert!(!text.push(",", Moment::from_millis(40), &batching));
        assert_eq!(
            text.deadline(),
            Some(Moment::from_millis(50)),
            "later text does not push the deadline back"
        );
        assert_eq!(text.show(&batching.gradient), (ItemStatus::Create, Text::from("Hello,")));
        assert_eq!(text.deadline(), None);
        text.push(" wor", Moment::from_millis(60), &batching);
        text.push("ld", Moment::from_millis(300), &batching);
        assert_eq!(text.deadline(), Some(Moment::from_millis(310)));
        assert_eq!(text.show(&batching.gradient), (ItemStatus::Update, Text::from("Hello, world")));
    }

    #[test]
    fn growth_inside_a_word_is_news_to_a_providers_reader_only() {
        for (pace, expected) in [(Pace::PROVIDER, true), (Pace::CANONICAL, false)] {
            let batching = Batching { gradient: BatchGradient::default(), pace };
            let mut text = GrowingText::default();
            text.push("hel", Moment::default(), &batching);
            text.show(&batching.gradient);
            text.push("lo", Moment::default(), &batching);
            assert_eq!(text.has_news(pace), expected);
        }
    }

    #[test]
    fn white_space_alone_is_never_worth_a_first_showing() {
        let mut text = GrowingText::default();
        text.push(" \n", Moment::default(), &provider());
        assert!(!text.has_news(Pace::PROVIDER));
    }
}
