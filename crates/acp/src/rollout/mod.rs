//! A session's history, read from the rollout that Codex keeps of it: `sessions/YYYY/MM/DD/rollout-<time>-<id>.jsonl`.
//!
//! Lines are what Codex said to its model and heard from it (`response_item`), what it told its clients (`event_msg`),
//! and what held for a turn (`turn_context`). They become what a live agent would have said, and the timeline of live
//! sessions makes the items. A rollout may be read while it is written: broken lines are counted and passed over.

mod line;
mod patch;
mod reader;
mod summary;
mod tools;
mod turn;
mod usage;
mod words;

use contract::{ProviderId, SessionId};
use recording::HistoryEvent;

use line::{Event, Line, What};
use reader::Reader;
pub use summary::{RolloutSummary, summarise};

/// What happened, in order. Every item stands where it began, in its last state; turn events tell when they were.
#[derive(Debug, Default)]
pub struct RolloutHistory {
    pub events: Vec<HistoryEvent>,
    /// Lines that could not be read.
    pub broken_lines: u64,
    /// Lines of a kind that is not known here, or lacking something.
    pub unknown_lines: u64,
}

/// Reads a whole rollout.
pub fn history(session: &SessionId, provider: &ProviderId, text: &str) -> RolloutHistory {
    let mut history = RolloutHistory::default();
    let mut lines = Vec::new();
    for text in text.lines().filter(|line| !line.trim().is_empty()) {
        match Line::parse(text) {
            Some(line) => lines.push(line),
            None => history.broken_lines += 1,
        }
    }
    let unknown = lines.iter().filter(|line| matches!(line.what, What::Unknown)).count();
    history.unknown_lines = u64::try_from(unknown).unwrap_or(u64::MAX);
    // What was told to clients is what people saw. Without it, what the model was told has to do.
    let is_told = lines.iter().any(|line| {
        matches!(line.what, What::Event(Event::UserMessage { .. } | Event::AgentMessage { .. }))
    });
    history.events = Reader::new(session.clone(), provider.clone(), is_told).read(lines);
    history
}
