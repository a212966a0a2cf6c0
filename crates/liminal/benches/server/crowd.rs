//! Many sessions that stream at once, beside many that are open and idle.

use std::time::Duration;

use measure::{Bound, Estimate, Limit, Quantile};
use testkit::ServerPlace;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::process::Usage;
use crate::stream::{Direct, Flow, Watched};

/// Twenty pieces a second.
const FLOW: Flow = Flow { pieces: 200, micros: 50_000, bytes: 0 };

pub(crate) struct Crowd {
    streaming: usize,
    idle: usize,
    copied: Vec<f64>,
    on_disk: Run,
    in_memory: Option<Run>,
}

/// Of each stream, while a hundred turns begin at the same moment: half a second.
const BEGINNING: usize = 10;

/// One server with all of them.
struct Run {
    beginning: Vec<f64>,
    lags: Vec<f64>,
    usage: Usage,
    cores: f64,
}

pub(crate) async fn measure(
    place: &ServerPlace,
    in_memory: Option<&ServerPlace>,
    streaming: usize,
    idle: usize,
) -> Crowd {
    let copied = copied(streaming).await;
    let on_disk = run(place, streaming, idle).await;
    let in_memory = match in_memory {
        Some(place) => Some(run(place, streaming, idle).await),
        None => None,
    };
    Crowd { streaming, idle, copied, on_disk, in_memory }
}

/// On a server of its own, so that what it uses is what they cost.
async fn run(place: &ServerPlace, streaming: usize, idle: usize) -> Run {
    let server = &place.start();
    for _ in 0..idle {
        server.create(place, "external").await;
    }
    let mut watched = Vec::new();
    for _ in 0..streaming {
        watched.push(Watched::new(server, place, "upsert-v2", 2).await);
    }
    let (before, start) = (Usage::of(server.pid()), Instant::now());
    let mut streams = JoinSet::new();
    for mut watched in watched {
        streams.spawn(async move { watched.stream(FLOW).await });
    }
    let (mut beginning, mut lags) = (Vec::new(), Vec::new());
    while let Some(seen) = streams.join_next().await {
        for seen in seen.unwrap() {
            let (first, rest) = seen.lags.split_at(BEGINNING.min(seen.lags.len()));
            beginning.extend(first);
            lags.extend(rest);
        }
    }
    let usage = Usage::of(server.pid());
    let cores = (usage.cpu - before.cpu).as_secs_f64() / start.elapsed().as_secs_f64();
    Run { beginning, lags, usage, cores }
}

/// The same agents, their pipes copied into sockets.
async fn copied(agents: usize) -> Vec<f64> {
    let mut copies = JoinSet::new();
    let mut streams = JoinSet::new();
    let mut ready = Vec::new();
    for _ in 0..agents {
        ready.push(Direct::new(Some(&mut copies)).await);
    }
    for mut direct in ready {
        streams.spawn(async move { direct.stream(FLOW).await.lags });
    }
    let mut lags = Vec::new();
    while let Some(seen) = streams.join_next().await {
        lags.extend(seen.unwrap().into_iter().skip(BEGINNING));
    }
    copies.shutdown().await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    lags
}

impl Crowd {
    pub(crate) fn report(&self) -> String {
        let row = |way: &str, lags: &[f64]| {
            let of = |quantile: Quantile| quantile.of(lags);
            let (median, p95, p99) = (of(Quantile::Median), of(Quantile::P95), of(Quantile::P99));
            format!("| {way} | {} | {median:.0} | {p95:.0} | {p99:.0} |\n", lags.len())
        };
        format!(
            "\
### {} sessions that stream

| way | frames | median, µs | P95, µs | P99, µs |
|---|---:|---:|---:|---:|
{}{}{}{}
Each session's agent is a process that says twenty messages a second for ten seconds, two clients watch each, and {} more sessions are
open and idle. *while all begin*: the first half second, in which all turns start at the same moment; the rows above it are without
it. *copied*: the same agents, each pipe copied into a socket by a task that does nothing else. The agents and the
clients run on the same cores. *in memory*: with the journal where a flush to the disk costs nothing, which shows what is ours and what
is the disk's. Meanwhile the server on the disk used {:.2} of a core and {:.0} MB.

",
            self.streaming,
            row("copied", &self.copied),
            self.in_memory.as_ref().map_or(String::new(), |run| row("through us, in memory", &run.lags)),
            row("through us, on the disk", &self.on_disk.lags),
            row("the same while all begin", &self.on_disk.beginning),
            self.idle,
            self.on_disk.cores,
            self.on_disk.usage.megabytes(),
        )
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        let bound = |name, text, limit, value, unit| {
            let (limit, figure) = (Limit::AtMost(limit), Estimate::exact(value));
            Bound { name, text, limit, figure, unit }.to_string()
        };
        let run = &self.on_disk;
        let mut bounds = vec![
            bound(
                "f1_memory",
                "the server's memory while they stream",
                200.0,
                run.usage.megabytes(),
                " MB",
            ),
            bound("f1_processor", "the cores that it uses meanwhile", 1.0, run.cores, ""),
        ];
        let added =
            |run: &Run, quantile: Quantile| quantile.of(&run.lags) - quantile.of(&self.copied);
        if let Some(run) = &self.in_memory {
            let median = added(run, Quantile::Median);
            let text = "what a line takes longer than copied once all have begun, journal in memory, median";
            bounds.push(bound("f4_latency", text, 1000.0, median, " µs"));
            bounds.push(bound(
                "f4_latency",
                "the same, P99",
                10_000.0,
                added(run, Quantile::P99),
                " µs",
            ));
        }
        let text = "the same with the journal on the disk, flushed, P99";
        bounds.push(bound("f4_latency", text, 25_000.0, added(run, Quantile::P99), " µs"));
        bounds
    }
}
