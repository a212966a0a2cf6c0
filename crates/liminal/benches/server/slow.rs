//! A client that does not read, beside one that does.

use std::time::Duration;

use measure::{Bound, Estimate, Limit, Quantile};
use serde_json::json;
use testkit::{ServerPlace, ServerProcess};
use tokio::time::Instant;

use crate::clients::Client;
use crate::process::Usage;
use crate::stream::{Flow, Watched};

/// Some forty megabytes in ten seconds.
const FLOW: Flow = Flow { pieces: 1000, micros: 10_000, bytes: 20_000 };

pub(crate) struct Slow {
    alone: Vec<f64>,
    beside: Vec<f64>,
    /// What the server grew by, in megabytes.
    grown: f64,
    /// From reading again to having all, in milliseconds.
    converged: f64,
}

pub(crate) async fn measure(server: &ServerProcess, place: &ServerPlace) -> Slow {
    let mut watched = Watched::new(server, place, "upsert-v1", 1).await;
    // Once before, so that what a session costs by itself is not counted.
    let alone = watched.stream(FLOW).await.remove(0).lags;
    let mut sleeper = Client::connect(server, "upsert-v1").await;
    sleeper.open(&watched.session).await;
    let before = Usage::of(server.pid());
    let beside = watched.stream(FLOW).await.remove(0).lags;
    let grown = Usage::of(server.pid()).megabytes() - before.megabytes();
    tokio::time::sleep(Duration::from_millis(200)).await;
    let start = Instant::now();
    // It has all when it is told the end of the turn, live or in a history.
    sleeper.say(&json!({ "type": "ping" })).await;
    while !sleeper.next().await.contains("\"turn_complete\"") {}
    Slow { alone, beside, grown, converged: start.elapsed().as_secs_f64() * 1000.0 }
}

impl Slow {
    pub(crate) fn report(&self) -> String {
        let row = |way: &str, lags: &[f64]| {
            let of = |quantile: Quantile| quantile.of(lags) / 1000.0;
            format!("| {way} | {:.2} | {:.2} |\n", of(Quantile::Median), of(Quantile::P99))
        };
        format!(
            "\
### A client that does not read

| another client's lag | median, ms | P99, ms |
|---|---:|---:|
{}{}
A session says a hundred items of 20 kB a second for ten seconds; one client reads them, another one does not. Meanwhile the server
grew by {:.1} MB. Reading again, the slow one has the end of the turn after {:.0} ms.

",
            row("alone", &self.alone),
            row("beside one that does not read", &self.beside),
            self.grown,
            self.converged,
        )
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        let bound = |name, text, limit, value, unit| {
            let (limit, figure) = (Limit::AtMost(limit), Estimate::exact(value));
            Bound { name, text, limit, figure, unit }.to_string()
        };
        vec![
            bound(
                "f8_slow_reader",
                "what the server grows by for a client that does not read",
                8.0,
                self.grown,
                " MB",
            ),
            bound(
                "f8_converged",
                "until it has everything once it reads",
                1000.0,
                self.converged,
                " ms",
            ),
        ]
    }
}
