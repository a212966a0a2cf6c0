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
mod history;
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

/// How much is measured.
struct Extent {
    quick: bool,
    rounds: usize,
}

impl Extent {
    fn asked() -> Self {
        let quick = std::env::var_os("LIMINAL_BENCH_QUICK").is_some();
        let asked = std::env::var("LIMINAL_BENCH_ROUNDS").ok().and_then(|text| text.parse().ok());
        Self { quick, rounds: asked.unwrap_or(if quick { QUICK_ROUNDS } else { ROUNDS }) }
    }

    fn of<T>(&self, quick: T, whole: T) -> T {
        if self.quick { quick } else { whole }
    }
}

async fn measure() -> std::io::Result<()> {
    let extent = Extent::asked();
    let settings =
        format!("[agents.bench]\nprotocol = \"acp\"\ncommand = [{:?}, \"--agent\"]\n", itself());
    let place = on_disk(&settings);
    measure_streams(&extent, &place, &settings).await?;
    measure_crowds(&extent, &place, &settings).await?;
    place.nothing_runs().await;
    if wants("start") {
        let figures = start::measure(&place, extent.rounds).await;
        tell(&figures.report(), &figures.bounds())?;
    }
    Ok(())
}

/// What one client has of it.
async fn measure_streams(
    extent: &Extent,
    place: &ServerPlace,
    settings: &str,
) -> std::io::Result<()> {
    if wants("history") {
        let figures = history::measure(&on_disk(settings), extent.of(4, 100)).await;
        tell(&figures.report(), &figures.bounds())?;
    }
    if wants("latency") {
        let figures = latency::measure(place, &in_memory(settings), extent.rounds).await;
        tell(&figures.report(), &figures.bounds())?;
    }
    if wants("bytes") {
        let figures = bytes::measure(&place.start(), place).await;
        tell(&figures.report(), &figures.bounds())?;
    }
    if wants("flood") {
        let figures = flood::measure(&place.start(), place, extent.of(50, 1000)).await;
        tell(&figures.report(), &figures.bounds())?;
    }
    Ok(())
}

/// What many have of it.
async fn measure_crowds(
    extent: &Extent,
    place: &ServerPlace,
    settings: &str,
) -> std::io::Result<()> {
    if wants("crowd") {
        let (streaming, idle) = extent.of((10, 50), (100, 1000));
        let figures = crowd::measure(settings, extent.of(1, 5), streaming, idle).await;
        tell(&figures.report(), &figures.bounds())?;
    }
    if wants("fan") {
        let (connected, watching) = extent.of((200, 20), (5000, 1000));
        let figures = fan::measure(&place.start(), place, connected, watching).await;
        tell(&figures.report(), &figures.bounds())?;
    }
    if wants("slow") {
        let (seconds, rounds) = extent.of((5, 1), (60, 2));
        let figures = slow::measure(place, &in_memory(settings), seconds, rounds).await;
        tell(&figures.report(), &figures.bounds())?;
    }
    if wants("strangers") {
        let figures = strangers::measure(&place.start(), extent.of(500, 10_000)).await;
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

/// A place whose data is in memory: there a flush to the disk costs nothing.
fn in_memory(settings: &str) -> ServerPlace {
    ServerPlace::within(Path::new("/dev/shm"), Path::new(PROGRAM), settings)
}

/// The program of this benchmark, which is its agent, too.
fn itself() -> PathBuf {
    std::env::current_exe().unwrap()
}
