//! A scripted stand-in for OpenAI's Responses API on loopback: the model behind the real Codex, whose provider's
//! `base_url` it is. The script decides what the model says and when; the agent stays the real one.
//!
//! What codex-acp 0.16.0 (codex 0.137 inside) was seen to do, with a provider of its own in `config.toml`:
//!
//! - It asks nothing at its start: no list of models, no title. Every request is `POST /v1/responses`, streaming, with
//!   the whole conversation in `input` and the session in the header `session-id`. `x-codex-turn-metadata` says why:
//!   `turn`, or `compaction` after `/compact`, which has no tools and whose answer takes the conversation's place.
//! - Its tools are the functions `exec_command` (`{cmd, workdir?, yield_time_ms?, sandbox_permissions?, …}`),
//!   `write_stdin`, `update_plan` (`{plan: [{step, status}]}`), `view_image`, `get_goal`, `create_goal`, `update_goal`
//!   and `request_user_input`; `apply_patch` is a *custom* tool whose input is the bare patch (called as a function
//!   the call fails without a word to the user); `tool_search` and `web_search` are the API's own.
//! - Of the stream it needs `response.created`, the deltas, `response.output_item.done` and `response.completed`; a
//!   stream without the last is a broken one, and is asked for again `stream_max_retries` times with its text repeated.
//! - After 400 and 429 it gives up at once. 401, `response.failed` with `server_error` and a cut are asked for again
//!   `stream_max_retries` times; 5xx that often and each time `request_max_retries` times more.
//!
//! What has no tools is a *side request*: it is recorded and answered here, and a script sees only turns.
//!
//! The server, its streams and its gates end with their [`ResponsesApi`]. A script that never lets a turn end is
//! stopped by a bound on the number of requests.

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

pub use self::reply::ResponsesReply;
pub use self::request::{ResponsesRequest, ResponsesRequestKind};
pub use crate::stand_in::Gate;
use crate::stand_in::{Ids, LARGEST_BODY, MOST_REQUESTS, Recording, listen, lock, serve};

type Script = dyn Fn(&ResponsesRequest) -> ResponsesReply + Send + Sync;

/// A running stand-in. It stops when it is dropped.
#[derive(Debug)]
pub struct ResponsesApi {
    port: u16,
    shared: Arc<Shared>,
    _stop: DropGuard,
    _server: JoinSet<()>,
}

struct Shared {
    script: Box<Script>,
    recording: Recording<ResponsesRequest>,
    ids: Ids,
    stop: CancellationToken,
}

impl ResponsesApi {
    /// Answers every request of a turn with what `script` says.
    pub async fn start(
        script: impl Fn(&ResponsesRequest) -> ResponsesReply + Send + Sync + 'static,
    ) -> Self {
        let (listener, port) = listen().await;
        let stop = CancellationToken::new();
        let shared = Arc::new(Shared {
            script: Box::new(script),
            recording: Recording::default(),
            ids: Ids::default(),
            stop: stop.clone(),
        });
        let router = Router::new().fallback(answer).with_state(shared.clone());
        let mut server = JoinSet::new();
        server.spawn(serve(listener, router, stop.clone()));
        Self { port, shared, _stop: stop.drop_guard(), _server: server }
    }

    /// Answers the requests of turns in the order in which they come; one too many is an error.
    pub async fn with_replies(replies: impl IntoIterator<Item = ResponsesReply>) -> Self {
        let replies = Mutex::new(replies.into_iter().collect::<VecDeque<_>>());
        Self::start(move |_| {
            let next = lock(&replies).pop_front();
            next.unwrap_or_else(|| ResponsesReply::refused("the script has no reply left"))
        })
        .await
    }

    /// What a provider's `base_url` is set to.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Everything that was asked so far, side requests and unknown paths included.
    pub fn requests(&self) -> Vec<ResponsesRequest> {
        self.shared.recording.all()
    }

    /// What the script was asked.
    pub fn turns(&self) -> Vec<ResponsesRequest> {
        self.shared.recording.matching(ResponsesRequest::is_turn)
    }

    /// Waits until this many requests of turns came in all, and returns them.
    pub async fn wait_for_turns(&self, count: usize) -> Vec<ResponsesRequest> {
        self.shared.recording.wait_for(count, ResponsesRequest::is_turn).await
    }
}

impl Shared {
    fn reply_to(&self, request: &ResponsesRequest) -> ResponsesReply {
        match request.kind {
            ResponsesRequestKind::Turn => (self.script)(request),
            ResponsesRequestKind::Compaction
            | ResponsesRequestKind::Side
            | ResponsesRequestKind::Models
            | ResponsesRequestKind::Other => side_requests::reply_to(request),
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
    let request = ResponsesRequest::new(&head, &body);
    let count = shared.recording.record(request.clone());
    let reply = if count > MOST_REQUESTS {
        ResponsesReply::refused("too many requests for one test: does the script ever end a turn?")
    } else {
        shared.reply_to(&request)
    };
    response::response(reply, &request, &shared.ids, shared.stop.clone()).await
}
