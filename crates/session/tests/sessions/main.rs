//! Sessions on a scripted agent, seen from outside: the service in, publications and calls out.
#![cfg(test)]
#![expect(clippy::wildcard_enum_match_arm, reason = "a test names the variants it is about")]

mod acp_sessions;
mod archiving;
mod cancelling;
mod caps;
mod catalogue;
mod commit_then_publish;
mod external;
mod failures;
mod full_disk;
mod idleness;
mod imports;
mod jumping_clock;
mod lifecycle;
mod lives;
mod newcomers;
mod permissions;
mod properties;
mod providers;
mod queue;
mod slow_agents;
mod steering;
mod stopping;
mod support;
mod timeline;
mod titles;
mod transcripts;
mod turns;
mod unconfigured;
