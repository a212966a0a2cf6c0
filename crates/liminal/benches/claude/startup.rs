//! From nothing to the agent's first text: through us, through us with the session made beforehand, and without us.

use std::time::Duration;

use measure::{Bound, Limit, Quantile, of_ratio};
use testkit::agents::ClaudeVersion;
use testkit::claude_house::ClaudeHouse;
use testkit::model_api::{ModelApi, Reply};
use tokio::time::Instant;

use crate::{direct, first_text, guard, millis};

const NAME: &str = "nfr_claude_startup";
const MESSAGE: &str = "hi";
const PER_DIRECT: f64 = 1.15;
const COLD_PER_PREWARMED: f64 = 3.0;

pub(crate) const HEADER: &str = "\
### First text

| Claude Code | way | rounds | median, ms | P95, ms | median to direct | 95 % interval | P95 to direct | 95 % interval |
|---|---|---:|---:|---:|---:|---:|---:|---:|
";

pub(crate) const FOOTER: &str = "
The real CLI against the same scripted model on loopback, which answers at once, in one environment and directory; the
three ways take turns and change their order each round, and a round before them is not counted. *direct*: the process
is started, the message is written at once, until the first `text_delta` is read. *through us*: a session is created and
sent to, until the first text has reached a subscriber. *prewarmed*: the same, from sending to a session just created.
An interval is of 2000 bootstrap draws of the rounds. The figure itself decides on a bound; if the bound lies within the
interval, the line says that the figures do not settle it. *through us* is the session with its journal in memory and a
subscriber inside of the process: what the disk and a socket add is measured under *server*.

";

#[derive(Clone, Copy)]
enum Way {
    Direct,
    Cold,
    Prewarmed,
}

use Way::{Cold, Direct, Prewarmed};

/// One for each round, in turn.
const ORDERS: [[Way; 3]; 6] = [
    [Direct, Cold, Prewarmed],
    [Cold, Direct, Prewarmed],
    [Prewarmed, Direct, Cold],
    [Prewarmed, Cold, Direct],
    [Direct, Prewarmed, Cold],
    [Cold, Prewarmed, Direct],
];

/// In milliseconds.
pub(crate) struct Startup {
    version: ClaudeVersion,
    direct: Vec<f64>,
    cold: Vec<f64>,
    prewarmed: Vec<f64>,
}

pub(crate) async fn measure(version: ClaudeVersion, rounds: usize) -> Startup {
    let api = ModelApi::start(|_| Reply::words(40)).await;
    let house = ClaudeHouse::start(version, guard(), api).await;
    let mut startup =
        Startup { version, direct: Vec::new(), cold: Vec::new(), prewarmed: Vec::new() };
    for way in [Direct, Cold, Prewarmed] {
        way.measure(&house).await;
    }
    for ways in ORDERS.iter().cycle().take(rounds) {
        for way in ways {
            let time = millis(way.measure(&house).await);
            match way {
                Direct => startup.direct.push(time),
                Cold => startup.cold.push(time),
                Prewarmed => startup.prewarmed.push(time),
            }
        }
    }
    house.end().await;
    startup
}

impl Way {
    async fn measure(self, house: &ClaudeHouse) -> Duration {
        match self {
            Self::Direct => direct::first_text(house, MESSAGE).await,
            Self::Cold | Self::Prewarmed => self.measure_session(house).await,
        }
    }

    async fn measure_session(self, house: &ClaudeHouse) -> Duration {
        let begun = Instant::now();
        let mut session = house.session().await;
        let start = if matches!(self, Self::Prewarmed) { Instant::now() } else { begun };
        let turn = session.send(MESSAGE).await;
        first_text(&mut session).await;
        let elapsed = start.elapsed();
        session.end(&turn).await;
        house.service.kill(&session.id).await.unwrap();
        elapsed
    }
}

impl Startup {
    pub(crate) fn rows(&self) -> String {
        let ways =
            [("direct", &self.direct), ("through us", &self.cold), ("prewarmed", &self.prewarmed)];
        let row = |(way, times): (&str, &Vec<f64>)| {
            let to_direct = |quantile| {
                let ratio = of_ratio(quantile, times, &self.direct);
                format!("{:.2} | {:.2} to {:.2}", ratio.value, ratio.low, ratio.high)
            };
            format!(
                "| {} | {way} | {} | {:.0} | {:.0} | {} | {} |\n",
                self.version.as_str(),
                times.len(),
                Quantile::Median.of(times),
                Quantile::P95.of(times),
                to_direct(Quantile::Median),
                to_direct(Quantile::P95),
            )
        };
        ways.map(row).concat()
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        let version = self.version.as_str();
        let bound = |what: &str, limit, quantile, ours: &[f64], theirs: &[f64]| {
            let which = if quantile == Quantile::Median { "median" } else { "P95" };
            let text = format!("{version}: {what}, {which}");
            let figure = of_ratio(quantile, ours, theirs);
            Bound { name: NAME, text: &text, limit, figure, unit: "" }.to_string()
        };
        let shown = "first text through us to the CLI driven directly";
        let prewarmed = "first text of a cold session to that of a prewarmed one";
        let (at_most, at_least) = (Limit::AtMost(PER_DIRECT), Limit::AtLeast(COLD_PER_PREWARMED));
        vec![
            bound(shown, at_most, Quantile::Median, &self.cold, &self.direct),
            bound(shown, at_most, Quantile::P95, &self.cold, &self.direct),
            bound(prewarmed, at_least, Quantile::Median, &self.cold, &self.prewarmed),
        ]
    }
}
