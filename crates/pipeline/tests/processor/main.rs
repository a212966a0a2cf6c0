//! The upsert stream processor, seen from outside.
#![cfg(test)]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test names the variants it is about")]

mod acceptance;
mod edges;
mod properties;
mod support;
