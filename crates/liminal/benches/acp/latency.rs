//! From a piece of text in the agent's pipe to the state of its item, compared with only reading and parsing it.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use contract::{ItemStatus, SessionId};
use measure::{Bound, Limit, Quantile, of_one};
use serde_json::{Value, json};
use session::Environment;
use session::provider::acp::{
    AcpConnection, AcpProvider, AcpTransport, AgentWords, ConnectRequest, ConnectionControl,
    TransportError, Word,
};
use session::provider::{CliProvider, CreateSession, OutgoingMessage, Sink};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines};
use tokio::sync::{Mutex, Notify, mpsc};
use tokio::time::Instant;
use tokio_util::task::TaskTracker;

const NAME: &str = "acp_added_latency";
/// Pieces of text in a round of each way.
const PIECES: usize = 50;
/// Enough for a text to be due at once.
const WORDS: &str = "one two three four five six seven eight nine ten eleven twelve ";
/// What may be added in the median, in microseconds.
const ADDED: f64 = 1000.0;

/// In microseconds.
pub(crate) struct Latencies {
    parsed: Vec<f64>,
    shown: Vec<f64>,
}

/// An agent in memory, on the other end of a pipe.
struct InMemory {
    agent: Arc<Mutex<Option<DuplexStream>>>,
    prompted: Arc<Notify>,
    tasks: TaskTracker,
}

struct Pipe(Lines<BufReader<DuplexStream>>);

struct NoControl;

fn opening() -> [Value; 2] {
    let hello = json!({ "protocolVersion": 1, "agentCapabilities": {} });
    [
        json!({ "jsonrpc": "2.0", "id": 0, "result": hello }),
        json!({ "jsonrpc": "2.0", "id": 1, "result": { "sessionId": "s" } }),
    ]
}

fn piece(number: usize) -> String {
    let update = json!({
        "sessionUpdate": "agent_message_chunk",
        "content": { "type": "text", "text": WORDS },
        "messageId": number.to_string(),
    });
    let params = json!({ "sessionId": "s", "update": update });
    let line = json!({ "jsonrpc": "2.0", "method": "session/update", "params": params });
    format!("{line}\n")
}

#[async_trait]
impl AcpTransport for InMemory {
    async fn connect(&self, _: ConnectRequest) -> Result<AcpConnection, TransportError> {
        let (mut agent, ours) = tokio::io::duplex(1 << 16);
        for answer in opening() {
            agent.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
        }
        *self.agent.lock().await = Some(agent);
        // Nothing that is said to the agent is of interest but that it has a prompt.
        let (input, mut lines) = mpsc::channel::<String>(64);
        let prompted = self.prompted.clone();
        self.tasks.spawn(async move {
            while let Some(line) = lines.recv().await {
                if line.contains("session/prompt") {
                    prompted.notify_one();
                }
            }
        });
        let output = Box::new(Pipe(BufReader::new(ours).lines()));
        Ok(AcpConnection { output, input, control: Arc::new(NoControl), variables: Vec::new() })
    }
}

#[async_trait]
impl AgentWords for Pipe {
    async fn next(&mut self) -> Option<Word<'_>> {
        let line = self.0.next_line().await.ok().flatten()?;
        Some(Word::Line(Cow::Owned(line)))
    }
}

#[async_trait]
impl ConnectionControl for NoControl {
    async fn close(&self) {}

    async fn ended(&self) -> String {
        std::future::pending().await
    }
}

