//! The state machine, line by line: orders that no recording shows, and what the log tells.
#![cfg(test)]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test names the variants it is about")]

mod bounds;
mod log;
mod order;
mod story;
