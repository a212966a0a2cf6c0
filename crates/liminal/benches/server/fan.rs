//! Many connections: what each costs, and how much can be delivered to them.

use futures_util::future::join_all;
use measure::{Bound, Estimate, Limit};
use testkit::{ServerPlace, ServerProcess};
use tokio::task::JoinSet;
use tokio::time::Instant;

use crate::clients::Client;
use crate::process::Usage;
use crate::stream::{Flow, Watched};

/// Each piece is an item of two kilobytes that is begun and ended: two frames.
const FLOW: Flow = Flow { pieces: 250, micros: 40_000, bytes: 2000 };
/// Connected at a time.
const AT_ONCE: usize = 50;

pub(crate) struct Fan {
    connected: usize,
    /// Of memory, each.
    bytes: f64,
    watching: usize,
    deliveries: f64,
    cores: f64,
    lost: usize,
}

pub(crate) async fn measure(
    server: &ServerProcess,
    place: &ServerPlace,
    connected: usize,
    watching: usize,
) -> Fan {
    let before = Usage::of(server.pid());
    let mut clients = Vec::new();
    while clients.len() < connected {
        let more = (0..AT_ONCE).map(|_| Client::connect(server, "upsert-v1"));
        clients.extend(join_all(more).await);
    }
    let after = Usage::of(server.pid());
    #[expect(clippy::cast_precision_loss, reason = "a count of a benchmark")]
    let bytes = (after.bytes() - before.bytes()) / clients.len() as f64;
    drop(clients);
    let mut watched = Watched::new(server, place, "upsert-v1", 1).await;
    let mut counting = JoinSet::new();
    for _ in 0..watching {
        let mut client = Client::connect(server, "upsert-v1").await;
        client.open(&watched.session).await;
        counting.spawn(async move { count(&mut client).await });
    }
    let (used, start) = (Usage::of(server.pid()), Instant::now());
    watched.stream(FLOW).await;
    let (mut frames, mut lost) = (0, 0);
    while let Some(counted) = counting.join_next().await {
        let (delivered, ended) = counted.unwrap();
        frames += delivered;
        lost += usize::try_from(FLOW.pieces).unwrap() - ended;
    }
    let seconds = start.elapsed().as_secs_f64();
    let cores = (Usage::of(server.pid()).cpu - used.cpu).as_secs_f64() / seconds;
    #[expect(clippy::cast_precision_loss, reason = "a count of a benchmark")]
    let deliveries = frames as f64 / seconds;
    Fan { connected, bytes, watching, deliveries, cores, lost }
}

/// Frames of items, and items that ended, until the turn is over.
async fn count(client: &mut Client) -> (usize, usize) {
    let (mut frames, mut ended) = (0, 0);
    loop {
        let text = client.next().await;
        if text.contains("\"turn_complete\"") {
            return (frames, ended);
        }
        let is_agents = text.contains("\"origin\":\"agent\"");
        frames += usize::from(is_agents);
        ended += usize::from(is_agents && text.contains("\"status\":\"complete\""));
    }
}

impl Fan {
    pub(crate) fn report(&self) -> String {
        format!(
            "\
### Many connections

| connected | memory each, KiB | watching one session | frames of 2 kB a second | cores of the server | items lost |
|---:|---:|---:|---:|---:|---:|
| {} | {:.1} | {} | {:.0} | {:.2} | {} |

Connections that said hello and hear nothing; then others that watch one session whose agent says 25 messages of two kilobytes a
second. The clients run on the same cores.

",
            self.connected,
            self.bytes / 1024.0,
            self.watching,
            self.deliveries,
            self.cores,
            self.lost,
        )
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        let bound = |name, text, limit, value, unit| {
            let figure = Estimate::exact(value);
            Bound { name, text, limit, figure, unit }.to_string()
        };
        let each = 20_000.0 / self.deliveries * self.cores;
        #[expect(clippy::cast_precision_loss, reason = "a count of a benchmark")]
        let lost = self.lost as f64;
        vec![
            bound(
                "f2_connection",
                "memory of a connection",
                Limit::AtMost(16.0),
                self.bytes / 1024.0,
                " KiB",
            ),
            bound(
                "f3_deliveries",
                "cores for 20,000 frames of 2 kB a second",
                Limit::AtMost(0.6),
                each,
                "",
            ),
            bound("f3_lost", "items that a client never saw whole", Limit::AtMost(0.0), lost, ""),
        ]
    }
}