pub(crate) async fn measure(rounds: usize) -> Latencies {
    let agent = Arc::default();
    let (environment, tasks) = (Environment::default(), TaskTracker::new());
    let prompted = Arc::new(Notify::new());
    let transport =
        InMemory { agent: Arc::clone(&agent), prompted: prompted.clone(), tasks: tasks.clone() };
    let provider = AcpProvider::new("bench".into(), Arc::new(transport), environment, tasks);
    let session = SessionId::from("s");
    let (shown, mut seen) = mpsc::channel(64);
    provider.on_upsert(
        &session,
        Sink::channel(shown, |upsert| (upsert.status == ItemStatus::Create, Instant::now())),
    );
    let options = CreateSession {
        session_id: Some(session.clone()),
        project_dir: "/".to_owned(),
        ..CreateSession::default()
    };
    provider.create_session(options).await.unwrap();
    let mut agent = agent.lock().await.take().unwrap();
    let mut latencies = Latencies { parsed: Vec::new(), shown: Vec::new() };
    let message = OutgoingMessage { content: "go".to_owned(), ..OutgoingMessage::default() };
    let turn = provider.send_message(&session, message);
    let begin = async {
        prompted.notified().await;
        agent.write_all(piece(0).as_bytes()).await.unwrap();
    };
    tokio::join!(async { turn.await.unwrap() }, begin);
    seen.recv().await.unwrap();
    let mut number = 0;
    for round in 0..rounds {
        if round % 2 == 0 {
            latencies.parsed.extend(parse_round().await);
        }
        for _ in 0..PIECES {
            number += 1;
            let line = piece(number);
            let start = Instant::now();
            agent.write_all(line.as_bytes()).await.unwrap();
            let at = created(&mut seen).await;
            latencies.shown.push(micros(at - start));
        }
        if round % 2 == 1 {
            latencies.parsed.extend(parse_round().await);
        }
    }
    latencies
}

/// When the next item began; the end of the one before is told, too.
async fn created(seen: &mut mpsc::Receiver<(bool, Instant)>) -> Instant {
    loop {
        let (is_new, at) = seen.recv().await.unwrap();
        if is_new {
            return at;
        }
    }
}

/// The same pieces through a pipe to a task that only reads and parses them.
async fn parse_round() -> Vec<f64> {
    let (mut agent, ours) = tokio::io::duplex(1 << 16);
    let (parsed, mut seen) = mpsc::channel(64);
    let reader = TaskTracker::new().spawn(async move {
        let mut lines = BufReader::new(ours).lines();
        while let Some(line) = lines.next_line().await.unwrap() {
            let value: Value = serde_json::from_str(&line).unwrap();
            parsed.send((value.is_object(), Instant::now())).await.unwrap();
        }
    });
    let mut times = Vec::new();
    for number in 0..PIECES {
        let line = piece(number);
        let start = Instant::now();
        agent.write_all(line.as_bytes()).await.unwrap();
        let (_, at) = seen.recv().await.unwrap();
        times.push(micros(at - start));
    }
    drop(agent);
    reader.await.unwrap();
    times
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

impl Latencies {
    pub(crate) fn report(&self) -> String {
        let ways = [("read and parsed", &self.parsed), ("shown by us", &self.shown)];
        let rows = ways.map(|(way, times)| {
            let (median, p95) = (Quantile::Median.of(times), Quantile::P95.of(times));
            format!("| {way} | {} | {median:.0} | {p95:.0} |\n", times.len())
        });
        format!(
            "\
### From text to item

| way | pieces | median, µs | P95, µs |
|---|---:|---:|---:|
{}
Pieces of twelve words, each a message of its own and so due at once, written one after the other into a pipe in memory. *read
and parsed*: until a task has read the line and parsed it. *shown by us*: until the sink has the new state of its item. The
two ways take turns and change their order each round.

",
            rows.concat(),
        )
    }

    pub(crate) fn bounds(&self) -> Vec<String> {
        // A piece of each way stands beside the other's of the same moment, so that what is compared saw the same machine.
        let added: Vec<f64> =
            self.shown.iter().zip(&self.parsed).map(|(shown, parsed)| shown - parsed).collect();
        let figure = of_one(Quantile::Median, &added);
        let text = "what a piece takes until it is shown beyond being read and parsed, median";
        vec![
            Bound { name: NAME, text, limit: Limit::AtMost(ADDED), figure, unit: " µs" }
                .to_string(),
        ]
    }
}
