//! Many sessions that stream at once, beside many that are open and idle.

use std::time::Duration;

use measure::{Bound, Estimate, Limit, Quantile, Random};
use testkit::ServerPlace;
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::process::Usage;
use crate::stream::{Direct, Flow, Watched};

/// Twenty pieces a second.
const FLOW: Flow = Flow { pieces: 200, micros: 50_000, bytes: 0 };

/// How the beats of the agents lie to each other: when each of them begins.
struct Beats(Vec<Duration>);

impl Beats {
    /// By chance, as those of agents that know nothing of each other.
    fn by_chance(streams: usize, seed: u64) -> Self {
        let mut random = Random::seeded(seed);
        let beat = usize::try_from(FLOW.micros).unwrap();
        let delay = || Duration::from_micros(random.below(beat) as u64);
        Self(std::iter::repeat_with(delay).take(streams).collect())
    }

    /// All begin at the same moment, and speak at the same moments ever after.
    fn in_step(streams: usize) -> Self {
        Self(vec![Duration::ZERO; streams])
    }
}

pub(crate) struct Crowd {
    streaming: usize,
    idle: usize,
    rounds: Vec<Round>,
    /// On the disk, once.
    in_step: Run,
}

/// All ways, one after the other. Other programs of the machine disturb one round more than another.
struct Round {
    copied: Vec<f64>,
    on_disk: Run,
    in_memory: Run,
}

/// Of each stream, while a hundred turns begin: half a second.
const BEGINNING: usize = 10;

/// One server with all of them.
struct Run {
    beginning: Vec<f64>,
    lags: Vec<f64>,
    /// Megabytes, at most.
    peak: f64,
    cores: f64,
}

pub(crate) async fn measure(settings: &str, rounds: usize, streaming: usize, idle: usize) -> Crowd {
    let mut measured = Vec::new();
    for round in 0..rounds {
        // The same for all ways of a round.
        let beats = &Beats::by_chance(streaming, round as u64);
        let copied = copied(beats).await;
        let on_disk = run(&crate::on_disk(settings), beats, idle).await;
        let in_memory = run(&crate::in_memory(settings), beats, idle).await;
        measured.push(Round { copied, on_disk, in_memory });
    }
    let in_step = run(&crate::on_disk(settings), &Beats::in_step(streaming), idle).await;
    Crowd { streaming, idle, rounds: measured, in_step }
}

/// On a server of its own, so that what it uses is what they cost.
async fn run(place: &ServerPlace, Beats(delays): &Beats, idle: usize) -> Run {
    let server = &place.start();
    for _ in 0..idle {
        server.create(place, "external").await;
    }
    let mut watched = Vec::new();
    for _ in delays {
        watched.push(Watched::new(server, place, "upsert-v2", 2).await);
    }
    let (before, start) = (Usage::of(server.pid()), Instant::now());
    let mut streams = JoinSet::new();
    for (mut watched, delay) in watched.into_iter().zip(delays.clone()) {
        streams.spawn(async move {
            tokio::time::sleep(delay).await;
            watched.stream(FLOW).await
        });
    }
    let (mut beginning, mut lags) = (Vec::new(), Vec::new());
    while let Some(seen) = streams.join_next().await {
        for seen in seen.unwrap() {
            let (first, rest) = seen.lags.split_at(BEGINNING.min(seen.lags.len()));
            beginning.extend(first);
            lags.extend(rest);
        }
    }
    let used = Usage::of(server.pid()).cpu - before.cpu;
    let cores = used.as_secs_f64() / start.elapsed().as_secs_f64();
    Run { beginning, lags, peak: Usage::peak(server.pid()), cores }
}

