//! A line that was too long and lost its end, closed where it broke off: what is left of it is a message still.
//!
//! An agent that prints one enormous tool result would else be told as if it had said nothing, and the tool would run for ever.

use std::borrow::Cow;

use agent_process::Line;

/// Stands where the text of a cut line ends.
const MARK: &str = "\\n[cut here: the agent's line was longer than 8 MiB]";

/// What a line says; a cut one as far as it goes.
pub(super) fn text_of(line: Line<'_>) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(line.bytes);
    if !line.cut {
        return text;
    }
    tracing::warn!("a line of the agent was too long and lost its end");
    Cow::Owned(mended(text.trim_end_matches(char::REPLACEMENT_CHARACTER)))
}

/// Closes what is open at the end of JSON that broke off.
fn mended(text: &str) -> String {
    let mut broken = Broken::default();
    for (at, byte) in text.bytes().enumerate() {
        broken.read(at, byte);
    }
    broken.closed(text)
}

#[derive(Default)]
struct Broken {
    /// What closes each container that is open.
    closers: Vec<u8>,
    /// Up to here every value is whole, so that closing the containers makes it valid.
    whole: usize,
    string: Option<StringAt>,
    /// The last byte that was neither space nor inside a string.
    last: u8,
}

/// A string that is being read.
struct StringAt {
    is_key: bool,
    /// Where its last whole character ends: escapes take several bytes, and some of them come in pairs.
    whole: usize,
    escape: Escape,
}

#[derive(Clone, Copy)]
enum Escape {
    None,
    Begun,
    /// How many digits are to come, and the value of those that came.
    Unicode {
        left: u8,
        value: u16,
    },
}

impl Broken {
    fn read(&mut self, at: usize, byte: u8) {
        if let Some(string) = &mut self.string {
            if string.read(at, byte) {
                let is_key = string.is_key;
                self.string = None;
                self.last = b'"';
                if !is_key {
                    self.whole = at + 1;
                }
            }
            return;
        }
        match byte {
            b'"' => self.string = Some(StringAt::new(self.expects_key(), at + 1)),
            b'{' => self.open(at, b'}'),
            b'[' => self.open(at, b']'),
            b'}' | b']' => {
                self.closers.pop();
                self.whole = at + 1;
            }
            b',' => self.whole = at,
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            self.last = byte;
        }
    }

    fn open(&mut self, at: usize, closer: u8) {
        self.closers.push(closer);
        self.whole = at + 1;
    }

    fn expects_key(&self) -> bool {
        self.closers.last() == Some(&b'}') && matches!(self.last, b'{' | b',')
    }

    fn closed(&self, text: &str) -> String {
        let open_text = self.string.as_ref().filter(|string| !string.is_key);
        let end = open_text.map_or(self.whole, |string| string.whole);
        let mut closed = text.get(..end).unwrap_or_default().to_owned();
        if open_text.is_some() {
            closed.push_str(MARK);
            closed.push('"');
        }
        closed.extend(self.closers.iter().rev().map(|closer| char::from(*closer)));
        closed
    }
}

impl StringAt {
    fn new(is_key: bool, whole: usize) -> Self {
        Self { is_key, whole, escape: Escape::None }
    }

    /// Whether the string ends with this byte.
    fn read(&mut self, at: usize, byte: u8) -> bool {
        match self.escape {
            Escape::None if byte == b'"' => return true,
            Escape::None if byte == b'\\' => self.escape = Escape::Begun,
            Escape::Begun if byte == b'u' => self.escape = Escape::Unicode { left: 4, value: 0 },
            Escape::Unicode { left, value } => self.read_digit(at, byte, left, value),
            Escape::None | Escape::Begun => self.passed(at),
        }
        false
    }

    fn read_digit(&mut self, at: usize, byte: u8, left: u8, value: u16) {
        let digit = char::from(byte).to_digit(16).and_then(|digit| u16::try_from(digit).ok());
        let value = value << 4 | digit.unwrap_or(0);
        self.escape = Escape::Unicode { left: left - 1, value };
        if left > 1 {
            return;
        }
        // The first half of a pair is nothing without the other one.
        let is_first_half = (0xD800..0xDC00).contains(&value);
        if is_first_half { self.escape = Escape::None } else { self.passed(at) }
    }

    fn passed(&mut self, at: usize) {
        self.escape = Escape::None;
        self.whole = at + 1;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::mended;

    fn read(text: &str) -> Value {
        let mended = mended(text);
        serde_json::from_str(&mended).unwrap_or_else(|error| panic!("{error}: {mended}"))
    }

    #[test]
    fn a_tool_result_keeps_its_name_and_what_came_of_its_text() {
        let line =
            r#"{"type":"user","message":{"content":[{"tool_use_id":"t1","content":"one two th"#;
        let result = &read(line)["message"]["content"][0];
        assert_eq!(result["tool_use_id"], "t1");
        let content = result["content"].as_str().unwrap();
        assert!(content.starts_with("one two th\n[cut here"), "{content}");
    }

    #[test]
    fn half_an_escape_is_left_out() {
        for cut in [r#"{"a":"x\"#, r#"{"a":"x\u00"#, r#"{"a":"x\ud83d"#, r#"{"a":"x\ud83d\ude"#] {
            let text = read(cut)["a"].as_str().unwrap().to_owned();
            assert!(text.starts_with("x\n[cut"), "{cut}: {text}");
        }
    }

    #[test]
    fn a_field_that_has_no_value_yet_is_left_out() {
        for cut in [r#"{"a":1,"b"#, r#"{"a":1,"b""#, r#"{"a":1,"b":"#, r#"{"a":1,"b":tru"#] {
            assert_eq!(read(cut), json!({ "a": 1 }), "{cut}");
        }
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        let value = leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::hash_map(any::<String>(), inner, 0..5)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        });
        prop::collection::hash_map("[a-z\"]{1,4}", value, 1..5)
            .prop_map(|map| Value::Object(map.into_iter().collect()))
    }

    /// As some agents write it: everything that is not ASCII as escapes.
    fn escaped(value: &Value) -> String {
        let mut text = String::new();
        for character in value.to_string().chars() {
            if character.is_ascii() {
                text.push(character);
                continue;
            }
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                text.push_str(&format!("\\u{unit:04x}"));
            }
        }
        text
    }

    proptest! {
        #[test]
        fn wherever_it_is_cut_it_can_be_read(value in any_json(), part in 0.0..1.0_f64, ascii: bool) {
            let whole = if ascii { escaped(&value) } else { value.to_string() };
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in a short text")]
            let at = 1 + ((whole.len() - 1) as f64 * part) as usize;
            let bytes = whole.as_bytes().get(..at).unwrap();
            let text = String::from_utf8_lossy(bytes);
            let read: Result<Value, _> = serde_json::from_str(&mended(text.trim_end_matches(char::REPLACEMENT_CHARACTER)));
            prop_assert!(read.is_ok_and(|read| read.is_object()), "{text}");
        }
    }
}
