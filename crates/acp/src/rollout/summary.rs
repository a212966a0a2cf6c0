//! What a list of sessions shows of a rollout.

use contract::Timestamp;

use super::line::{Event, Item, Line, What};
use super::words;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RolloutSummary {
    pub session_id: String,
    pub cwd: Option<String>,
    /// The beginning of the first prompt, on one line; empty if there is none.
    pub title: String,
    pub first: Option<Timestamp>,
    pub last: Option<Timestamp>,
    /// How many prompts a person wrote.
    pub prompts: u64,
    /// Whether an agent started it for a task of its own.
    pub is_of_agent: bool,
}

/// Prompts, as one of the two kinds of lines tells them.
#[derive(Default)]
struct Prompts {
    count: u64,
    title: String,
}

/// Looks at the first line, at those of people, and at the last.
pub fn summarise<'a>(lines: impl IntoIterator<Item = &'a str>) -> RolloutSummary {
    let mut summary = RolloutSummary::default();
    let (mut told, mut heard) = (Prompts::default(), Prompts::default());
    let mut last = None;
    for text in lines {
        // Nothing else matters, and this is far cheaper than reading it.
        let is_of_user = text.contains("\"user_message\"") || text.contains("\"user\"");
        let is_meta = summary.session_id.is_empty() && text.contains("\"session_meta\"");
        if !is_of_user && !is_meta {
            last = text.contains("\"timestamp\"").then_some(text).or(last);
            continue;
        }
        let Some(line) = Line::parse(text) else { continue };
        summary.last = summary.last.max(line.time);
        match line.what {
            What::Meta(meta) if summary.session_id.is_empty() => {
                summary.is_of_agent = meta.is_of_agent();
                summary.first = meta.timestamp.and_then(|time| time.parse().ok()).or(line.time);
                summary.session_id = meta.id;
                summary.cwd = meta.cwd;
            }
            What::Event(Event::UserMessage { message, .. }) => told.note(&message),
            What::Item(Item::Message { role, content }) if role == "user" => {
                let text = words::text_of(&content);
                if !words::is_injected(&text) {
                    heard.note(&text);
                }
            }
            What::Meta(_)
            | What::Context(_)
            | What::Event(_)
            | What::Item(_)
            | What::Nothing
            | What::Unknown => {}
        }
    }
    let last = last.and_then(Line::parse).and_then(|line| line.time);
    summary.last = summary.last.max(last);
    let prompts = if told.count > 0 { told } else { heard };
    (summary.prompts, summary.title) = (prompts.count, prompts.title);
    summary
}

impl Prompts {
    fn note(&mut self, prompt: &str) {
        self.count += 1;
        if self.title.is_empty() {
            self.title = words::title(prompt);
        }
    }
}
