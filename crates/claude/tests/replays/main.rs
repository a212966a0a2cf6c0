//! Every recorded conversation with the real CLIs, translated and judged.
#![cfg(test)]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test names the variants it is about")]

mod endings;
mod invariants;
mod lost_lines;
mod mangled_lines;
mod owners;
mod recordings;
mod snapshots;
mod texts;
mod transcript_shapes;
mod transcripts;
