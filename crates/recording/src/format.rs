//! Recordings: what passed between a host and an agent, line by line, with its time.
//!
//! The first line is a header, every other one an object `{ms, from, line}` or `{ms, from, event}`.

use serde::{Deserialize, Serialize};

/// The version of this format.
const FORMAT: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The version of this format.
    pub recording: u32,
    pub cli: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub argv: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    pub ms: u64,
    pub from: Direction,
    #[serde(flatten)]
    pub what: Recorded,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Direction {
    Host,
    Agent,
    Stderr,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Recorded {
    Line(String),
    /// `close`, `broken_pipe`, `terminate` of the host. Of the agent: `exit CODE`, `signal NUMBER` or `lost`, if its process
    /// has ended when its output does; `eof`, the end of its output; `failed WHY`, if it could not be started.
    Event(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    pub header: Header,
    pub entries: Vec<Entry>,
}

#[derive(Debug, thiserror::Error)]
#[error("line {line} is not of a recording: {problem}")]
pub struct NotARecording {
    pub line: usize,
    pub problem: String,
}

impl Header {
    pub fn new(cli: &str) -> Self {
        Self { recording: FORMAT, cli: cli.to_owned(), version: None, argv: Vec::new(), exit: None }
    }
}

impl Recording {
    /// A last line that broke off is left out: a recording may end with the power.
    pub fn parse(text: &str) -> Result<Self, NotARecording> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        let (_, first) = lines
            .next()
            .ok_or_else(|| NotARecording { line: 1, problem: "the file is empty".to_owned() })?;
        let header: Header = parse_line(0, first)?;
        if header.recording != FORMAT {
            let problem = format!("its format is {}, not {FORMAT}", header.recording);
            return Err(NotARecording { line: 1, problem });
        }
        let is_whole = text.ends_with('\n');
        let mut entries = Vec::new();
        let mut lines = lines.peekable();
        while let Some((number, line)) = lines.next() {
            match parse_line(number, line) {
                Ok(entry) => entries.push(entry),
                Err(_) if lines.peek().is_none() && !is_whole => {}
                Err(error) => return Err(error),
            }
        }
        Ok(Self { header, entries })
    }
}

fn parse_line<'a, T: Deserialize<'a>>(number: usize, line: &'a str) -> Result<T, NotARecording> {
    serde_json::from_str(line)
        .map_err(|error| NotARecording { line: number + 1, problem: error.to_string() })
}
