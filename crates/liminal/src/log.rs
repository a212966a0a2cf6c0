//! The log: a line per event on standard error, without secrets and without anything that steers a terminal.

use std::io::{self, IsTerminal, Write};
use std::panic::PanicHookInfo;

use session::Secrets;
use tracing::Level;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::{FilterFn, filter_fn};
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::terminal::{escaped_json, is_invisible};

/// How an event is written.
#[derive(Clone, Copy)]
enum Format {
    /// For people.
    Text { colours: bool },
    /// An object a line, for programs.
    Json,
}

impl Format {
    fn chosen() -> Self {
        match std::env::var("LIMINAL_LOG_FORMAT").as_deref() {
            Ok("json") => Self::Json,
            Ok(_) | Err(_) => Self::Text { colours: io::stderr().is_terminal() },
        }
    }
}

/// `RUST_LOG` chooses what is said, `LIMINAL_LOG_FORMAT` how. Standard output belongs to what programs read.
pub(crate) fn start() -> Secrets {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new("info"));
    let secrets = Secrets::default();
    for (name, value) in std::env::vars_os() {
        // They need not be text; the log would show them in the same way.
        secrets.hide_variable(&name.to_string_lossy(), &value.to_string_lossy());
    }
    let format = Format::chosen();
    let lines = Lines { secrets: secrets.clone(), format, open: io::stderr };
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(lines);
    match format {
        Format::Text { colours } => log.with_ansi(colours).finish().with(no_messages()).init(),
        Format::Json => log.json().finish().with(no_messages()).init(),
    }
    std::panic::set_hook(Box::new(report_panic));
    secrets
}

/// A library would write down whole messages, and whatever somebody wrote into them. It does not, whatever is asked for: among
/// what `RUST_LOG` chooses the most precise words win, so that none of ours would always hold there.
fn no_messages() -> FilterFn {
    filter_fn(|event| !event.target().starts_with("tungstenite") || *event.level() <= Level::INFO)
}

/// What a panic says goes the way of everything else.
fn report_panic(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(ToString::to_string).unwrap_or_default();
    let said = panic.payload_as_str().unwrap_or("something that is no text");
    tracing::error!(%place, "panicked: {said}");
}

/// Where the log is written.
struct Lines<W> {
    secrets: Secrets,
    format: Format,
    open: fn() -> W,
}

impl<'a, W: Write + 'static> MakeWriter<'a> for Lines<W> {
    type Writer = Redacted<'a, W>;

    fn make_writer(&'a self) -> Redacted<'a, W> {
        Redacted(self)
    }
}

/// Takes whole lines, as the log writes them.
struct Redacted<'a, W>(&'a Lines<W>);

impl<W: Write> Write for Redacted<'_, W> {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let event = String::from_utf8_lossy(line);
        let secrets = &self.0.secrets;
        let written = match self.0.format {
            Format::Text { colours } => one_line(&secrets.redact(&event), colours),
            Format::Json => one_object(&event, secrets),
        };
        (self.0.open)().write_all(written.as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        (self.0.open)().flush()
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

/// Redacted by its texts, not as it is written: a secret may have signs that JSON escapes, and what stands in its place must not
/// end a text too soon. What steers a terminal or hides in it becomes escapes.
fn one_object(event: &str, secrets: &Secrets) -> String {
    // The log writes nothing else.
    let mut object = serde_json::from_str(event).unwrap_or_else(|_| event.into());
    secrets.redact_json(&mut object);
    escaped_json(&object.to_string()) + "\n"
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

    static WRITTEN: std::sync::Mutex<Vec<u8>> = std::sync::Mutex::new(Vec::new());

    struct Kept;

    impl Write for Kept {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            WRITTEN.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn s_38_a_panic_tells_no_secret() {
        let secrets = Secrets::default();
        secrets.hide("canary-of-the-panic");
        let lines = Lines { secrets, format: Format::Text { colours: false }, open: || Kept };
        let subscriber = tracing_subscriber::fmt().with_ansi(false).with_writer(lines).finish();
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(report_panic));
        let panicked = tracing::subscriber::with_default(subscriber, || {
            std::panic::catch_unwind(|| panic!("it had canary-of-the-panic and token=abcdefgh"))
        });
        std::panic::set_hook(before);
        assert!(panicked.is_err());
        let written = String::from_utf8(WRITTEN.lock().unwrap().clone()).unwrap();
        assert!(written.contains("panicked: it had [hidden] and token=[hidden]"), "{written}");
    }

    static OBJECTS: std::sync::Mutex<Vec<u8>> = std::sync::Mutex::new(Vec::new());

    struct KeptObjects;

    impl Write for KeptObjects {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            OBJECTS.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn s_38_an_event_for_programs_is_one_object_without_secrets() {
        let secrets = Secrets::default();
        secrets.hide("canary-of-the-object");
        let lines = Lines { secrets, format: Format::Json, open: || KeptObjects };
        let subscriber = tracing_subscriber::fmt().with_writer(lines).json().finish();
        tracing::subscriber::with_default(subscriber, || {
            tracing::info!(
                said = "a\nb \u{202e}c \u{1b}[2J\u{9b}2J\u{7f} \"token=abcdefgh\" \"z\"",
                head = "cookie: a=b",
                "canary-of-the-object"
            );
        });
        let written = String::from_utf8(OBJECTS.lock().unwrap().clone()).unwrap();
        assert_eq!(written.lines().count(), 1, "{written}");
        let steers = |c: char| is_invisible(c) || c.is_control();
        assert!(!written.trim_end_matches('\n').contains(steers), "{written:?}");
        let event: serde_json::Value = serde_json::from_str(&written).unwrap();
        assert_eq!(
            (&event["level"], &event["fields"]["message"]),
            (&"INFO".into(), &"[hidden]".into())
        );
        let said = event["fields"]["said"].as_str().unwrap();
        assert_eq!(said, "a\nb \u{202e}c \u{1b}[2J\u{9b}2J\u{7f} \"token=[hidden]\" \"z\"");
        assert_eq!(event["fields"]["head"], "cookie: [hidden]");
    }
}
