//! Recorded conversations with real agents, told again.
#![cfg(test)]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test names the variants it is about")]

mod invariants;
mod lost_lines;
mod mangled_lines;
mod recordings;
mod rollout_shapes;
mod rollouts;
mod snapshots;
mod texts;
