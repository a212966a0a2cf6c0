//! The Agent Client Protocol: a client without IO, and what agents say in it as items, turns and requests.
//!
//! Pure: lines and times come in, lines to write and what they mean go out. Live agents and recordings use the same code.
//! `AcpClient` is the way in; everything that names a type of the protocol stays in this crate.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the protocol's enums are open: what is not known here is passed over"
)]

mod bounds;
mod client;
mod codex_output;
mod content;
mod failure;
mod line_diff;
mod output;
mod replay;
pub mod rollout;
pub mod rpc;
mod timeline;
mod update;

pub use client::{
    AcpClient, Adjustment, Fresh, Image, OpenWhat, Opening, Parties, Patience, Prompt, Replayed,
};
pub use output::{AgentFacts, ListedSession, OddMessages, Output, Ready, Refusal, RefusalKind};
pub use replay::Replay;
