//! The log: a line per event on standard error, without secrets and without anything that steers a terminal.

use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, LazyLock, PoisonError, RwLock};

use regex::Regex;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use crate::terminal::is_invisible;

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
pub(crate) struct Secrets(Arc<RwLock<Vec<String>>>);

impl Secrets {
    /// From now on it does not reach the log.
    pub(crate) fn hide(&self, secret: &str) {
        if secret.len() >= SHORTEST {
            self.0.write().unwrap_or_else(PoisonError::into_inner).push(secret.to_owned());
        }
    }

    /// A variable whose name says that it holds one.
    pub(crate) fn hide_variable(&self, name: &str, value: &str) {
        let name = name.to_ascii_uppercase();
        if ["KEY", "TOKEN", "SECRET", "PASSWORD"].iter().any(|word| name.contains(word)) {
            self.hide(value);
        }
    }

    fn redact(&self, line: &str) -> String {
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

/// `RUST_LOG` chooses what is said. Standard output belongs to what programs read.
pub(crate) fn start() -> Secrets {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let secrets = Secrets::default();
    for (name, value) in std::env::vars() {
        secrets.hide_variable(&name, &value);
    }
    let colours = io::stderr().is_terminal();
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(colours)
        .with_writer(Lines { secrets: secrets.clone(), colours })
        .init();
    // What a panic says goes the same way.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let said = panic.payload_as_str().unwrap_or("something that is no text");
        tracing::error!(%place, "panicked: {said}");
    }));
    secrets
}

/// Where the log is written.
struct Lines {
    secrets: Secrets,
    /// Whether the log has colours of its own.
    colours: bool,
}

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Redacted<'a>;

    fn make_writer(&'a self) -> Redacted<'a> {
        Redacted(self)
    }
}

/// Takes whole lines, as the log writes them.
struct Redacted<'a>(&'a Lines);

impl Write for Redacted<'_> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let redacted = self.0.secrets.redact(&String::from_utf8_lossy(line));
        io::stderr().write_all(one_line(&redacted, self.0.colours).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// What the log itself writes in colours: whoever else writes one of these hides nothing by it.
const COLOURS: [&str; 9] = [
    "\u{1b}[0m",
    "\u{1b}[1m",
    "\u{1b}[2m",
    "\u{1b}[3m",
    "\u{1b}[31m",
    "\u{1b}[32m",
    "\u{1b}[33m",
    "\u{1b}[34m",
    "\u{1b}[35m",
];

/// What an agent says may have lines, which would look like events of ours, and what steers a terminal or hides in it.
/// They become escapes. The log's own end of the line stays.
fn one_line(event: &str, colours: bool) -> String {
    let (mut rest, end) = event.strip_suffix('\n').map_or((event, ""), |text| (text, "\n"));
    let mut line = String::with_capacity(event.len());
    while let Some(c) = rest.chars().next() {
        let colour = COLOURS.iter().find(|colour| colours && rest.starts_with(**colour));
        let taken = colour.map_or(c.len_utf8(), |colour| colour.len());
        match c {
            _ if colour.is_some() || c == '\t' => line.push_str(&rest[..taken]),
            '\r' | '\n' => line.extend(c.escape_default()),
            _ if c.is_control() || is_invisible(c) => line.extend(c.escape_unicode()),
            _ => line.push(c),
        }
        rest = &rest[taken..];
    }
    line + end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_one_line_whatever_it_tells() {
        assert_eq!(
            one_line("WARN it said a\n2026-01-01 INFO all is well\r\n", false),
            "WARN it said a\\n2026-01-01 INFO all is well\\r\n"
        );
        assert_eq!(one_line("plain\n", false), "plain\n");
        assert_eq!(one_line("no end", false), "no end");
    }

    #[test]
    fn s_17_an_event_steers_no_terminal_and_the_logs_own_colours_stay() {
        let event = "\u{1b}[2mnow\u{1b}[0m it said \u{1b}[2J\u{9b}8m\u{1b}[8m\u{7}\t\u{202e}é\n";
        let escaped = "\\u{1b}[2J\\u{9b}8m\\u{1b}[8m\\u{7}\t\\u{202e}é\n";
        assert_eq!(one_line(event, true), format!("\u{1b}[2mnow\u{1b}[0m it said {escaped}"));
        assert_eq!(
            one_line(event, false),
            format!("\\u{{1b}}[2mnow\\u{{1b}}[0m it said {escaped}")
        );
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
            ("session=8b738e00 code=PROCESS_CRASH", "session=8b738e00 code=PROCESS_CRASH"),
            ("tokens=12 broken=1", "tokens=12 broken=1"),
        ] {
            assert_eq!(secrets.redact(line), expected, "{line}");
        }
    }
}
