//! How much is taken of what only describes. A line of an agent has megabytes of room, and what describes a session is told to
//! everybody who looks at it, again with every change.
//!
//! Contents (texts, arguments, outputs, changes) are not cut here, and ids never: one that is too long is not taken.

/// Names and titles, in bytes.
pub(crate) const TITLE: usize = 2 * 1024;
/// Descriptions, steps of a plan, notices, errors, in bytes.
pub(crate) const WORDS: usize = 8 * 1024;
/// What something can be chosen by, in bytes.
pub(crate) const ID: usize = 512;
/// Steps of a plan.
pub(crate) const STEPS: usize = 200;
/// Modes, models, commands: of each. Some agents offer the models of every provider there is.
pub(crate) const CHOICES: usize = 2_000;
/// Options of a permission request.
pub(crate) const OPTIONS: usize = 64;

/// The text, or its beginning with a mark that there was more.
pub(crate) fn shorten(text: &str, longest: usize) -> String {
    const MORE: char = '…';
    if text.len() <= longest {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(longest.saturating_sub(MORE.len_utf8()));
    let mut short = text.get(..end).unwrap_or_default().to_owned();
    short.push(MORE);
    short
}

pub(crate) fn is_usable_id(id: &str) -> bool {
    (1..=ID).contains(&id.len())
}

/// As many as are taken of what can be chosen. What is left out cannot be shown among them, so it is told in the log.
pub(crate) fn choices<T>(mut all: Vec<T>, what: &str) -> Vec<T> {
    if all.len() > CHOICES {
        tracing::warn!(offered = all.len(), taken = CHOICES, what, "the agent offers too many");
        all.truncate(CHOICES);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_between_characters_and_the_cut_is_marked() {
        assert_eq!(shorten("short", 5), "short");
        assert_eq!(shorten("longer", 5), "lo…");
        assert_eq!(shorten("ääää", 6), "ä…");
        assert_eq!(shorten("ä", 1), "…");
    }
}
