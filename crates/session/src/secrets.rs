//! Secrets that leave the server neither by its log nor by what it tells of an agent that failed.

use std::ops::Range;
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use regex::Regex;
use serde_json::Value;

/// What stands in place of a secret.
const HIDDEN: &str = "[hidden]";
/// Shorter ones would hide ordinary words.
const SHORTEST: usize = 8;

/// What looks like a secret, whoever wrote it. The groups stay.
static PATTERNS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let patterns = [
        r#"(?i)(authorization"?\s*[:=]\s*"?(?:bearer|basic)\s+)[^\s",]+"#,
        r#"(?i)(\bbearer\s+)[A-Za-z0-9._~+/=-]{8,}"#,
        r#"(?i)((?:set-)?cookie"?\s*[:=]\s*)[^\n]+"#,
        // Of the query of an address: whatever sounds like one.
        r#"(?i)([?&#](?:[^=&\s"'#]*(?:token|key|secret|password)[^=&\s"'#]*|login|code)=)[^&\s"'#]+"#,
        r#"(?i)([a-z0-9_-]*(?:token|secret|password|(?:api|access|private)[_-]?key)="?)[^&\s"']+"#,
        // Headers.
        r#"(?i)(\b(?:x-[a-z0-9-]*(?:key|token|secret)[a-z0-9-]*|api-key)"?\s*[:=]\s*"?)[^\s",]+"#,
        // Fields of JSON, also of JSON within a string.
        r#"(?i)("[a-z0-9_-]*(?:token|secret|password|(?:api|access|private)[_-]?key)\\?"\s*:\s*\\?")[^"\\]+"#,
        r"(\b)sk-[A-Za-z0-9_-]{16,}",
        r"(\b)gh[pousr]_[A-Za-z0-9]{20,}",
        r"(\b)eyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]*",
    ];
    patterns.iter().filter_map(|pattern| Regex::new(pattern).ok()).collect()
});

/// Secrets of this run, known by their letters.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Arc<RwLock<Vec<String>>>);

impl Secrets {
    /// From now on it is left out of what is redacted.
    pub fn hide(&self, secret: &str) {
        if secret.len() >= SHORTEST {
            self.0.write().unwrap_or_else(PoisonError::into_inner).push(secret.to_owned());
        }
    }

    /// A variable whose name says that it holds one.
    pub fn hide_variable(&self, name: &str, value: &str) {
        if names_a_secret(name) {
            self.hide(value);
        }
    }

