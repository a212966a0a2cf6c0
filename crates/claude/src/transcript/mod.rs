//! A session's history, read from the transcript that Claude Code keeps of it.
//!
//! There is one way of making items: the lines become the events that the agent would have told, and the translator of
//! live sessions does the rest. Ids are the same too, so that a session that was live and is read again agrees with
//! itself. Broken lines are counted and passed over: a transcript may be read while it is being written.

mod chain;
mod line;
mod reader;
mod summary;
mod turn;
mod words;

use contract::{CallId, ProviderId, SessionId};
use pipeline::surrogates;
use recording::HistoryEvent;

pub use summary::{TranscriptSummary, summarise};

use line::Line;
use reader::Reader;

/// What happened, in order. Every item stands where it began, in its last state; turn events tell when they were.
#[derive(Debug, Default)]
pub struct History {
    pub events: Vec<HistoryEvent>,
    /// Lines that could not be read.
    pub broken_lines: u64,
}

/// The transcript of a subagent, which is a file of its own.
#[derive(Clone, Debug)]
pub struct SubagentTranscript<'a> {
    /// The call that runs it.
    pub call_id: CallId,
    pub text: &'a str,
}

/// Reads a whole transcript as `provider` would have told it; what subagents did appears under the calls that ran them.
pub fn history(
    session: &SessionId,
    provider: &ProviderId,
    text: &str,
    subagents: &[SubagentTranscript<'_>],
) -> History {
    let mended = surrogates::mend(text);
    let text = mended.as_deref().unwrap_or(text);
    let mut broken_lines = 0;
    let lines = lines(text, &mut broken_lines);
    let mut reader = Reader::new(session.clone(), provider.clone());
    for subagent in subagents {
        reader.add_subagent(&subagent.call_id, self::lines(subagent.text, &mut broken_lines));
    }
    let conversation = chain::conversation(&lines);
    History { events: reader.read(&conversation), broken_lines }
}

fn lines<'a>(text: &'a str, broken: &mut u64) -> Vec<Line<'a>> {
    let given = text.lines().filter(|line| !line.trim().is_empty());
    let lines = given.filter_map(|text| {
        let line = Line::parse(text);
        *broken += u64::from(line.is_none());
        line
    });
    lines.collect()
}
