//! An agent that never stops talking.

use measure::{Bound, Estimate, Limit};
use serde_json::json;
use testkit::{ServerPlace, ServerProcess};
use tokio::time::Instant;

use crate::clients::Client;
use crate::process::Usage;

pub(crate) struct Flood {
    megabytes: u64,
    seconds: f64,
    grown: f64,
}

pub(crate) async fn measure(server: &ServerProcess, place: &ServerPlace, megabytes: u64) -> Flood {
    let session = server.create(place, "bench").await;
    let mut client = Client::connect(server, "upsert-v2").await;
    client.open(&session).await;
    let before = Usage::of(server.pid()).megabytes();
    let start = Instant::now();
    let content = format!("grow {} 4000", megabytes * 1_000_000);
    client
        .say(&json!({ "type": "session:send", "sessionId": session.as_str(), "content": content }))
        .await;
    while !client.next().await.contains("\"turn_complete\"") {}
    let grown = Usage::peak(server.pid()) - before;
    Flood { megabytes, seconds: start.elapsed().as_secs_f64(), grown }
}

impl Flood {
    pub(crate) fn report(&self) -> String {
        #[expect(clippy::cast_precision_loss, reason = "a size of a benchmark")]
        let rate = self.megabytes as f64 / self.seconds;
        format!(
            "\
### An agent that never stops talking

{} MB of text as fast as the agent can, journalled and delivered: {rate:.0} MB a second; the server grew by {:.0} MB at its peak.

",
            self.megabytes, self.grown,
        )
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        let (limit, figure) = (Limit::AtMost(33.5), Estimate::exact(self.grown));
        let text = "what the server grows by while an agent floods it";
        vec![Bound { name: "f10_flood", text, limit, figure, unit: " MB" }.to_string()]
    }
}