    /// JSON without secrets: texts are looked at as they are meant, not as they are written down, so that it stays JSON.
    pub fn redact_json(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.redact(text),
            Value::Array(values) => values.iter_mut().for_each(|value| self.redact_json(value)),
            Value::Object(fields) => {
                for (name, value) in fields {
                    self.redact_json(value);
                    if let (Value::String(text), true) = (value, names_a_secret(name)) {
                        HIDDEN.clone_into(text);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// The text without secrets.
    #[must_use]
    pub fn redact(&self, line: &str) -> String {
        let mut line = self.without_known(line);
        for pattern in PATTERNS.iter() {
            line = pattern.replace_all(&line, format!("${{1}}{HIDDEN}")).into_owned();
        }
        line
    }

    /// Secrets may lie within each other or overlap: all are found before any is taken out, so that none leaves a rest.
    fn without_known(&self, line: &str) -> String {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let mut places: Vec<_> = known.iter().flat_map(|secret| places_of(secret, line)).collect();
        places.sort_unstable_by_key(|place| place.start);
        let (mut kept, mut end) = (String::with_capacity(line.len()), 0);
        for place in places {
            if place.start >= end {
                kept.push_str(&line[end..place.start]);
                kept.push_str(HIDDEN);
            }
            end = end.max(place.end);
        }
        kept + &line[end..]
    }
}

/// Everywhere it stands, also where it begins within itself.
fn places_of<'a>(secret: &'a str, line: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
    let step = secret.chars().next().map_or(1, char::len_utf8);
    let mut from = 0;
    std::iter::from_fn(move || {
        let start = from + line[from..].find(secret)?;
        from = start + step;
        Some(start..start + secret.len())
    })
}

fn names_a_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    ["KEY", "TOKEN", "SECRET", "PASSWORD"].iter().any(|word| name.contains(word))
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn hiding(known: &[impl AsRef<str>]) -> Secrets {
        let secrets = Secrets::default();
        known.iter().for_each(|secret| secrets.hide(secret.as_ref()));
        secrets
    }

    /// The letters that belong to no secret, by looking at each.
    fn letters_of_none(line: &str, known: &[String]) -> String {
        let is_of_one = |at: usize| {
            let covers = |secret: &String, start: usize| {
                start + secret.len() > at && line[start..].starts_with(secret.as_str())
            };
            known.iter().any(|secret| (0..=at).any(|start| covers(secret, start)))
        };
        let letters = line.char_indices().filter(|(at, _)| !is_of_one(*at));
        letters.map(|(_, letter)| letter).collect()
    }

    proptest! {
        #[test]
        fn s_38_no_letter_of_a_secret_is_left_however_they_overlap(
            known in vec("[ab]{8,12}", 0..4),
            line in "[ab]{0,60}",
        ) {
            let told = hiding(&known).redact(&line);
            prop_assert_eq!(told.replace(HIDDEN, ""), letters_of_none(&line, &known));
        }
    }

    #[test]
    fn s_38_a_secret_within_another_leaves_nothing_of_it() {
        for known in [["abcd1234", "abcd1234efgh5678"], ["abcd1234efgh5678", "abcd1234"]] {
            let secrets = hiding(&known);
            assert_eq!(secrets.redact("it has abcd1234efgh5678!"), "it has [hidden]!");
            assert_eq!(secrets.redact("it has abcd1234."), "it has [hidden].");
        }
        let secrets = hiding(&["abcd1234xyz", "xyz98765", "\u{e9}\u{e9}\u{e9}\u{e9}"]);
        assert_eq!(secrets.redact("abcd1234xyz98765 and xyz98765"), "[hidden] and [hidden]");
        assert_eq!(secrets.redact("\u{e9}\u{e9}\u{e9}\u{e9}\u{e9}x"), "[hidden]x");
    }

    #[test]
    fn secrets_are_hidden_and_the_rest_stays() {
        let secrets = Secrets::default();
        secrets.hide("correct-horse-battery");
        secrets.hide("short");
        for (line, expected) in [
            ("a correct-horse-battery b", "a [hidden] b"),
            ("a short word", "a short word"),
            ("GET /?token=abcdef&x=1", "GET /?token=[hidden]&x=1"),
            ("url=http://127.0.0.1/#login=abc", "url=http://127.0.0.1/#login=[hidden]"),
            ("Authorization: Bearer abc.def", "Authorization: Bearer [hidden]"),
            ("cookie: a=b; c=d", "cookie: [hidden]"),
            ("OPENAI said sk-proj_0123456789abcdef!", "OPENAI said [hidden]!"),
            ("ghp_0123456789abcdefghij0123", "[hidden]"),
            ("jwt eyJhbGciOi.eyJzdWIiOi.c2ln end", "jwt [hidden] end"),
            ("env ANTHROPIC_API_KEY=sesame-open", "env ANTHROPIC_API_KEY=[hidden]"),
            ("GET /?access_key=abc&x=1", "GET /?access_key=[hidden]&x=1"),
            ("GET /?key=abc&mytokens=def#a", "GET /?key=[hidden]&mytokens=[hidden]#a"),
            ("token=\"abc\" rest", "token=\"[hidden]\" rest"),
            ("X-Api-Key: abc rest", "X-Api-Key: [hidden] rest"),
            (r#"{"accessToken": "abc", "n": 1}"#, r#"{"accessToken": "[hidden]", "n": 1}"#),
            (r#"said {\"token\":\"abc\"}"#, r#"said {\"token\":\"[hidden]\"}"#),
            ("unexpected token: } at 3", "unexpected token: } at 3"),
            ("session=8b738e00 code=PROCESS_CRASH", "session=8b738e00 code=PROCESS_CRASH"),
            ("tokens=12 broken=1", "tokens=12 broken=1"),
        ] {
            assert_eq!(secrets.redact(line), expected, "{line}");
        }
    }

    #[test]
    fn json_without_secrets_is_json() {
        let secrets = Secrets::default();
        secrets.hide(r#"quoted"and\escaped"#);
        let mut event = json!({
            "said": ["asked \"http://x/?token=abc\" twice", r#"it is quoted"and\escaped"#],
            "head": {"line": "cookie: a=b", "after": "stays"},
            "apiKey": "abc",
            "tokens": 12,
        });
        secrets.redact_json(&mut event);
        let expected = json!({
            "said": ["asked \"http://x/?token=[hidden]\" twice", "it is [hidden]"],
            "head": {"line": "cookie: [hidden]", "after": "stays"},
            "apiKey": "[hidden]",
            "tokens": 12,
        });
        assert_eq!(event, expected);
    }
}
