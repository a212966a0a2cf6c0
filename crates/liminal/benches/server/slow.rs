//! Clients that do not read, beside one that does.

use std::time::Duration;

use futures_util::future::join_all;
use measure::{Bound, Estimate, Limit, Quantile};
use serde_json::json;
use testkit::{ServerPlace, ServerProcess};
use tokio::time::Instant;

use crate::clients::Client;
use crate::process::Usage;
use crate::stream::{Flow, Watched};

/// Each has a session of its own, so that nothing that is kept for one serves another. Several of them, so that what one costs
/// stands out from what the server's memory does by itself.
const SLEEPERS: usize = 8;
/// Clients that are heard of are not taken for dead.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);
const LOOK: Duration = Duration::from_millis(200);

/// Of the session with a reader: two megabytes a second, each item twice.
const fn read(seconds: u64) -> Flow {
    Flow { pieces: 100 * seconds, micros: 10_000, bytes: 20_000 }
}

/// Of the others: within a minute ten times what may be kept for a client.
const fn unread(seconds: u64) -> Flow {
    Flow { pieces: 10 * seconds, micros: 100_000, bytes: 20_000 }
}

pub(crate) struct Slow {
    seconds: u64,
    rounds: usize,
    on_disk: Run,
    /// With the journal where a flush to the disk costs nothing.
    in_memory: Run,
}

#[derive(Default)]
struct Run {
    alone: Vec<f64>,
    beside: Vec<f64>,
    /// What the server's memory came to at most for each client that does not read, beyond the same with clients that do, in
    /// kilobytes.
    grown: f64,
    hung_up: usize,
    /// From reading again to having the last item, for the slowest of them, in milliseconds.
    converged: f64,
}

pub(crate) async fn measure(
    place: &ServerPlace,
    in_memory: &ServerPlace,
    seconds: u64,
    rounds: usize,
) -> Slow {
    let on_disk = run(place, seconds, rounds).await;
    let in_memory = run(in_memory, seconds, rounds).await;
    Slow { seconds, rounds, on_disk, in_memory }
}

async fn run(place: &ServerPlace, seconds: u64, rounds: usize) -> Run {
    let server = place.start();
    let mut watched = Watched::new(&server, place, "upsert-v2", 1).await;
    let mut others = Vec::new();
    for _ in 0..SLEEPERS {
        others.push(Watched::new(&server, place, "upsert-v2", 1).await);
    }
    let mut run = Run::default();
    // The two take turns, and reading has the first word and the last: the journal grows meanwhile, and what sessions cost by
    // themselves is not counted.
    for round in 0..rounds {
        let reading = all_read(&mut watched, &mut others, seconds);
        let (alone, peak_reading) = with_peak(&server, reading).await;
        run.alone.extend(alone);
        let asleep = all_sleep(&mut watched, &mut others, seconds);
        let (beside, peak_asleep) = with_peak(&server, asleep).await;
        run.beside.extend(beside);
        run.wake_up(&mut others, &server, seconds).await;
        if round == 0 {
            #[expect(clippy::cast_precision_loss, reason = "a count of a benchmark")]
            let each = (peak_asleep - peak_reading) * 1000.0 / SLEEPERS as f64;
            run.grown = each;
        }
    }
    run.alone.extend(all_read(&mut watched, &mut others, seconds).await);
    run
}

impl Run {
    /// They read again, until they have everything.
    async fn wake_up(&mut self, others: &mut [Watched], server: &ServerProcess, seconds: u64) {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let start = Instant::now();
        let last = format!("#{} ", unread(seconds).pieces - 1);
        let waking = others.iter_mut().map(|other| catch_up(other, server, &last));
        let caught_up = join_all(waking).await;
        self.converged = self.converged.max(start.elapsed().as_secs_f64() * 1000.0);
        self.hung_up += caught_up.into_iter().filter(|was_hung_up| *was_hung_up).count();
        for other in others {
            settle(&mut other.clients[0]).await;
        }
    }

    fn later(&self) -> f64 {
        let p99 = |lags: &[f64]| Quantile::P99.of(lags) / 1000.0;
        p99(&self.beside) - p99(&self.alone)
    }
}

/// What the one sees whose lag is measured.
async fn all_read(watched: &mut Watched, others: &mut [Watched], seconds: u64) -> Vec<f64> {
    let all = others.iter_mut().map(|other| other.stream(unread(seconds)));
    tokio::join!(watched.stream(read(seconds)), join_all(all)).0.remove(0).lags
}

