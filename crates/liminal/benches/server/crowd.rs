//! Many sessions that stream at once, beside many that are open and idle.

use std::time::Duration;

use measure::{Bound, Estimate, Limit, Quantile};
use testkit::{ServerPlace, ServerProcess};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::process::Usage;
use crate::stream::{Direct, Flow, Watched};

/// Twenty pieces a second.
const FLOW: Flow = Flow { pieces: 200, micros: 50_000, bytes: 0 };

pub(crate) struct Crowd {
    streaming: usize,
    idle: usize,
    through: Vec<f64>,
    copied: Vec<f64>,
    usage: Usage,
    cores: f64,
}

pub(crate) async fn measure(
    server: &ServerProcess,
    place: &ServerPlace,
    streaming: usize,
    idle: usize,
) -> Crowd {
    for _ in 0..idle {
        server.create(place, "external").await;
    }
    let copied = copied(streaming).await;
    let mut watched = Vec::new();
    for _ in 0..streaming {
        watched.push(Watched::new(server, place, "upsert-v2", 2).await);
    }
    let (before, start) = (Usage::of(server.pid()), Instant::now());
    let mut streams = JoinSet::new();
    for mut watched in watched {
        streams.spawn(async move { watched.stream(FLOW).await });
    }
    let mut through = Vec::new();
    while let Some(seen) = streams.join_next().await {
        through.extend(seen.unwrap().into_iter().flat_map(|seen| seen.lags));
    }
    let usage = Usage::of(server.pid());
    let cores = (usage.cpu - before.cpu).as_secs_f64() / start.elapsed().as_secs_f64();
    Crowd { streaming, idle, through, copied, usage, cores }
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
        lags.extend(seen.unwrap());
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
{}{}
Each session's agent is a process that says twenty messages a second for ten seconds, two clients watch each, and {} more sessions are
open and idle. *copied*: the same agents, each pipe copied into a socket by a task that does nothing else. The agents and the
clients run on the same cores. Meanwhile the server used {:.2} of a core and {:.0} MB.

",
            self.streaming,
            row("copied", &self.copied),
            row("through us", &self.through),
            self.idle,
            self.cores,
            self.usage.megabytes(),
        )
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        let bound = |name, text, limit, value, unit| {
            let (limit, figure) = (Limit::AtMost(limit), Estimate::exact(value));
            Bound { name, text, limit, figure, unit }.to_string()
        };
        vec![
            bound(
                "f1_memory",
                "the server's memory while they stream",
                200.0,
                self.usage.megabytes(),
                " MB",
            ),
            bound("f1_processor", "the cores that it uses meanwhile", 1.0, self.cores, ""),
        ]
    }
}
