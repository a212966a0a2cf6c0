//! How the process of an agent ended: as an event of a recording, and in words that are the same live and replayed.

/// As much of an agent's last words as a person reads.
const LAST_WORDS: usize = 2000;
/// Why a turn failed whose agent was told to end.
pub const DISMISSED: &str = "the session was ended";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProcessEnd {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
    /// Nobody can say.
    Lost,
}

impl ProcessEnd {
    /// As recordings have it.
    pub fn event(self) -> String {
        match self {
            Self::Code(code) => format!("exit {code}"),
            Self::Signal(signal) => format!("signal {signal}"),
            Self::Lost => "lost".to_owned(),
        }
    }

    /// `None` for an event that is about something else.
    pub fn of_event(event: &str) -> Option<Self> {
        match event.split_once(' ') {
            Some(("exit", code)) => code.parse().ok().map(Self::Code),
            Some(("signal", signal)) => signal.parse().ok().map(Self::Signal),
            Some(_) => None,
            None => (event == "lost").then_some(Self::Lost),
        }
    }
}

/// Why the agent of that name is gone: how its process ended, or that only its output did, and what it wrote to its
/// standard error.
pub fn describe_end(name: &str, end: Option<ProcessEnd>, stderr: &str) -> String {
    let how = match end {
        Some(ProcessEnd::Code(code)) => format!("{name} exited with code {code}"),
        Some(ProcessEnd::Signal(signal)) => format!("{name} was ended by signal {signal}"),
        Some(ProcessEnd::Lost) => format!("{name} was lost"),
        None => "the agent's output ended".to_owned(),
    };
    match without_colours(last_words(stderr)).as_str() {
        "" => how,
        words => format!("{how}: {words}"),
    }
}

/// Without the sequences by which terminals are told colours.
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';');
        plain.push_str(rest.strip_prefix(|c: char| c.is_ascii_alphabetic()).unwrap_or(rest));
    }
    plain
}

/// The end of what the agent wrote to its standard error, from the beginning of a line.
pub fn last_words(stderr: &str) -> &str {
    let stderr = stderr.trim();
    if stderr.len() <= LAST_WORDS {
        return stderr;
    }
    let start = stderr.ceil_char_boundary(stderr.len() - LAST_WORDS);
    let tail = stderr.get(start..).unwrap_or_default();
    tail.split_once('\n').map_or(tail, |(_, rest)| rest).trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_is_read_as_it_was_written() {
        for end in
            [ProcessEnd::Code(0), ProcessEnd::Code(-1), ProcessEnd::Signal(9), ProcessEnd::Lost]
        {
            assert_eq!(ProcessEnd::of_event(&end.event()), Some(end));
        }
        for other in ["eof", "exit", "exit soon", "terminate", "failed exit 1"] {
            assert_eq!(ProcessEnd::of_event(other), None, "{other}");
        }
    }

    #[test]
    fn colours_are_left_out() {
        let told = describe_end(
            "It",
            Some(ProcessEnd::Code(1)),
            "\u{1b}[2mnow\u{1b}[0m \u{1b}[31mERROR\u{1b}[0m: no",
        );
        assert_eq!(told, "It exited with code 1: now ERROR: no");
    }

    #[test]
    fn last_words_begin_with_a_line_and_cutting_them_again_changes_nothing() {
        assert_eq!(last_words(" one\ntwo\n\n"), "one\ntwo");
        let long = format!("{}\n  indented\nend", "ü".repeat(3000));
        assert_eq!(last_words(&long), "indented\nend");
        for text in [long, "x".repeat(5000), "one\n".repeat(2000), "a\n".repeat(1000)] {
            assert_eq!(last_words(last_words(&text)), last_words(&text));
        }
    }
}
