//! The server with scripted agents and real sockets: what a client sees later than without it, what many sessions cost, what
//! goes over the wire, how soon it starts.
//!
//! Run by `cargo xtask bench server`, which reads the `bound:` lines. `LIMINAL_BENCH_ROUNDS` sets how often everything is
//! measured, `LIMINAL_BENCH_QUICK` makes it few.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a benchmark may end loudly")]

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
mod strangers;
mod stream;

use std::io::Write;
use std::path::{Path, PathBuf};

use testkit::ServerPlace;

const PROGRAM: &str = env!("CARGO_BIN_EXE_liminal");
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
    let (connected, watching) = if quick { (200, 20) } else { (5000, 1000) };
    let settings =
        format!("[agents.bench]\nprotocol = \"acp\"\ncommand = [{:?}, \"--agent\"]\n", itself());
    let place = on_disk(&settings);
    if wants("latency") {
        let figures = latency::measure(&place.start(), &place, rounds).await;
        tell(&figures.report(), &figures.bounds())?;
    }
    if wants("crowd") {
        let rounds = if quick { 1 } else { 5 };
        let figures = crowd::measure(&settings, rounds, streaming, idle).await;
        tell(&figures.report(), &figures.bounds())?;
    }
    if wants("bytes") {
        let figures = bytes::measure(&place.start(), &place).await;
        tell(&figures.report(), &figures.bounds())?;
    }
    if wants("fan") {
        let figures = fan::measure(&place.start(), &place, connected, watching).await;
        tell(&figures.report(), &figures.bounds())?;
    }
    if wants("slow") {
        let (seconds, rounds) = if quick { (5, 1) } else { (60, 2) };
        let in_memory = in_memory(&settings);
        let figures = slow::measure(&place, in_memory.as_ref(), seconds, rounds).await;
        tell(&figures.report(), &figures.bounds())?;
    }
    if wants("strangers") {
        let count = if quick { 500 } else { 10_000 };
        let figures = strangers::measure(&place.start(), count).await;
        tell(&figures.report(), &figures.bounds())?;
    }
    if wants("flood") {
        let figures = flood::measure(&place.start(), &place, if quick { 50 } else { 1000 }).await;
        tell(&figures.report(), &figures.bounds())?;
    }
    place.nothing_runs().await;
    if wants("start") {
        let figures = start::measure(&place, rounds).await;
        tell(&figures.report(), &figures.bounds())?;
    }
    Ok(())
}

/// `LIMINAL_BENCH_ONLY` names one part, for those who work on that.
fn wants(part: &str) -> bool {
    std::env::var("LIMINAL_BENCH_ONLY").map_or(true, |only| only == part)
}

/// At once: what is measured is not lost with what comes after it.
fn tell(report: &str, bounds: &[String]) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{}\n\n{}\n", report.trim_end(), bounds.join("\n"))?;
    out.flush()
}

fn on_disk(settings: &str) -> ServerPlace {
    ServerPlace::new(Path::new(PROGRAM), settings)
}

/// A place whose data is in memory, where the system has one: there a flush to the disk costs nothing.
fn in_memory(settings: &str) -> Option<ServerPlace> {
    let memory = Path::new("/dev/shm");
    memory.is_dir().then(|| ServerPlace::within(memory, Path::new(PROGRAM), settings))
}

/// The program of this benchmark, which is its agent, too.
fn itself() -> PathBuf {
    std::env::current_exe().unwrap()
}
