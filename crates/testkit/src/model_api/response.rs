//! Makes an HTTP response of a reply.

use axum::body::Body;
use axum::http::{Response, StatusCode};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::events::Message;
use super::reply::{Outcome, Reply};
use super::request::ModelRequest;
use crate::stand_in::{self, Ids, Step};

const STREAM: &str = "text/event-stream; charset=utf-8";
const JSON: &str = "application/json";

/// What a stream says that nobody can read.
const GIBBERISH: &str = "event: message_start\ndata: {\"type\": \"message_st\n\n";

pub(super) async fn response(
    reply: Reply,
    request: &ModelRequest,
    ids: &Ids,
    stop: CancellationToken,
) -> Response<Body> {
    let id = ids.next("req");
    match &reply.outcome {
        Outcome::Message if request.is_streaming() => {
            let message = Message::new(&reply, request.model(), ids);
            let steps = message.steps(&reply);
            with_body(StatusCode::OK, STREAM, &id, stand_in::body(steps, stop))
        }
        Outcome::Message => {
            let message = Message::new(&reply, request.model(), ids);
            stand_in::wait_through(reply.pace.all_holds(), &stop).await;
            with_body(StatusCode::OK, JSON, &id, message.whole().to_string().into())
        }
        Outcome::Malformed => malformed(&reply, request, &id, stop),
        Outcome::Failure { .. } | Outcome::Json(_) => {
            stand_in::wait_through(reply.pace.all_holds(), &stop).await;
            at_once(&reply.outcome, &id)
        }
    }
}

fn malformed(
    reply: &Reply,
    request: &ModelRequest,
    id: &str,
    stop: CancellationToken,
) -> Response<Body> {
    let content = if request.is_streaming() { STREAM } else { JSON };
    let mut steps = reply.pace.before();
    steps.push(Step::Send(GIBBERISH.to_owned()));
    with_body(StatusCode::OK, content, id, stand_in::body(steps, stop))
}

fn at_once(outcome: &Outcome, id: &str) -> Response<Body> {
    match outcome {
        Outcome::Failure { status, kind, message, retry_after } => {
            let status = StatusCode::from_u16(*status).unwrap();
            let mut response = with_body(status, JSON, id, error(kind, message, id).into());
            if let Some(seconds) = retry_after {
                response.headers_mut().insert("retry-after", (*seconds).into());
            }
            response
        }
        Outcome::Json(body) => with_body(StatusCode::OK, JSON, id, body.to_string().into()),
        Outcome::Message | Outcome::Malformed => unreachable!("they are played"),
    }
}

fn error(kind: &str, message: &str, id: &str) -> String {
    let error: Value = json!({"type": kind, "message": message});
    json!({"type": "error", "error": error, "request_id": id}).to_string()
}

fn with_body(status: StatusCode, content: &str, id: &str, body: Body) -> Response<Body> {
    let response = Response::builder().status(status);
    response.header("content-type", content).header("request-id", id).body(body).unwrap()
}
