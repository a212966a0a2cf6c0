//! Agents of the Agent Client Protocol: how soon the real Codex has loaded a session through us and without us, and what we
//! add between a piece of text and the state of its item.
//!
//! Run by `cargo xtask bench acp`, which reads the `bound:` lines. `LIMINAL_BENCH_ROUNDS` sets how often everything is
//! measured, `LIMINAL_BENCH_QUICK` makes it few.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a benchmark may end loudly")]

mod direct;
mod latency;
mod load;

use std::io::Write;
use std::time::Duration;

const LOAD_ROUNDS: usize = 120;
const LATENCY_ROUNDS: usize = 40;
const QUICK_ROUNDS: usize = 4;

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let loads = load::measure(rounds(LOAD_ROUNDS)).await;
    let latencies = latency::measure(rounds(LATENCY_ROUNDS)).await;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}{}", loads.report(), latencies.report())?;
    let bounds = loads.bounds().into_iter().chain(latencies.bounds());
    bounds.into_iter().try_for_each(|bound| writeln!(out, "{bound}"))
}

fn rounds(usual: usize) -> usize {
    let asked = std::env::var("LIMINAL_BENCH_ROUNDS").ok().and_then(|text| text.parse().ok());
    let quick = std::env::var_os("LIMINAL_BENCH_QUICK").map(|_| QUICK_ROUNDS);
    asked.or(quick).unwrap_or(usual)
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
