//! The ACP provider on a scripted agent.
#![cfg(test)]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test names the variants it is about")]

mod acceptance;
mod bench;
mod endings;
mod inherited;
mod opening;
mod permissions;
mod prompts;
mod timeline;
