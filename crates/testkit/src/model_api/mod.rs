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
mod side_requests;

use serde_json::{Value, json};

pub use self::reply::{MessageContent, Reply};
pub use self::request::{ModelRequest, RequestKind};
pub use crate::stand_in::Gate;
use crate::stand_in::{Api, Dialect, Events, Ids, StandIn};

pub type ModelApi = StandIn<Messages>;

impl ModelApi {
    /// What `ANTHROPIC_BASE_URL` is set to.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port())
    }

    /// What the script was asked: the main loop's and the subagents' requests.
    pub fn conversation(&self) -> Vec<ModelRequest> {
        self.scripted()
    }

    /// Waits until this many requests of conversations came in all, and returns them.
    pub async fn wait_for_conversation(&self, count: usize) -> Vec<ModelRequest> {
        self.wait_for_scripted(count).await
    }
}

/// The Messages API, as far as its shapes go.
#[derive(Clone, Copy, Debug)]
pub struct Messages;

impl Api for Messages {
    type Kind = RequestKind;
    type Content = MessageContent;

    /// A ping comes when the message has begun and nothing of it was said.
    const DIALECT: Dialect = Dialect {
        is_opened: |event| event["type"] == "ping",
        is_delta: |event| event["type"] == "content_block_delta",
    };
    const REQUEST_ID: &'static str = "request-id";
    /// The one error that no agent answers with another try: at 400 some ask again with fewer features of the API.
    const REFUSAL: (u16, &'static str) = (403, "permission_error");
    const GIBBERISH: &'static str = "event: message_start\ndata: {\"type\": \"message_st\n\n";

    fn recognise(request: &ModelRequest) -> RequestKind {
        request.recognise()
    }

    fn is_for_script(request: &ModelRequest) -> bool {
        request.is_conversation()
    }

    fn side_reply(request: &ModelRequest) -> Reply {
        side_requests::reply_to(request)
    }

    fn add_text(content: &mut MessageContent, text: &str) {
        content.blocks.push(reply::Block::Text(text.to_owned()));
    }

    fn whole(reply: &Reply, model: &str, ids: &Ids) -> Value {
        events::Message::new(reply, model, ids).whole()
    }

    fn events(reply: &Reply, model: &str, ids: &Ids) -> Events {
        events::Message::new(reply, model, ids).events()
    }

    fn error(kind: &str, message: &str, request_id: &str) -> Value {
        let error = json!({"type": kind, "message": message});
        json!({"type": "error", "error": error, "request_id": request_id})
    }
}
