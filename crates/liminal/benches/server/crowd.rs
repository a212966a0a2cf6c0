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

/// How the beats of the agents lie to each other.
#[derive(Clone, Copy)]
enum Beats {
    /// Evenly, as those of agents that know nothing of each other.
    Spread,
    /// All begin at the same moment, and speak at the same moments ever after.
    InStep,
}

impl Beats {
    /// When a stream of so many begins.
    fn delay(self, stream: usize, streams: usize) -> Duration {
        let share = u32::try_from(stream).unwrap_or(0);
        match self {
            Self::Spread => {
                let streams = u32::try_from(streams.max(1)).unwrap_or(1);
                Duration::from_micros(FLOW.micros) * share / streams
            }
            Self::InStep => Duration::ZERO,
        }
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
    in_memory: Option<Run>,
}

/// Of each stream, while a hundred turns begin: half a second.
const BEGINNING: usize = 10;

/// One server with all of them.
struct Run {
    beginning: Vec<f64>,
    lags: Vec<f64>,
    usage: Usage,
    cores: f64,
}

pub(crate) async fn measure(settings: &str, rounds: usize, streaming: usize, idle: usize) -> Crowd {
    let mut measured = Vec::new();
    for _ in 0..rounds {
        let copied = copied(streaming).await;
        let on_disk = run(&crate::on_disk(settings), Beats::Spread, streaming, idle).await;
        let in_memory = match crate::in_memory(settings) {
            Some(place) => Some(run(&place, Beats::Spread, streaming, idle).await),
            None => None,
        };
        measured.push(Round { copied, on_disk, in_memory });
    }
    let in_step = run(&crate::on_disk(settings), Beats::InStep, streaming, idle).await;
    Crowd { streaming, idle, rounds: measured, in_step }
}

/// On a server of its own, so that what it uses is what they cost.
async fn run(place: &ServerPlace, beats: Beats, streaming: usize, idle: usize) -> Run {
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
    for (stream, mut watched) in watched.into_iter().enumerate() {
        let delay = beats.delay(stream, streaming);
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
    for (stream, mut direct) in ready.into_iter().enumerate() {
        let delay = Beats::Spread.delay(stream, agents);
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
    /// The median of what the rounds have; none if one has it not.
    fn typical(&self, of: impl Fn(&Round) -> Option<f64>) -> Option<f64> {
        let all = self.rounds.iter().map(of).collect::<Option<Vec<_>>>()?;
        Some(Quantile::Median.of(&all))
    }

    fn row(&self, way: &str, lags: impl Fn(&Round) -> Option<&[f64]>) -> String {
        let typical = |quantile: Quantile| self.typical(|round| Some(quantile.of(lags(round)?)));
        let Some(median) = typical(Quantile::Median) else { return String::new() };
        let (p95, p99) =
            (typical(Quantile::P95).unwrap_or(median), typical(Quantile::P99).unwrap_or(median));
        let of_rounds: Vec<_> = self.rounds.iter().filter_map(&lags).collect();
        let each = of_rounds.iter().map(|lags| format!("{:.0}", Quantile::P99.of(lags)));
        let (frames, each) = (
            of_rounds.iter().map(|lags| lags.len()).sum::<usize>(),
            each.collect::<Vec<_>>().join(", "),
        );
        format!("| {way} | {frames} | {median:.0} | {p95:.0} | {p99:.0} | {each} |\n")
    }

    fn row_in_step(&self) -> String {
        let of = |quantile: Quantile| quantile.of(&self.in_step.lags);
        let (median, p95, p99) = (of(Quantile::Median), of(Quantile::P95), of(Quantile::P99));
        let frames = self.in_step.lags.len();
        format!("| on the disk, in step | {frames} | {median:.0} | {p95:.0} | {p99:.0} | |\n")
    }

    pub(crate) fn report(&self) -> String {
        format!(
            "\
### {} sessions that stream

| way | frames | median, µs | P95, µs | P99, µs | P99 of each round |
|---|---:|---:|---:|---:|---:|
{}{}{}{}{}
Each session's agent is a process that says twenty messages a second for ten seconds, two clients watch each, and {} more sessions are
open and idle. The agents speak in turn, as if they knew nothing of each other; *in step*: all at the same moments, once. *while
all begin*: the first half second, in which all turns start; the rows above it are without it. *copied*: the same agents, each pipe copied into a socket by a task that does nothing else. The agents and the
clients run on the same cores. *in memory*: with the journal where a flush to the disk costs nothing, which shows what is ours and what
is the disk's. The ways take turns for {} rounds; each figure is the median of theirs. Meanwhile the server on the disk used {:.2} of a core
and {:.0} MB.

",
            self.streaming,
            self.row("copied", |round| Some(&round.copied)),
            self.row("through us, in memory", |round| Some(&round.in_memory.as_ref()?.lags)),
            self.row("through us, on the disk", |round| Some(&round.on_disk.lags)),
            self.row("the same while all begin", |round| Some(&round.on_disk.beginning)),
            self.row_in_step(),
            self.idle,
            self.rounds.len(),
            self.cores(),
            self.megabytes(),
        )
    }

    fn cores(&self) -> f64 {
        self.typical(|round| Some(round.on_disk.cores)).unwrap_or_default()
    }

    fn megabytes(&self) -> f64 {
        let all: Vec<_> = self.rounds.iter().map(|round| round.on_disk.usage.megabytes()).collect();
        measure::largest(&all)
    }

    /// What a line takes longer than copied in the same round.
    fn added(&self, quantile: Quantile, run: impl Fn(&Round) -> Option<&Run>) -> Option<f64> {
        self.typical(|round| Some(quantile.of(&run(round)?.lags) - quantile.of(&round.copied)))
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        let bound = |name, text, limit, value, unit| {
            let (limit, figure) = (Limit::AtMost(limit), Estimate::exact(value));
            Bound { name, text, limit, figure, unit }.to_string()
        };
        let in_memory = |quantile| self.added(quantile, |round| round.in_memory.as_ref());
        let on_disk = self.added(Quantile::P99, |round| Some(&round.on_disk));
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
            bounds.extend(value.map(|value| bound("f4_latency", text, limit, value, " µs")));
        }
        bounds
    }
}
