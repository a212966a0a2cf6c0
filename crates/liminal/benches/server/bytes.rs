//! What an answer costs on the wire, by family.

use measure::{Bound, Estimate, Limit};
use serde_json::json;
use testkit::{ServerPlace, ServerProcess};

use crate::clients::Client;

/// Twenty thousand words, and a megabyte.
const ANSWERS: [(&str, u64, u64); 2] = [("20,000 words", 100_000, 20), ("1 MB", 1_000_000, 20)];

pub(crate) struct Bytes {
    /// Answer, its length, and what v1 and v2 sent.
    rows: Vec<(&'static str, f64, f64, f64)>,
}

pub(crate) async fn measure(server: &ServerProcess, place: &ServerPlace) -> Bytes {
    let mut rows = Vec::new();
    for (name, length, piece) in ANSWERS {
        let session = server.create(place, "bench").await;
        let mut clients = Vec::new();
        for family in ["upsert-v1", "upsert-v2"] {
            let mut client = Client::connect(server, family).await;
            client.open(&session).await;
            clients.push(client);
        }
        let content = format!("grow {length} {piece}");
        let prompt =
            json!({ "type": "session:send", "sessionId": session.as_str(), "content": content });
        clients[0].say(&prompt).await;
        let (first, rest) = clients.split_at_mut(1);
        let (v1, v2) = tokio::join!(received(&mut first[0]), received(&mut rest[0]));
        #[expect(clippy::cast_precision_loss, reason = "a size of a benchmark")]
        rows.push((name, length as f64, v1 as f64, v2 as f64));
    }
    Bytes { rows }
}

/// The bytes of all frames of a turn.
async fn received(client: &mut Client) -> usize {
    let mut bytes = 0;
    loop {
        let text = client.next().await;
        bytes += text.len();
        if text.contains("\"turn_complete\"") {
            return bytes;
        }
    }
}

impl Bytes {
    pub(crate) fn report(&self) -> String {
        let rows: Vec<_> = self
            .rows
            .iter()
            .map(|(name, raw, v1, v2)| {
                let kb = |bytes: &f64| bytes / 1000.0;
                format!(
                    "| {name} | {:.0} | {:.0} | {:.0} | {:.2} | {:.2} |\n",
                    kb(raw),
                    kb(v1),
                    kb(v2),
                    v1 / raw,
                    v2 / raw
                )
            })
            .collect();
        format!(
            "\
### Bytes on the wire

| answer | raw, kB | v1, kB | v2, kB | v1 to raw | v2 to raw |
|---|---:|---:|---:|---:|---:|
{}
One message in pieces of twenty bytes, said as fast as the agent can; all frames of the turn are counted, to a client of each
family that reads as fast as it can.

",
            rows.concat(),
        )
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        let (_, raw, _, v2) = self.rows[0];
        let (_, _, _, long) = self.rows[1];
        let bound = |name, text, limit, value, unit| {
            let (limit, figure) = (Limit::AtMost(limit), Estimate::exact(value));
            Bound { name, text, limit, figure, unit }.to_string()
        };
        vec![
            bound(
                "nfr_bytes_on_the_wire",
                "what v2 sends of 20,000 words to the text itself",
                1.5,
                v2 / raw,
                "",
            ),
            bound(
                "f16_long_answer",
                "what v2 sends of an answer of a megabyte in pieces of twenty bytes",
                25.0,
                long / 1e6,
                " MB",
            ),
        ]
    }
}
