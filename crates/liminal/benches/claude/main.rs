//! The real Claude Code, both versions, against a scripted model: how soon its first text shows, how soon a crash is
//! noticed, and what is left of it afterwards.
//!
//! Run by `cargo xtask bench claude`, which reads the `bound:` lines. `LIMINAL_BENCH_ROUNDS` sets how often everything is
//! measured, `LIMINAL_BENCH_QUICK` makes it few.
#![expect(clippy::unwrap_used, reason = "a benchmark may end loudly")]

mod direct;
mod lifecycle;
mod startup;

use std::ffi::OsString;
use std::io::Write;
use std::time::Duration;

use contract::{MessageOrigin, UpsertBody};
use testkit::agents::ClaudeVersion;
use testkit::watched_session::WatchedSession;

const STARTUP_ROUNDS: usize = 24;
const LIFECYCLE_ROUNDS: usize = 24;
const QUICK_ROUNDS: usize = 3;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let mut report = String::new();
    let mut bounds = Vec::new();
    report += startup::HEADER;
    for version in ClaudeVersion::ALL {
        let figures = startup::measure(version, rounds(STARTUP_ROUNDS)).await;
        report += &figures.rows();
        bounds.extend(figures.bounds());
    }
    report += startup::FOOTER;
    report += lifecycle::HEADER;
    for version in ClaudeVersion::ALL {
        let figures = lifecycle::measure(version, rounds(LIFECYCLE_ROUNDS)).await;
        report += &figures.row();
        bounds.extend(figures.bounds());
    }
    report += lifecycle::FOOTER;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{report}")?;
    bounds.iter().try_for_each(|bound| writeln!(out, "{bound}"))
}

fn rounds(usual: usize) -> usize {
    let asked = std::env::var("LIMINAL_BENCH_ROUNDS").ok().and_then(|text| text.parse().ok());
    let quick = std::env::var_os("LIMINAL_BENCH_QUICK").map(|_| QUICK_ROUNDS);
    asked.or(quick).unwrap_or(usual)
}

fn guard() -> Vec<OsString> {
    vec![env!("CARGO_BIN_EXE_liminal").into(), "agent-guard".into()]
}

/// Waits until the subscriber has words of the agent.
async fn first_text(session: &mut WatchedSession<'_>) {
    session
        .until("the agent's first text shows", |seen| {
            seen.items.iter().any(|item| match &item.body {
                UpsertBody::Message { content, origin: MessageOrigin::Agent } => {
                    !content.is_empty()
                }
                UpsertBody::Message { .. }
                | UpsertBody::Thinking { .. }
                | UpsertBody::ToolCall(_) => false,
            })
        })
        .await;
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