/// The same, beside others that do not read.
async fn all_sleep(watched: &mut Watched, others: &mut [Watched], seconds: u64) -> Vec<f64> {
    for other in &mut *others {
        other.begin(unread(seconds)).await;
    }
    tokio::select! {
        mut seen = watched.stream(read(seconds)) => seen.remove(0).lags,
        () = show_life(others) => unreachable!("it never ends"),
    }
}

/// Gives the most megabytes that the server had meanwhile.
async fn with_peak<T>(server: &ServerProcess, work: impl Future<Output = T>) -> (T, f64) {
    let mut most = 0.0_f64;
    let looking = async {
        loop {
            most = most.max(Usage::of(server.pid()).megabytes());
            tokio::time::sleep(LOOK).await;
        }
    };
    let done = tokio::select! {
        done = work => done,
        () = looking => unreachable!("it never ends"),
    };
    (done, most)
}

/// They are slow, and speak now and then.
async fn show_life(sleepers: &mut [Watched]) {
    loop {
        tokio::time::sleep(SIGN_OF_LIFE).await;
        for client in sleepers.iter_mut().flat_map(|sleeper| &mut sleeper.clients) {
            client.try_to_say(&json!({ "type": "ping" })).await.ok();
        }
    }
}

/// Takes what is still on its way of a turn that is over.
async fn settle(client: &mut Client) {
    while let Ok(Some(_)) = tokio::time::timeout(LOOK, client.try_next()).await {}
}

/// It has all when it has seen the last item: live, in a history, or in that of a new connection. Gives whether it needed one.
async fn catch_up(sleeper: &mut Watched, server: &ServerProcess, last: &str) -> bool {
    let client = &mut sleeper.clients[0];
    loop {
        match client.try_next().await {
            Some(text) if text.contains(last) => return false,
            Some(_) => {}
            None => break,
        }
    }
    let mut again = Client::connect(server, "upsert-v2").await;
    again.say(&json!({ "type": "session:open", "sessionId": sleeper.session.as_str() })).await;
    while !again.next().await.contains(last) {}
    *client = again;
    true
}

impl Slow {
    pub(crate) fn report(&self) -> String {
        let row = |way: &str, lags: &[f64]| {
            let of = |quantile: Quantile| quantile.of(lags) / 1000.0;
            format!("| {way} | {:.2} | {:.2} |\n", of(Quantile::Median), of(Quantile::P99))
        };
        let rows = |run: &Run, place: &str| {
            let way = |others: &str| format!("beside others that {others}{place}");
            row(&way("read"), &run.alone) + &row(&way("do not read"), &run.beside)
        };
        let Run { grown, hung_up, converged, .. } = self.on_disk;
        format!(
            "\
### Clients that do not read

| another client's lag | median, ms | P99, ms |
|---|---:|---:|
{}{}
A session says a hundred items of 20 kB a second for {} seconds to a client that reads them; {SLEEPERS} more say ten a second, each to a
client of its own, which reads them or does not but says `ping` now and then; the two take turns, {} times. *In memory*: with the journal
where a flush to the disk costs nothing. The server's memory came to at most {grown:.0} kB more for each of those that do not read;
{hung_up} of them were hung up on and came back. Reading again, all of them have the last item after {converged:.0} ms.

",
            rows(&self.on_disk, ""),
            rows(&self.in_memory, ", in memory"),
            self.seconds,
            self.rounds,
        )
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        let bound = |name, text, limit, value, unit| {
            let (limit, figure) = (Limit::AtMost(limit), Estimate::exact(value));
            Bound { name, text, limit, figure, unit }.to_string()
        };
        let Run { grown, converged, .. } = self.on_disk;
        let memory = "the server's memory for a client that does not read, at most";
        let later = "how much later others are told, P99";
        let in_memory = "the same, journal in memory";
        let whole = "until it has everything once it reads";
        vec![
            bound("f8_slow_reader", memory, 1048.6, grown, " kB"),
            bound("f8_others", later, 2.0, self.on_disk.later(), " ms"),
            bound("f8_others", in_memory, 2.0, self.in_memory.later(), " ms"),
            bound("f8_converged", whole, 1000.0, converged, " ms"),
        ]
    }
}
