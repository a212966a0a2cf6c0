//! A scripted stand-in for Anthropic's Messages API on loopback: the model behind the real Claude Code, whose
//! `ANTHROPIC_BASE_URL` it is. The script decides what the model says and when; the agent stays the real one.
//!
//! The agent asks for more than its conversation. What versions 2.1.197 and 2.1.325 were seen to send:
//!
//! - `HEAD /` (2.1.197) or `HEAD /api/hello` (2.1.325) at the start, to warm the connection. Anything that is not below
//!   `/v1/messages` is recorded and answered 404, which both take for an answer.
//! - One streaming request for a session title, without tools and with `output_config.format` a JSON schema (2.1.197).
//!   With `CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC` neither this nor `/api/hello` is asked; `HEAD /` still is.
//! - The main loop and every subagent: streaming, with tools of the agent's own. After a stream that broke, the same
//!   request may come again without `stream`, and wants one JSON body. A subagent's carries `x-claude-code-agent-id`
//!   and is otherwise like the main loop's.
//! - After 400 and 422 version 2.1.325 asks up to five times more, each time with fewer features in `anthropic-beta`,
//!   and says nothing of it; after 403 both give up at once.
//! - `/compact` is a request of the main loop whose last words are the agent's own; with a summary of one word 2.1.325
//!   asked twice. That a background task ended is a user message, too.
//!
//! So what has no tools of the agent's own is a *side request*: it is recorded and answered here, and a script sees
//! only conversation. Messages with the role `system` may stand between and after those of the user.
//!
//! The server, its streams and its gates end with their [`ModelApi`]. A script that never lets a turn end is stopped by
//! a bound on the number of requests.

mod events;
mod reply;
mod request;
mod response;
mod side_requests;

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::to_bytes;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use tokio::task::JoinSet;
use tokio_util::sync::{CancellationToken, DropGuard};

pub use self::reply::Reply;
pub use self::request::{ModelRequest, RequestKind};
pub use crate::stand_in::Gate;
use crate::stand_in::{Ids, LARGEST_BODY, MOST_REQUESTS, Recording, listen, lock, serve};

type Script = dyn Fn(&ModelRequest) -> Reply + Send + Sync;

/// A running stand-in. It stops when it is dropped.
#[derive(Debug)]
pub struct ModelApi {
    port: u16,
    shared: Arc<Shared>,
    _stop: DropGuard,
    _server: JoinSet<()>,
}

struct Shared {
    script: Box<Script>,
    recording: Recording<ModelRequest>,
    ids: Ids,
    stop: CancellationToken,
}

impl ModelApi {
    /// Answers every request of a conversation with what `script` says.
    pub async fn start(script: impl Fn(&ModelRequest) -> Reply + Send + Sync + 'static) -> Self {
        let (listener, port) = listen().await;
        let stop = CancellationToken::new();
        let shared = Arc::new(Shared::new(Box::new(script), stop.clone()));
        let router = Router::new().fallback(answer).with_state(shared.clone());
        let mut server = JoinSet::new();
        server.spawn(serve(listener, router, stop.clone()));
        Self { port, shared, _stop: stop.drop_guard(), _server: server }
    }

    /// Answers the requests of a conversation in the order in which they come; one too many is an error.
    pub async fn with_replies(replies: impl IntoIterator<Item = Reply>) -> Self {
        let replies = Mutex::new(replies.into_iter().collect::<VecDeque<_>>());
        Self::start(move |_| {
            let next = lock(&replies).pop_front();
            next.unwrap_or_else(|| Reply::refused("the script has no reply left"))
        })
        .await
    }

    /// What `ANTHROPIC_BASE_URL` is set to.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Everything that was asked so far, side requests and unknown paths included.
    pub fn requests(&self) -> Vec<ModelRequest> {
        self.shared.recording.all()
    }

    /// What the script was asked: the main loop's and the subagents' requests.
    pub fn conversation(&self) -> Vec<ModelRequest> {
        self.shared.recording.matching(ModelRequest::is_conversation)
    }

    /// Waits until this many requests of conversations came in all, and returns them.
    pub async fn wait_for_conversation(&self, count: usize) -> Vec<ModelRequest> {
        self.shared.recording.wait_for(count, ModelRequest::is_conversation).await
    }
}

impl Shared {
    fn new(script: Box<Script>, stop: CancellationToken) -> Self {
        Self { script, recording: Recording::default(), ids: Ids::default(), stop }
    }

    fn reply_to(&self, request: &ModelRequest) -> Reply {
        match request.kind {
            RequestKind::Main | RequestKind::Subagent => (self.script)(request),
            RequestKind::Side | RequestKind::CountTokens | RequestKind::Other => {
                side_requests::reply_to(request)
            }
        }
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Shared").field("ids", &self.ids).finish_non_exhaustive()
    }
}

async fn answer(State(shared): State<Arc<Shared>>, request: Request) -> Response {
    let (head, body) = request.into_parts();
    let Ok(body) = to_bytes(body, LARGEST_BODY).await else {
        return StatusCode::PAYLOAD_TOO_LARGE.into_response();
    };
    let request = ModelRequest::new(&head, &body);
    let count = shared.recording.record(request.clone());
    let reply = if count > MOST_REQUESTS {
        Reply::refused("too many requests for one test: does the script ever end a turn?")
    } else {
        shared.reply_to(&request)
    };
    response::response(reply, &request, &shared.ids, shared.stop.clone()).await
}
