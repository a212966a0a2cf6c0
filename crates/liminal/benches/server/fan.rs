//! Many connections: what each costs, and how much can be delivered to them.

use futures_util::future::join_all;
use measure::{Bound, Estimate, Limit, Quantile};
use testkit::{ServerPlace, ServerProcess};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::agent::time_in;
use crate::clients::Client;
use crate::process::Usage;
use crate::stream::{Flow, Watched, since};

/// Each piece is an item of two kilobytes that is begun and ended: two frames. To a thousand clients that is some more than 20,000
/// a second …
const STEADY: Flow = Flow { pieces: 105, micros: 95_000, bytes: 2000 };
/// … and 50,000 a second, for ten seconds.
const BURST: Flow = Flow { pieces: 265, micros: 37_500, bytes: 2000 };
/// Connected at a time.
const AT_ONCE: usize = 50;

pub(crate) struct Fan {
    connected: usize,
    /// Of memory, each.
    bytes: f64,
    watching: usize,
    steady: Delivered,
    burst: Delivered,
}

/// What a stream to all of them came to.
struct Delivered {
    /// A second.
    frames: f64,
    cores: f64,
    lost: usize,
    /// From the agent's line to the client, in microseconds.
    lags: Vec<f64>,
}

pub(crate) async fn measure(
    server: &ServerProcess,
    place: &ServerPlace,
    connected: usize,
    watching: usize,
) -> Fan {
    let (mut clients, bytes) = connect(server, connected).await;
    let mut watchers = clients.split_off(connected - watching);
    let mut quiet = JoinSet::new();
    for mut client in clients {
        quiet.spawn(async move { while client.try_next().await.is_some() {} });
    }
    let steady = delivered(server, place, &mut watchers, STEADY).await;
    let burst = delivered(server, place, &mut watchers, BURST).await;
    assert_eq!(quiet.len(), connected - watching);
    assert!(quiet.try_join_next().is_none(), "a client that hears nothing was hung up on");
    Fan { connected, bytes, watching, steady, burst }
}

/// Gives what each costs, too.
async fn connect(server: &ServerProcess, connected: usize) -> (Vec<Client>, f64) {
    let before = Usage::of(server.pid());
    let mut clients = Vec::new();
    while clients.len() < connected {
        let more = (0..AT_ONCE).map(|_| Client::connect(server, "upsert-v1"));
        clients.extend(join_all(more).await);
    }
    let after = Usage::of(server.pid());
    clients.truncate(connected);
    #[expect(clippy::cast_precision_loss, reason = "a count of a benchmark")]
    let each = (after.bytes() - before.bytes()) / clients.len() as f64;
    (clients, each)
}

async fn delivered(
    server: &ServerProcess,
    place: &ServerPlace,
    watchers: &mut Vec<Client>,
    flow: Flow,
) -> Delivered {
    let mut watched = Watched::new(server, place, "upsert-v1", 1).await;
    let mut counting = JoinSet::new();
    for mut client in watchers.drain(..) {
        client.open(&watched.session).await;
        counting.spawn(async move {
            let counted = count(&mut client).await;
            (client, counted)
        });
    }
    let (used, start) = (Usage::of(server.pid()), Instant::now());
    watched.stream(flow).await;
    let (mut frames, mut lost, mut lags) = (0, 0, Vec::new());
    while let Some(counted) = counting.join_next().await {
        let (client, counted) = counted.unwrap();
        watchers.push(client);
        frames += counted.frames;
        lags.extend(counted.lags);
        lost += usize::try_from(flow.pieces).unwrap() - counted.ended;
    }
    let seconds = start.elapsed().as_secs_f64();
    let cores = (Usage::of(server.pid()).cpu - used.cpu).as_secs_f64() / seconds;
    #[expect(clippy::cast_precision_loss, reason = "a count of a benchmark")]
    let frames = frames as f64 / seconds;
    Delivered { frames, cores, lost, lags }
}

/// What one of them saw of a stream.
#[derive(Default)]
struct Counted {
    /// Of items.
    frames: usize,
    /// Items.
    ended: usize,
    /// From the agent's line to the first frame of its item.
    lags: Vec<f64>,
}

/// Until the turn is over.
async fn count(client: &mut Client) -> Counted {
    let mut counted = Counted::default();
    let mut known = 0;
    loop {
        let text = client.next().await;
        if text.contains("\"turn_complete\"") {
            return counted;
        }
        if !text.contains("\"origin\":\"agent\"") {
            continue;
        }
        counted.frames += 1;
        counted.ended += usize::from(text.contains("\"status\":\"complete\""));
        // An item is told again when it ends; what is said later has a later time.
        if let Some(time) = time_in(&text).filter(|time| *time > known) {
            known = time;
            counted.lags.push(since(time) / 1e3);
        }
    }
}

impl Fan {
    pub(crate) fn report(&self) -> String {
        let row = |way: &str, delivered: &Delivered| {
            let lag = |quantile: Quantile| quantile.of(&delivered.lags) / 1000.0;
            let Delivered { frames, cores, lost, .. } = delivered;
            let (median, most) = (lag(Quantile::Median), lag(Quantile::P99));
            format!("| {way} | {frames:.0} | {cores:.2} | {median:.1} | {most:.1} | {lost} |\n")
        };
        format!(
            "\
### Many connections

{} connections that said hello and hear nothing cost {:.1} KiB of memory each. Then {} of them watch one session, whose agent says messages of
two kilobytes for ten seconds, some more than ten a second and twenty-five a second, each told when it begins and when it ends; the others
stay. A lag is that of any of the thousand. The clients run on the same cores.

| | frames of 2 kB a second | cores of the server | lag median, ms | lag P99, ms | items lost |
|---|---:|---:|---:|---:|---:|
{}{}
",
            self.connected,
            self.bytes / 1024.0,
            self.watching,
            row("steady", &self.steady),
            row("burst", &self.burst),
        )
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        let judged = |name, text, limit, value, unit| {
            let figure = Estimate::exact(value);
            Bound { name, text, limit, figure, unit }.to_string()
        };
        let bound =
            |name, text, most, value, unit| judged(name, text, Limit::AtMost(most), value, unit);
        let rate = |text, least, delivered: &Delivered| {
            judged("f3_deliveries", text, Limit::AtLeast(least), delivered.frames, "")
        };
        #[expect(clippy::cast_precision_loss, reason = "a count of a benchmark")]
        let lost = (self.steady.lost + self.burst.lost) as f64;
        // A quick run has fewer clients.
        #[expect(clippy::cast_precision_loss, reason = "a count of a benchmark")]
        let scale = self.watching as f64 / 1000.0;
        let cores = 20_000.0 / self.steady.frames * self.steady.cores;
        let lag = Quantile::P99.of(&self.steady.lags) / 1000.0;
        let each = self.bytes / 1024.0;
        vec![
            bound("f2_connection", "memory of a connection", 16.0, each, " KiB"),
            bound("f3_deliveries", "cores for 20,000 frames of 2 kB a second", 0.6, cores, ""),
            rate("frames a second for ten seconds", 20_000.0 * scale, &self.steady),
            rate("the same in a burst", 50_000.0 * scale, &self.burst),
            bound("f3_lost", "items that a client never saw whole, in a burst too", 0.0, lost, ""),
            bound("f4_among_many", "a line to each of the thousand, P99", 50.0, lag, " ms"),
        ]
    }
}
