//! The edge on a free port, in front of any session service.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use contract::SessionId;
use serde_json::{Value, json};
use server::{Audit, Credentials, Drain, Limits, LocalDoor, Secret, Server};
use session::SessionService;
use tempfile::TempDir;
use tokio::net::{TcpListener, UnixListener};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::http_client::HttpClient;
use crate::socket_client::SocketClient;

const LOCAL_SOCKET: &str = "liminal.sock";

#[derive(Debug)]
pub struct Edge {
    pub port: u16,
    pub token: String,
    pub credentials: Arc<Credentials>,
    pub drain: Arc<Drain>,
    /// Whether who comes by that socket is taken for an agent's process.
    is_local_an_agents: Arc<AtomicBool>,
    /// Holds the socket by which the command line comes in, and the audit log.
    local: TempDir,
}

const AUDIT: &str = "audit.jsonl";

impl Edge {
    /// Serves until `stop` is cancelled, as one of `tasks`.
    pub async fn start(
        service: Arc<SessionService>,
        legacy_window: bool,
        stop: CancellationToken,
        tasks: &TaskTracker,
    ) -> Self {
        Self::with_limits(service, legacy_window, Limits::default(), stop, tasks).await
    }

    pub async fn with_limits(
        service: Arc<SessionService>,
        legacy_window: bool,
        limits: Limits,
        stop: CancellationToken,
        tasks: &TaskTracker,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let token = Secret::random().unwrap();
        let credentials = Arc::new(Credentials::new(&token));
        let drain = Arc::new(Drain::default());
        let local = tempfile::tempdir().unwrap();
        let listener_of_local = UnixListener::bind(local.path().join(LOCAL_SOCKET)).unwrap();
        let is_local_an_agents = Arc::<AtomicBool>::default();
        let is_an_agents = is_local_an_agents.clone();
        let server = Server {
            service,
            credentials: credentials.clone(),
            audit: Arc::new(Audit::open(&local.path().join(AUDIT)).unwrap()),
            legacy_window,
            local: Some(LocalDoor::new(listener_of_local, move |_| {
                is_an_agents.load(Ordering::SeqCst)
            })),
            limits,
            drain: drain.clone(),
            stop,
        };
        tasks.spawn(server.run(vec![listener]));
        let token = token.reveal().to_owned();
        Self { port, token, credentials, drain, is_local_an_agents, local }
    }

    /// From here on the socket of the command line meets nobody but what agents started.
    pub fn take_local_for_agents(&self) {
        self.is_local_an_agents.store(true, Ordering::SeqCst);
    }

    /// The socket by which the command line comes in.
    pub fn local_socket(&self) -> PathBuf {
        self.local.path().join(LOCAL_SOCKET)
    }

    /// Who changed what, so far.
    pub fn audited(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.local.path().join(AUDIT)).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    pub fn bearer(&self) -> String {
        format!("Bearer {}", self.token)
    }

    /// A client that brings the token.
    pub fn client(&self) -> HttpClient {
        HttpClient::new(self.port).with_header("Authorization", &self.bearer())
    }

    /// A client as the command line is one: by the socket in the data directory, without a credential.
    pub fn local_client(&self) -> HttpClient {
        HttpClient::new(self.port).by_socket(&self.local_socket())
    }

    /// A connection that brings the token and has not said anything.
    pub async fn socket(&self) -> SocketClient {
        SocketClient::connect(self.port, &[("Authorization", &self.bearer())]).await.unwrap()
    }

    /// A connection that has chosen a family.
    pub async fn socket_of(&self, family: &str) -> SocketClient {
        let mut socket = self.socket().await;
        socket.send(&json!({"type": "session:hello", "streamProtocol": family})).await;
        let ack = socket.receive().await;
        assert_eq!(ack, json!({"type": "session:hello:ack", "selectedFamily": family}));
        socket
    }

    /// A connection that has opened a session, and the history that it was told.
    pub async fn opened(&self, family: &str, session: &SessionId) -> (SocketClient, Value) {
        let mut socket = self.socket_of(family).await;
        socket.send(&json!({"type": "session:open", "sessionId": session})).await;
        let history = socket.receive_type("session:history").await;
        (socket, history)
    }
}
