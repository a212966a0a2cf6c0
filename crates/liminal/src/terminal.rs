//! What agents say, on a terminal: it says something and steers nothing.

/// One line. Whatever would steer the terminal is shown as a mark, and what hides or turns text around by its number.
pub(crate) fn shown(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut shown, c| {
        push_shown(&mut shown, c);
        shown
    })
}

/// The same for text of several lines.
pub(crate) fn shown_text(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut shown, c| {
        if matches!(c, '\n' | '\t') {
            shown.push(c);
        } else {
            push_shown(&mut shown, c);
        }
        shown
    })
}

/// JSON that means the same and steers nothing: what its writer leaves as it is in strings becomes an escape there.
pub(crate) fn escaped_json(json: &str) -> String {
    json.chars().fold(String::with_capacity(json.len()), |mut escaped, c| {
        // Outside of strings JSON has none of them.
        if c.is_control() || is_invisible(c) {
            let units = c
                .encode_utf16(&mut [0; 2])
                .iter()
                .map(|unit| format!("\\u{unit:04x}"))
                .collect::<String>();
            escaped.push_str(&units);
        } else {
            escaped.push(c);
        }
        escaped
    })
}

fn push_shown(shown: &mut String, c: char) {
    if c.is_control() {
        shown.push(char::REPLACEMENT_CHARACTER);
    } else if is_invisible(c) {
        shown.push_str(&format!("<U+{:04X}>", u32::from(c)));
    } else {
        shown.push(c);
    }
}

/// Characters that show nothing or change the order of what is shown, so that what is read is not what is there.
/// The joiner of emoji and scripts (U+200D) and its opposite stay, and so do variants of emoji: without them text falls apart.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
            | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            // Letters that are there for programs and not for eyes: whole sentences can be hidden in them.
            | '\u{e0000}'..='\u{e0fff}'
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What ECMA-48 makes of bytes: single controls, sequences with parameters, strings with and without an end, in
    /// their seven-bit and their eight-bit forms, and characters that turn or hide text.
    fn piece() -> impl Strategy<Value = String> {
        let introducer = prop::sample::select(vec![
            "\u{1b}[", "\u{9b}", "\u{1b}]", "\u{9d}", "\u{1b}P", "\u{90}", "\u{1b}_", "\u{9f}",
            "\u{1b}^", "\u{9e}", "\u{1b}X", "\u{98}", "\u{1b}", "\u{1b}(", "\u{1b}N",
        ]);
        let end =
            prop::sample::select(vec!["", "\u{7}", "\u{1b}\\", "\u{9c}", "m", "J", "n", "\u{18}"]);
        let sequence = (introducer, "[0-?]{0,6}[ -/]{0,2}[ -~]{0,8}", end);
        let hidden = "\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}\u{200b}\u{200e}\u{200f}\u{2060}\u{feff}\u{ad}\u{e0041}";
        let hidden: Vec<String> = hidden.chars().map(String::from).collect();
        prop_oneof![
            sequence.prop_map(|(introducer, inside, end)| format!("{introducer}{inside}{end}")),
            (0_u8..0xa0).prop_map(|byte| char::from(byte).to_string()),
            prop::sample::select(hidden),
            ".{0,8}",
        ]
    }

    fn text() -> impl Strategy<Value = String> {
        prop::collection::vec(piece(), 0..12).prop_map(|pieces| pieces.concat())
    }

    fn is_harmless(c: char) -> bool {
        let number = u32::from(c);
        number >= 0x20 && !(0x7f..=0x9f).contains(&number) && !is_invisible(c)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn s_17_whatever_an_agent_says_steers_and_hides_nothing(text in text()) {
            let line = shown(&text);
            prop_assert!(line.chars().all(is_harmless), "{line:?}");
            let lines = shown_text(&text);
            prop_assert!(
                lines.chars().all(|c| is_harmless(c) || matches!(c, '\n' | '\t')),
                "{lines:?}"
            );
            let json = serde_json::Value::String(text.clone());
            let escaped = escaped_json(&json.to_string());
            prop_assert!(escaped.chars().all(is_harmless), "{escaped:?}");
            prop_assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), json);
            // Nothing is lost without a trace: each character is itself, a mark or its number.
            for c in text.chars().filter(|c| is_invisible(*c)) {
                let number = format!("<U+{:04X}>", u32::from(c));
                prop_assert!(line.contains(&number), "{line:?} hides {number}");
            }
        }
    }

    #[test]
    fn nothing_steers_the_terminal() {
        let told = "a\u{1b}]0;owned\u{7}b\u{9b}2Jc\rd\n→ é";
        assert_eq!(shown(told), "a\u{fffd}]0;owned\u{fffd}b\u{fffd}2Jc\u{fffd}d\u{fffd}→ é");
        assert_eq!(shown_text("a\n\tb\u{1b}[2J\r"), "a\n\tb\u{fffd}[2J\u{fffd}");
    }

    #[test]
    fn what_turns_text_around_or_hides_is_seen() {
        assert_eq!(shown("rm \u{202e}cod\u{2066}\u{200b}"), "rm <U+202E>cod<U+2066><U+200B>");
        assert_eq!(shown("ok\u{e0072}\u{ad}\u{3164}"), "ok<U+E0072><U+00AD><U+3164>");
        assert_eq!(shown("\u{26a0}\u{fe0f}"), "\u{26a0}\u{fe0f}", "signs stay what they are");
    }

    #[test]
    fn escaped_json_means_the_same() {
        let value = serde_json::json!({"text": "a\u{1b}[2J\u{9b}2J\u{7f}\u{202e}\u{e0072}é\n\t"});
        let escaped = escaped_json(&value.to_string());
        assert!(!escaped.chars().any(|c| c.is_control() || is_invisible(c)), "{escaped}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&escaped).unwrap(), value);
    }
}
