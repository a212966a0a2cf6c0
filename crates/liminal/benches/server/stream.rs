//! From a line of the agent to the frame at the client: through us, straight from the agent's pipe, and through a copy of
//! that pipe into a socket.

use std::collections::HashSet;
use std::process::Stdio;
use std::sync::Arc;

use contract::SessionId;
use serde_json::{Value, json};
use testkit::{ServerPlace, ServerProcess};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinSet;

use crate::agent::{now, time_in};
use crate::clients::Client;
use crate::itself;

/// What a stream is made of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flow {
    pub(crate) pieces: u64,
    /// Between two pieces.
    pub(crate) micros: u64,
    /// Of each piece, besides its words.
    pub(crate) bytes: u64,
}

impl Flow {
    fn order(self) -> String {
        format!("pieces {} {} {}", self.pieces, self.micros, self.bytes)
    }
}

/// What a client saw of a stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    /// From the agent's line to the client, in microseconds.
    pub(crate) lags: Vec<f64>,
    /// From the prompt to the last piece, in milliseconds.
    pub(crate) whole: f64,
}

impl Seen {
    fn note(&mut self, text: &str) -> bool {
        let time = time_in(text);
        self.lags.extend(time.map(|time| since(time) / 1e3));
        time.is_some()
    }
}

/// In nanoseconds.
pub(crate) fn since(time: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "a time of a benchmark")]
    let nanos = now().saturating_sub(time) as f64;
    nanos
}

/// A session of the server with clients that have opened it.
pub(crate) struct Watched {
    pub(crate) session: SessionId,
    pub(crate) clients: Vec<Client>,
}

impl Watched {
    pub(crate) async fn new(
        server: &ServerProcess,
        place: &ServerPlace,
        family: &str,
        clients: usize,
    ) -> Self {
        let session = server.create(place, "bench").await;
        let mut watched = Self { session, clients: Vec::new() };
        for _ in 0..clients {
            let mut client = Client::connect(server, family).await;
            client.open(&watched.session).await;
            watched.clients.push(client);
        }
        watched
    }

    /// Lets the agent stream; nobody reads.
    pub(crate) async fn begin(&mut self, flow: Flow) {
        let prompt = json!({ "type": "session:send", "sessionId": self.session.as_str(), "content": flow.order() });
        if let Some(client) = self.clients.first_mut() {
            client.say(&prompt).await;
        }
    }

    /// Lets the agent stream once and tells what each client saw of it.
    pub(crate) async fn stream(&mut self, flow: Flow) -> Vec<Seen> {
        let start = now();
        self.begin(flow).await;
        let watching = self.clients.iter_mut().map(|client| watch(client, flow, start));
        futures_util::future::join_all(watching).await
    }
}

async fn watch(client: &mut Client, flow: Flow, start: u64) -> Seen {
    let mut seen = Seen::default();
    let mut known = HashSet::new();
    loop {
        let text = client.next().await;
        if text.contains("\"turn_complete\"") {
            break;
        }
        // An item is told again when it ends; or only then, to a client that is behind.
        if time_in(&text).is_some_and(|time| known.insert(time)) {
            seen.note(&text);
        }
    }
    assert!(
        seen.lags.len() as u64 * 10 >= flow.pieces * 9,
        "{} of {}",
        seen.lags.len(),
        flow.pieces
    );
    seen.whole = since(start) / 1e6;
    seen
}

/// An agent that is asked without us.
pub(crate) struct Direct {
    _child: Child,
    input: ChildStdin,
    output: Lines,
}

enum Lines {
    Pipe(tokio::io::Lines<BufReader<ChildStdout>>),
    Socket(tokio::io::Lines<BufReader<TcpStream>>),
}

impl Lines {
    async fn next(&mut self) -> String {
        let line = match self {
            Self::Pipe(lines) => lines.next_line().await,
            Self::Socket(lines) => lines.next_line().await,
        };
        line.unwrap().unwrap()
    }
}

impl Direct {
    /// Read from its pipe, or through a task that copies the pipe into a socket.
    pub(crate) async fn new(copied: Option<&mut JoinSet<()>>) -> Self {
        let mut child = Command::new(itself())
            .arg("--agent")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let output = match copied {
            None => Lines::Pipe(BufReader::new(output).lines()),
            Some(tasks) => Lines::Socket(copy(output, tasks).await),
        };
        let mut direct = Self { _child: child, input, output };
        direct.ask("initialize", &json!({ "protocolVersion": 1 })).await;
        direct.ask("session/new", &json!({ "cwd": "/", "mcpServers": [] })).await;
        direct
    }

    async fn ask(&mut self, method: &str, params: &Value) {
        self.say(method, params).await;
        self.output.next().await;
    }

    async fn say(&mut self, method: &str, params: &Value) {
        let line = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        self.input.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    pub(crate) async fn stream(&mut self, flow: Flow) -> Seen {
        let start = now();
        let prompt = json!([{ "type": "text", "text": flow.order() }]);
        self.say("session/prompt", &json!({ "sessionId": "s", "prompt": prompt })).await;
        let mut seen = Seen::default();
        loop {
            let line = self.output.next().await;
            if !seen.note(&line) {
                break;
            }
        }
        seen.whole = since(start) / 1e6;
        seen
    }
}

async fn copy(
    mut output: ChildStdout,
    tasks: &mut JoinSet<()>,
) -> tokio::io::Lines<BufReader<TcpStream>> {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = Arc::new(listener.local_addr().unwrap());
    let (ours, theirs) = tokio::join!(TcpStream::connect(*address), listener.accept());
    let (ours, (mut theirs, _)) = (ours.unwrap(), theirs.unwrap());
    theirs.set_nodelay(true).unwrap();
    tasks.spawn(async move {
        tokio::io::copy(&mut output, &mut theirs).await.ok();
    });
    BufReader::new(ours).lines()
}
