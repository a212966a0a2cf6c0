//! What a list of sessions shows of a transcript.

use contract::Timestamp;

use super::line::{Kind, Line};
use super::words::Words;

/// As much of the first prompt as names a session.
const TITLE: usize = 80;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TranscriptSummary {
    pub session_id: String,
    /// The beginning of the first prompt, on one line; empty if there is none.
    pub title: String,
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
    /// How many prompts a person wrote, also on branches that were left.
    pub prompts: u64,
    pub cwd: Option<String>,
}

/// Looks at the lines of people, and at no others but the last.
pub fn summarise<'a>(lines: impl IntoIterator<Item = &'a str>) -> TranscriptSummary {
    let mut summary = TranscriptSummary::default();
    let mut last = None;
    for text in lines {
        // Nothing else can be one of theirs, and this is far cheaper than reading it.
        if text.contains("\"user\"") {
            summary.take(text);
            last = None;
        } else if text.contains("\"timestamp\"") {
            last = Some(text);
        }
    }
    let last = last.and_then(Line::parse).and_then(|line| line.time());
    summary.last = summary.last.max(last);
    summary
}

impl TranscriptSummary {
    fn take(&mut self, text: &str) {
        let Some(line) = Line::parse(text) else { return };
        let time = line.time();
        self.first = self.first.or(time);
        self.last = self.last.max(time);
        if self.session_id.is_empty() {
            line.session_id.as_str().clone_into(&mut self.session_id);
        }
        self.cwd = self.cwd.take().or_else(|| line.cwd.given().map(str::to_owned));
        if line.kind() != Kind::User || !line.is_placed() {
            return;
        }
        let words = line.message().map(|message| Words::of(&line, &message.content));
        if let Some(Words::Prompt(text)) = words {
            self.prompts += 1;
            if self.title.is_empty() {
                self.title = title(&text);
            }
        }
    }
}

fn title(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(TITLE).collect();
    let line = words.join(" ");
    if line.chars().nth(TITLE).is_none() {
        return line;
    }
    let mut short: String = line.chars().take(TITLE - 1).collect();
    short.push('…');
    short
}
