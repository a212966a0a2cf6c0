//! What the agent says that is not known here: kept where it was said, so that nothing that an agent shows is lost with an
//! older version of us.

use std::borrow::Cow;

use agent_client_protocol_schema::v1::{ToolCallStatus, ToolCallUpdate, ToolCallUpdateFields};
use contract::TurnId;
use pipeline::Now;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::AcpClient;
use super::opening::Stage;
use crate::output::Output;

/// Items of unknown updates in one turn. An agent that reports its heartbeat in a way of its own fills no timeline.
const KEPT_PER_TURN: usize = 32;
/// Of one update, in bytes.
const KEPT_BYTES: usize = 64 * 1024;

/// How many unknown updates became items.
#[derive(Debug, Default)]
pub(super) struct Unknown {
    turn: Option<TurnId>,
    kept: usize,
    ever: u64,
}

impl Unknown {
    /// A name for the next item, unless its turn has enough of them.
    fn next_in(&mut self, turn: &TurnId) -> Option<String> {
        if self.turn.as_ref() != Some(turn) {
            self.turn = Some(turn.clone());
            self.kept = 0;
        }
        if self.kept == KEPT_PER_TURN {
            return None;
        }
        self.kept += 1;
        self.ever += 1;
        Some(format!("unknown-update-{}", self.ever))
    }
}

impl AcpClient {
    /// An update in a turn becomes an item that shows it as it came; elsewhere there is no place for one.
    pub(super) fn keep_unknown(&mut self, update: &RawValue, now: Now) {
        self.note_unknown(update.get());
        if self.stage != Stage::Ready {
            return;
        }
        let Some(turn) = self.turns.current() else { return };
        let Some(id) = self.unknown.next_in(turn) else { return };
        let shown = ToolCallUpdateFields::new()
            .title(kind_of(update))
            .status(ToolCallStatus::Completed)
            .raw_output(Value::from(as_it_came(update)));
        self.note_work(now);
        self.timeline.add_aside(&ToolCallUpdate::new(id, shown), now);
    }

    pub(super) fn note_unknown(&mut self, line: &str) {
        self.odd.unknown += 1;
        self.outputs.push_back(Output::Unknown(line.to_owned()));
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tagged {
    session_update: String,
}

fn kind_of(update: &RawValue) -> String {
    serde_json::from_str::<Tagged>(update.get())
        .map_or_else(|_| "unknown update".to_owned(), |tagged| tagged.session_update)
}

fn as_it_came(update: &RawValue) -> Cow<'_, str> {
    let text = update.get();
    match text.get(..text.floor_char_boundary(KEPT_BYTES)) {
        Some(begin) if begin.len() < text.len() => {
            format!("{begin}… ({} bytes)", text.len()).into()
        }
        _ => text.into(),
    }
}
