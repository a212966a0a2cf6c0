//! Sessions on a scripted agent, seen from outside: the service in, publications and calls out.
#![cfg(test)]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test names the variants it is about")]

mod acp_sessions;
mod cancelling;
mod catalogue;
mod external;
mod failures;
mod imports;
mod lifecycle;
mod permissions;
mod properties;
mod providers;
mod slow_agents;
mod steering;
mod stopping;
mod support;
mod timeline;
mod transcripts;
mod turns;
