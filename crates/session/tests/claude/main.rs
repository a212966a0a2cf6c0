//! The Claude provider on a scripted agent.
#![cfg(test)]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test names the variants it is about")]

mod acceptance;
mod bench;
mod lines;
mod through_the_service;
