//! Secrets that leave the server neither by its log nor by what it tells of an agent that failed.

use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use regex::Regex;

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
        r#"(?i)((?:[a-z_-]*(?:token|secret|password|api_?key)|[?&#](?:login|code))=)[^&\s"']+"#,
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
        let name = name.to_ascii_uppercase();
        if ["KEY", "TOKEN", "SECRET", "PASSWORD"].iter().any(|word| name.contains(word)) {
            self.hide(value);
        }
    }

    /// The text without secrets.
    #[must_use]
    pub fn redact(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for secret in self.0.read().unwrap_or_else(PoisonError::into_inner).iter() {
            line = line.replace(secret, HIDDEN);
        }
        for pattern in PATTERNS.iter() {
            line = pattern.replace_all(&line, format!("${{1}}{HIDDEN}")).into_owned();
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            ("session=8b738e00 code=PROCESS_CRASH", "session=8b738e00 code=PROCESS_CRASH"),
            ("tokens=12 broken=1", "tokens=12 broken=1"),
        ] {
            assert_eq!(secrets.redact(line), expected, "{line}");
        }
    }
}
