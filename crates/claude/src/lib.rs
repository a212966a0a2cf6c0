//! What Claude Code says on its standard streams, and what it means.
//!
//! Pure: lines and times come in, items, turns and requests go out. Live processes, recordings and transcripts use the
//! same code. `ClaudeTranslator` is the way in; `docs/ARCHITECTURE.md` tells how its parts play together.

mod asks;
mod event;
mod initialized;
mod line;
mod outcome;
mod output;
mod replay;
mod routing;
mod runs;
mod sdk;
mod sent;
pub mod stdin;
mod suggestions;
mod tasks;
mod timeline;
mod transcript;
mod translator;
mod turn;
mod usage;

/// For benches: what the translator's cost is compared with.
#[doc(hidden)]
pub mod bench_support {
    pub use crate::line::parse_only;
}

/// What the agent is called in messages to people.
pub const NAME: &str = "Claude Code";

pub use asks::{Ask, AskReply};
pub use initialized::{Initialized, initialize_answer};
pub use output::{ControlAnswer, OddLines, Output};
pub use replay::Replay;
pub use routing::TurnState;
pub use runs::{RunState, RunStatus, RunTracker};
pub use sdk::{SdkBlock, SdkDelta, SdkEvent, SdkMessage, SdkMessageDelta};
pub use transcript::{History, SubagentTranscript, TranscriptSummary, history, summarise};
pub use translator::{ClaudeTranslator, StopAction};
