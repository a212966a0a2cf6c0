//! How soon a server serves, and what it costs when nothing happens.

use std::time::Duration;

use measure::{Bound, Limit, Quantile, of_one};
use testkit::ServerPlace;
use tokio::time::Instant;

use crate::process::Usage;

/// A journal that nothing is written to for ten seconds tidies up, once.
const RESTED: Duration = Duration::from_secs(15);
/// The system counts in hundredths of a second, of which one in ten seconds is all that may be.
const IDLE: Duration = Duration::from_secs(30);

pub(crate) struct Starts {
    millis: Vec<f64>,
    megabytes: f64,
    /// Of one core, in per cent.
    idle: f64,
}

pub(crate) async fn measure(place: &ServerPlace, rounds: usize) -> Starts {
    let mut millis = Vec::new();
    for _ in 0..rounds {
        let start = Instant::now();
        let server = place.start();
        millis.push(start.elapsed().as_secs_f64() * 1000.0);
        server.stop();
    }
    let server = place.start();
    tokio::time::sleep(RESTED).await;
    let (before, start) = (Usage::of(server.pid()), Instant::now());
    tokio::time::sleep(IDLE).await;
    let after = Usage::of(server.pid());
    let idle = (after.cpu - before.cpu).as_secs_f64() / start.elapsed().as_secs_f64() * 100.0;
    server.stop();
    Starts { millis, megabytes: after.megabytes(), idle }
}

impl Starts {
    pub(crate) fn report(&self) -> String {
        format!(
            "\
### Starting, and doing nothing

| from start to serving, median, ms | P95, ms | memory, MB | processor, % of a core |
|---:|---:|---:|---:|
| {:.0} | {:.0} | {:.0} | {:.2} |

{} starts on a journal that is there, until the line that says that it serves; then thirty seconds without a client, once the journal has come
to rest.

",
            Quantile::Median.of(&self.millis),
            Quantile::P95.of(&self.millis),
            self.megabytes,
            self.idle,
            self.millis.len(),
        )
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        let bound = |text, limit, figure, unit| {
            let limit = Limit::AtMost(limit);
            Bound { name: "f13_start", text, limit, figure, unit }.to_string()
        };
        let exact = measure::Estimate::exact;
        vec![
            bound(
                "from start to serving, median",
                100.0,
                of_one(Quantile::Median, &self.millis),
                " ms",
            ),
            bound("memory of an idle server", 30.0, exact(self.megabytes), " MB"),
            bound("processor of an idle server", 0.1, exact(self.idle), " %"),
        ]
    }
}
