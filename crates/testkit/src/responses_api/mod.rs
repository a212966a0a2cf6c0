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
mod side_requests;

use serde_json::{Value, json};

pub use self::reply::{ResponseContent, ResponsesReply};
pub use self::request::{ResponsesRequest, ResponsesRequestKind};
pub use crate::stand_in::Gate;
use crate::stand_in::{Api, Dialect, Events, Ids, StandIn};

pub type ResponsesApi = StandIn<Responses>;

impl ResponsesApi {
    /// What a provider's `base_url` is set to.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port())
    }

    /// What the script was asked.
    pub fn turns(&self) -> Vec<ResponsesRequest> {
        self.scripted()
    }

    /// Waits until this many requests of turns came in all, and returns them.
    pub async fn wait_for_turns(&self, count: usize) -> Vec<ResponsesRequest> {
        self.wait_for_scripted(count).await
    }
}

/// The Responses API, as far as its shapes go.
#[derive(Clone, Copy, Debug)]
pub struct Responses;

impl Api for Responses {
    type Kind = ResponsesRequestKind;
    type Content = ResponseContent;

    const DIALECT: Dialect = Dialect {
        is_opened: |event| event["type"] == "response.in_progress",
        is_delta: |event| event["type"].as_str().is_some_and(|name| name.ends_with(".delta")),
    };
    const REQUEST_ID: &'static str = "x-request-id";
    /// It ends a turn at once.
    const REFUSAL: (u16, &'static str) = (400, "invalid_request_error");
    const GIBBERISH: &'static str = "event: response.created\ndata: {\"type\": \"response.crea\n\n";

    fn recognise(request: &ResponsesRequest) -> ResponsesRequestKind {
        request.recognise()
    }

    fn is_for_script(request: &ResponsesRequest) -> bool {
        request.is_turn()
    }

    fn side_reply(request: &ResponsesRequest) -> ResponsesReply {
        side_requests::reply_to(request)
    }

    fn add_text(content: &mut ResponseContent, text: &str) {
        content.parts.push(reply::Part::Text(text.to_owned()));
    }

    fn whole(reply: &ResponsesReply, model: &str, ids: &Ids) -> Value {
        events::Answer::new(reply, model, ids).whole()
    }

    fn events(reply: &ResponsesReply, model: &str, ids: &Ids) -> Events {
        events::Answer::new(reply, model, ids).events(reply)
    }

    fn error(kind: &str, message: &str, _: &str) -> Value {
        json!({"error": {"message": message, "type": kind, "code": kind}})
    }
}
