//! The client of one session, led line by line in virtual time.
#![cfg(test)]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test names the variants it is about")]

mod bounds;
mod history;
mod opening;
mod prompts;
mod talk;
mod usage;
