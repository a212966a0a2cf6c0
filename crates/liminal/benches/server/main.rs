//! The server with scripted agents and real sockets: what a client sees later than without it, what many sessions cost, what
//! goes over the wire, how soon it starts.
//!
//! Run by `cargo xtask bench server`, which reads the `bound:` lines. `LIMINAL_BENCH_ROUNDS` sets how often everything is
//! measured, `LIMINAL_BENCH_QUICK` makes it few.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a benchmark may end loudly"
)]

mod agent;
mod bytes;
mod clients;
mod crowd;
mod fan;
mod flood;
mod latency;
mod process;
mod slow;
mod start;
mod stream;

use std::io::Write;
use std::path::{Path, PathBuf};

use testkit::ServerPlace;

const ROUNDS: usize = 20;
const QUICK_ROUNDS: usize = 3;

fn main() -> std::io::Result<()> {
    if std::env::args().any(|argument| argument == "--agent") {
        return agent::run();
    }
    tokio::runtime::Runtime::new()?.block_on(measure())
}

async fn measure() -> std::io::Result<()> {
    let quick = std::env::var_os("LIMINAL_BENCH_QUICK").is_some();
    let asked = std::env::var("LIMINAL_BENCH_ROUNDS").ok().and_then(|text| text.parse().ok());
    let rounds = asked.unwrap_or(if quick { QUICK_ROUNDS } else { ROUNDS });
    let (streaming, idle) = if quick { (10, 50) } else { (100, 1000) };
    let (connected, watching) = if quick { (200, 20) } else { (5000, 400) };
    let settings =
        format!("[agents.bench]\nprotocol = \"acp\"\ncommand = [{:?}, \"--agent\"]\n", itself());
    let place = ServerPlace::new(Path::new(env!("CARGO_BIN_EXE_liminal")), &settings);
    let server = place.start();
    let latency = latency::measure(&server, &place, rounds).await;
    let bytes = bytes::measure(&server, &place).await;
    drop(server);
    // On a server of its own, so that what it uses is what they cost.
    let server = place.start();
    let crowd = crowd::measure(&server, &place, streaming, idle).await;
    drop(server);
    let server = place.start();
    let fan = fan::measure(&server, &place, connected, watching).await;
    drop(server);
    let server = place.start();
    let slow = slow::measure(&server, &place).await;
    drop(server);
    let server = place.start();
    let flood = flood::measure(&server, &place, if quick { 50 } else { 1000 }).await;
    drop(server);
    place.nothing_runs().await;
    let starts = start::measure(&place, rounds).await;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}{}{}", latency.report(), crowd.report(), bytes.report())?;
    writeln!(out, "{}{}{}{}", fan.report(), slow.report(), flood.report(), starts.report())?;
    let bounds = [latency.bounds(), crowd.bounds(), bytes.bounds(), fan.bounds()].into_iter();
    let bounds = bounds.chain([slow.bounds(), flood.bounds(), starts.bounds()]);
    bounds.flatten().try_for_each(|bound| writeln!(out, "{bound}"))
}

/// The program of this benchmark, which is its agent, too.
fn itself() -> PathBuf {
    std::env::current_exe().unwrap()
}
