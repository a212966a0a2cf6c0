//! One stream: what a client sees later through us than without us.

use measure::{Bound, Estimate, Limit, Quantile, of_ratio};
use testkit::ServerPlace;

use crate::stream::{Direct, Flow, Seen, Watched};

/// As a model that speaks fast: a hundred pieces a second.
const FLOW: Flow = Flow { pieces: 100, micros: 10_000, bytes: 0 };

pub(crate) struct Latency {
    direct: Way,
    in_memory: Way,
    on_disk: Way,
}

/// What all rounds of one way came to.
#[derive(Default)]
struct Way {
    lags: Vec<f64>,
    whole: Vec<f64>,
}

impl Way {
    fn note(&mut self, seen: Seen) {
        self.lags.extend(seen.lags);
        self.whole.push(seen.whole);
    }

    fn row(&self, way: &str) -> String {
        let lag = |quantile: Quantile| quantile.of(&self.lags);
        let whole = |quantile: Quantile| quantile.of(&self.whole);
        format!(
            "| {way} | {} | {:.0} | {:.0} | {:.0} | {:.0} | {:.0} |\n",
            self.lags.len(),
            lag(Quantile::Median),
            lag(Quantile::P95),
            lag(Quantile::P99),
            whole(Quantile::Median),
            whole(Quantile::P95)
        )
    }
}

pub(crate) async fn measure(
    on_disk: &ServerPlace,
    in_memory: &ServerPlace,
    rounds: usize,
) -> Latency {
    let (flushing, quick) = (on_disk.start(), in_memory.start());
    let mut disk = Watched::new(&flushing, on_disk, "upsert-v1", 1).await;
    let mut memory = Watched::new(&quick, in_memory, "upsert-v1", 1).await;
    let mut direct = Direct::new(None).await;
    let warm_up = Flow { pieces: 20, ..FLOW };
    disk.stream(warm_up).await;
    memory.stream(warm_up).await;
    direct.stream(warm_up).await;
    let mut latency =
        Latency { direct: Way::default(), in_memory: Way::default(), on_disk: Way::default() };
    for round in 0..rounds {
        for turn in 0..3 {
            match (round + turn) % 3 {
                0 => latency.direct.note(direct.stream(FLOW).await),
                1 => latency.in_memory.note(memory.stream(FLOW).await.remove(0)),
                _ => latency.on_disk.note(disk.stream(FLOW).await.remove(0)),
            }
        }
    }
    latency
}

impl Latency {
    pub(crate) fn report(&self) -> String {
        format!(
            "\
### From the agent's line to the client

| way | pieces | median, µs | P95, µs | P99, µs | whole answer, median, ms | P95, ms |
|---|---:|---:|---:|---:|---:|---:|
{}{}{}
One agent says {} messages of twelve words, {} ms apart, each due at once and marked with its time. *direct*: until a program that
started the agent has read the line. *through us*: until a client has the frame of the WebSocket: translated, written to the
journal, flushed to the disk, published. *in memory*: with the journal where a flush costs nothing. *whole answer*: from the prompt
to its last word, most of which is the agent's own time. The ways take turns.

",
            self.direct.row("direct"),
            self.in_memory.row("through us, in memory"),
            self.on_disk.row("through us, on the disk"),
            FLOW.pieces,
            FLOW.micros / 1000,
        )
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        let added = |text, way: &Way, quantile: Quantile, limit| {
            let figure = quantile.of(&way.lags) - quantile.of(&self.direct.lags);
            let (limit, figure) = (Limit::AtMost(limit), Estimate::exact(figure));
            Bound { name: "nfr_stream_latency", text, limit, figure, unit: " µs" }.to_string()
        };
        let whole = |text, quantile| {
            let figure = of_ratio(quantile, &self.on_disk.whole, &self.direct.whole);
            let limit = Limit::AtMost(1.1);
            Bound { name: "nfr_stream_latency", text, limit, figure, unit: "" }.to_string()
        };
        let line = "what a line takes longer to the client, journal in memory, median";
        let flushed = "the same with the journal on the disk, flushed, P99";
        let answer = "a whole answer at the client to the same read directly, median";
        vec![
            added(line, &self.in_memory, Quantile::Median, 1000.0),
            added("the same, P95", &self.in_memory, Quantile::P95, 10_000.0),
            added("the same, P99", &self.in_memory, Quantile::P99, 10_000.0),
            added(flushed, &self.on_disk, Quantile::P99, 25_000.0),
            whole(answer, Quantile::Median),
            whole("the same, P95", Quantile::P95),
        ]
    }
}
