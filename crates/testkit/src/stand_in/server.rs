//! The server of a stand-in: it records what is asked, and answers with what the script says.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::api::Api;
use super::ids::Ids;
use super::lock;
use super::recording::Recording;
use super::reply::Reply;
use super::request::Request;
use super::response::response;

/// More than any test needs. What comes after is refused in a way that agents do not retry.
const MOST_REQUESTS: usize = 1_000;

/// A long conversation with images stays below it.
const LARGEST_BODY: usize = 64 * 1024 * 1024;

type Script<A> = dyn Fn(&Request<A>) -> Reply<A> + Send + Sync;

/// A running stand-in. It stops when it is dropped.
#[derive(Debug)]
pub struct StandIn<A: Api> {
    port: u16,
    shared: Arc<Shared<A>>,
    _stop: DropGuard,
    _server: JoinSet<()>,
}

struct Shared<A: Api> {
    script: Box<Script<A>>,
    recording: Recording<Request<A>>,
    ids: Ids,
    stop: CancellationToken,
}

impl<A: Api> StandIn<A> {
    /// Answers every request of a conversation with what `script` says.
    pub async fn start(script: impl Fn(&Request<A>) -> Reply<A> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let stop = CancellationToken::new();
        let shared = Arc::new(Shared::new(Box::new(script), stop.clone()));
        let router = Router::new().fallback(answer::<A>).with_state(shared.clone());
        let mut server = JoinSet::new();
        server.spawn(serve(listener, router, stop.clone()));
        Self { port, shared, _stop: stop.drop_guard(), _server: server }
    }

    /// Answers the requests of a conversation in the order in which they come; one too many is an error.
    pub async fn with_replies(replies: impl IntoIterator<Item = Reply<A>>) -> Self {
        let replies = Mutex::new(replies.into_iter().collect::<VecDeque<_>>());
        Self::start(move |_| {
            let next = lock(&replies).pop_front();
            next.unwrap_or_else(|| Reply::refused("the script has no reply left"))
        })
        .await
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Everything that was asked so far, side requests and unknown paths included.
    pub fn requests(&self) -> Vec<Request<A>> {
        self.shared.recording.all()
    }

    /// What the script was asked.
    pub(crate) fn scripted(&self) -> Vec<Request<A>> {
        self.shared.recording.matching(A::is_for_script)
    }

    /// Waits until the script was asked this often in all, and returns what.
    pub(crate) async fn wait_for_scripted(&self, count: usize) -> Vec<Request<A>> {
        self.shared.recording.wait_for(count, A::is_for_script).await
    }
}

impl<A: Api> Shared<A> {
    fn new(script: Box<Script<A>>, stop: CancellationToken) -> Self {
        Self { script, recording: Recording::default(), ids: Ids::default(), stop }
    }

    fn reply_to(&self, request: &Request<A>) -> Reply<A> {
        if A::is_for_script(request) { (self.script)(request) } else { A::side_reply(request) }
    }
}

impl<A: Api> fmt::Debug for Shared<A> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Shared").field("ids", &self.ids).finish_non_exhaustive()
    }
}

async fn serve(listener: TcpListener, router: Router, stop: CancellationToken) {
    // A delta is written when it is said, not when a packet is full.
    let listener = listener.tap_io(|connection| connection.set_nodelay(true).unwrap());
    let stopped = stop.cancelled_owned();
    axum::serve(listener, router).with_graceful_shutdown(stopped).await.unwrap();
}

async fn answer<A: Api>(
    State(shared): State<Arc<Shared<A>>>,
    request: axum::extract::Request,
) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST_BODY).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let request = Request::new(&head, &body);
    let count = shared.recording.record(request.clone());
    let reply = if count > MOST_REQUESTS {
        Reply::refused("too many requests for one test: does the script ever end a turn?")
    } else {
        shared.reply_to(&request)
    };
    response(reply, &request, &shared.ids, shared.stop.clone()).await
}
