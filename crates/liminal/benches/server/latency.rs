//! One stream: what a client sees later through us than without us.

use measure::{Bound, Limit, Quantile, of_one, of_ratio};
use testkit::{ServerPlace, ServerProcess};

use crate::stream::{Direct, Flow, Watched};

/// As a model that speaks fast: a hundred pieces a second.
const FLOW: Flow = Flow { pieces: 100, micros: 10_000, bytes: 0 };

pub(crate) struct Latency {
    direct: Vec<f64>,
    through: Vec<f64>,
    direct_whole: Vec<f64>,
    through_whole: Vec<f64>,
}

pub(crate) async fn measure(server: &ServerProcess, place: &ServerPlace, rounds: usize) -> Latency {
    let mut watched = Watched::new(server, place, "upsert-v1", 1).await;
    let mut direct = Direct::new(None).await;
    let warm_up = Flow { pieces: 20, ..FLOW };
    watched.stream(warm_up).await;
    direct.stream(warm_up).await;
    let mut latency = Latency {
        direct: Vec::new(),
        through: Vec::new(),
        direct_whole: Vec::new(),
        through_whole: Vec::new(),
    };
    for round in 0..rounds {
        for way in [round % 2, (round + 1) % 2] {
            if way == 0 {
                let seen = direct.stream(FLOW).await;
                latency.direct.extend(seen.lags);
                latency.direct_whole.push(seen.whole);
            } else {
                let seen = watched.stream(FLOW).await.remove(0);
                latency.through.extend(seen.lags);
                latency.through_whole.push(seen.whole);
            }
        }
    }
    latency
}

impl Latency {
    pub(crate) fn report(&self) -> String {
        let row = |way: &str, lags: &[f64], whole: &[f64]| {
            let (median, p95) = (Quantile::Median.of(lags), Quantile::P95.of(lags));
            let (all, slow) = (Quantile::Median.of(whole), Quantile::P95.of(whole));
            format!("| {way} | {} | {median:.0} | {p95:.0} | {all:.0} | {slow:.0} |\n", lags.len())
        };
        format!(
            "\
### From the agent's line to the client

| way | pieces | median, µs | P95, µs | whole answer, median, ms | P95, ms |
|---|---:|---:|---:|---:|---:|
{}{}
One agent says {} messages of twelve words, {} ms apart, each due at once and marked with its time. *direct*: until a program that
started the agent has read the line. *through us*: until a client has the frame of the WebSocket: translated, written to the
journal, flushed to the disk, published. *whole answer*: from the prompt to its last word. The ways take turns.

",
            row("direct", &self.direct, &self.direct_whole),
            row("through us", &self.through, &self.through_whole),
            FLOW.pieces,
            FLOW.micros / 1000,
        )
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        let added: Vec<f64> =
            self.through.iter().zip(&self.direct).map(|(ours, theirs)| ours - theirs).collect();
        let added = |text, quantile, limit| {
            let figure = of_one(quantile, &added);
            let limit = Limit::AtMost(limit);
            Bound { name: "nfr_stream_latency", text, limit, figure, unit: " µs" }.to_string()
        };
        let whole = |text, quantile| {
            let figure = of_ratio(quantile, &self.through_whole, &self.direct_whole);
            let limit = Limit::AtMost(1.1);
            Bound { name: "nfr_stream_latency", text, limit, figure, unit: "" }.to_string()
        };
        vec![
            whole(
                "a whole answer at the client to the same read directly, median",
                Quantile::Median,
            ),
            whole("the same, P95", Quantile::P95),
            added(
                "what a line takes longer to the client, flushed to the disk, median",
                Quantile::Median,
                1000.0 * 10.0,
            ),
            added("the same, P95", Quantile::P95, 1000.0 * 25.0),
        ]
    }
}
