//! What agents say, on a terminal.

/// One line that only says something. Whatever would steer the terminal is shown as a mark.
pub(crate) fn shown(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_steers_the_terminal() {
        let told = "a\u{1b}]0;owned\u{7}b\u{9b}2Jc\rd\n→ é";
        assert_eq!(shown(told), "a\u{fffd}]0;owned\u{fffd}b\u{fffd}2Jc\u{fffd}d\u{fffd}→ é");
    }
}
