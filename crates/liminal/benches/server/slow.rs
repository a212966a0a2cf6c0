//! A client that does not read, beside one that does.

use std::time::Duration;

use contract::SessionId;
use measure::{Bound, Estimate, Limit, Quantile};
use serde_json::json;
use testkit::{ServerPlace, ServerProcess};
use tokio::time::Instant;

use crate::clients::Client;
use crate::process::Usage;
use crate::stream::{Flow, Watched};

/// Clients that do not read: several, so that what one costs stands out from what the server's memory does by itself.
const SLEEPERS: usize = 8;

/// Two megabytes a second, each item twice.
const fn flow(seconds: u64) -> Flow {
    Flow { pieces: 100 * seconds, micros: 10_000, bytes: 20_000 }
}

pub(crate) struct Slow {
    alone: Vec<f64>,
    beside: Vec<f64>,
    seconds: u64,
    /// What the server grew by for each client that does not read, in kilobytes.
    grown: f64,
    /// From reading again to having all, in milliseconds.
    converged: f64,
}

pub(crate) async fn measure(server: &ServerProcess, place: &ServerPlace, seconds: u64) -> Slow {
    let mut watched = Watched::new(server, place, "upsert-v1", 1).await;
    // As long alone, so that what a session costs by itself is not counted.
    let alone = watched.stream(flow(seconds)).await.remove(0).lags;
    let mut sleepers = Vec::new();
    for _ in 0..SLEEPERS {
        let mut sleeper = Client::connect(server, "upsert-v1").await;
        sleeper.open(&watched.session).await;
        sleepers.push(sleeper);
    }
    let before = Usage::of(server.pid());
    let beside = tokio::select! {
        mut seen = watched.stream(flow(seconds)) => seen.remove(0).lags,
        () = show_life(&mut sleepers) => unreachable!("it never ends"),
    };
    let grown = (Usage::of(server.pid()).megabytes() - before.megabytes()) * 1000.0;
    tokio::time::sleep(Duration::from_millis(200)).await;
    let start = Instant::now();
    for sleeper in &mut sleepers {
        catch_up(sleeper, server, &watched.session).await;
    }
    let converged = start.elapsed().as_secs_f64() * 1000.0;
    #[expect(clippy::cast_precision_loss, reason = "a count of a benchmark")]
    let grown = grown / SLEEPERS as f64;
    Slow { alone, beside, seconds, grown, converged }
}

/// They are slow and speak now and then. Whoever reads nothing for long is hung up on all the same.
async fn show_life(sleepers: &mut [Client]) {
    loop {
        tokio::time::sleep(Duration::from_secs(5)).await;
        for sleeper in &mut *sleepers {
            sleeper.try_to_say(&json!({ "type": "ping" })).await.ok();
        }
    }
}

/// It has all when it is told the end of the turn: live, in a history, or in that of a new connection.
async fn catch_up(sleeper: &mut Client, server: &ServerProcess, session: &SessionId) {
    loop {
        match sleeper.try_next().await {
            Some(text) if text.contains("\"turn_complete\"") => return,
            Some(_) => {}
            None => break,
        }
    }
    let mut again = Client::connect(server, "upsert-v1").await;
    again.open(session).await;
}

impl Slow {
    pub(crate) fn report(&self) -> String {
        let row = |way: &str, lags: &[f64]| {
            let of = |quantile: Quantile| quantile.of(lags) / 1000.0;
            format!("| {way} | {:.2} | {:.2} |\n", of(Quantile::Median), of(Quantile::P99))
        };
        format!(
            "\
### Clients that do not read

| another client's lag | median, ms | P99, ms |
|---|---:|---:|
{}{}
A session says a hundred items of 20 kB a second for {} seconds; one client reads them, {SLEEPERS} others do not. Meanwhile the server
grew by {:.0} kB for each of these. Reading again, all of them have the end of the turn after {:.0} ms.

",
            row("alone", &self.alone),
            row("beside those that do not read", &self.beside),
            self.seconds,
            self.grown,
            self.converged,
        )
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        let bound = |name, text, limit, value, unit| {
            let (limit, figure) = (Limit::AtMost(limit), Estimate::exact(value));
            Bound { name, text, limit, figure, unit }.to_string()
        };
        let p99 = |lags: &[f64]| Quantile::P99.of(lags) / 1000.0;
        let later = p99(&self.beside) - p99(&self.alone);
        vec![
            bound(
                "f8_slow_reader",
                "what the server grows by for a client that does not read",
                1048.6,
                self.grown,
                " kB",
            ),
            bound("f8_others", "how much later others are told, P99", 2.0, later, " ms"),
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