/// The same agents, their pipes copied into sockets.
async fn copied(Beats(delays): &Beats) -> Vec<f64> {
    let mut copies = JoinSet::new();
    let mut streams = JoinSet::new();
    let mut ready = Vec::new();
    for _ in delays {
        ready.push(Direct::new(Some(&mut copies)).await);
    }
    for (mut direct, delay) in ready.into_iter().zip(delays.clone()) {
        streams.spawn(async move {
            tokio::time::sleep(delay).await;
            direct.stream(FLOW).await.lags
        });
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
    /// The median of what the rounds have.
    fn typical(&self, of: impl Fn(&Round) -> f64) -> f64 {
        Quantile::Median.of(&self.rounds.iter().map(of).collect::<Vec<_>>())
    }

    fn row(&self, way: &str, lags: impl Fn(&Round) -> &[f64]) -> String {
        let typical = |quantile: Quantile| self.typical(|round| quantile.of(lags(round)));
        let (median, p95) = (typical(Quantile::Median), typical(Quantile::P95));
        let p99 = typical(Quantile::P99);
        let all: Vec<f64> = self.rounds.iter().flat_map(&lags).copied().collect();
        let (frames, of_all) = (all.len(), Quantile::P99.of(&all));
        let each = self.rounds.iter().map(|round| format!("{:.0}", Quantile::P99.of(lags(round))));
        let each = each.collect::<Vec<_>>().join(", ");
        format!("| {way} | {frames} | {median:.0} | {p95:.0} | {p99:.0} | {of_all:.0} | {each} |\n")
    }

    fn row_in_step(&self) -> String {
        let of = |quantile: Quantile| quantile.of(&self.in_step.lags);
        let (median, p95, p99) = (of(Quantile::Median), of(Quantile::P95), of(Quantile::P99));
        let frames = self.in_step.lags.len();
        format!(
            "| on the disk, in step | {frames} | {median:.0} | {p95:.0} | {p99:.0} | {p99:.0} | |\n"
        )
    }

    pub(crate) fn report(&self) -> String {
        format!(
            "\
### {} sessions that stream

| way | frames | median, µs | P95, µs | P99, µs | P99 of all rounds | P99 of each |
|---|---:|---:|---:|---:|---:|---:|
{}{}{}{}{}
Each session's agent is a process that says twenty messages a second for ten seconds, two clients watch each, and {} more sessions are
open and idle. When each of them speaks is left to chance, as agents know nothing of each other; *in step*: all at the same moments, once. *while
all begin*: the first half second, in which all turns start; the rows above it are without it. *copied*: the same agents, each pipe copied into a socket by a task that does nothing else. The agents and the
clients run on the same cores. *in memory*: with the journal where a flush to the disk costs nothing; elsewhere everything
is flushed before anybody is told, and a flush of this disk alone takes most of the millisecond that a line may. The ways take turns for {} rounds;
each figure is the median of theirs, since what else the machine does falls into some of them. Meanwhile the server on the disk used {:.2} of a core and {:.0} MB at its peak.

",
            self.streaming,
            self.row("copied", |round| &round.copied),
            self.row("through us, in memory", |round| &round.in_memory.lags),
            self.row("through us, on the disk", |round| &round.on_disk.lags),
            self.row("the same while all begin", |round| &round.on_disk.beginning),
            self.row_in_step(),
            self.idle,
            self.rounds.len(),
            self.cores(),
            self.megabytes(),
        )
    }

    fn cores(&self) -> f64 {
        self.typical(|round| round.on_disk.cores)
    }

    fn megabytes(&self) -> f64 {
        let all: Vec<_> = self.rounds.iter().map(|round| round.on_disk.peak).collect();
        measure::largest(&all)
    }

    /// What a line takes longer than copied in the same round.
    fn added(&self, quantile: Quantile, run: impl Fn(&Round) -> &Run) -> f64 {
        self.typical(|round| quantile.of(&run(round).lags) - quantile.of(&round.copied))
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        let bound = |name, text, limit, value, unit| {
            let (limit, figure) = (Limit::AtMost(limit), Estimate::exact(value));
            Bound { name, text, limit, figure, unit }.to_string()
        };
        let in_memory = |quantile| self.added(quantile, |round| &round.in_memory);
        let on_disk = self.added(Quantile::P99, |round| &round.on_disk);
        let text =
            "what a line takes longer than copied once all have begun, journal in memory, median";
        let added = [
            (text, 1000.0, in_memory(Quantile::Median)),
            ("the same, P99", 10_000.0, in_memory(Quantile::P99)),
            ("the same with the journal on the disk, flushed, P99", 25_000.0, on_disk),
        ];
        let memory = "the server's memory while they stream";
        let mut bounds = vec![
            bound("f1_memory", memory, 200.0, self.megabytes(), " MB"),
            bound("f1_processor", "the cores that it uses meanwhile", 1.0, self.cores(), ""),
        ];
        for (text, limit, value) in added {
            bounds.push(bound("f4_latency", text, limit, value, " µs"));
        }
        bounds
    }
}
