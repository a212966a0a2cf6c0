//! Makes an HTTP response of a reply.

use axum::body::Body;
use axum::http::{Response, StatusCode};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::events::Answer;
use super::reply::{Outcome, ResponsesReply};
use super::request::ResponsesRequest;
use crate::stand_in::{self, Ids, Step};

const STREAM: &str = "text/event-stream; charset=utf-8";
const JSON: &str = "application/json";

/// What a stream says that nobody can read.
const GIBBERISH: &str = "event: response.created\ndata: {\"type\": \"response.crea\n\n";

pub(super) async fn response(
    reply: ResponsesReply,
    request: &ResponsesRequest,
    ids: &Ids,
    stop: CancellationToken,
) -> Response<Body> {
    let id = ids.next("req");
    match &reply.outcome {
        Outcome::Response if request.is_streaming() => {
            let steps = Answer::new(&reply, request.model(), ids).steps(&reply);
            with_body(StatusCode::OK, STREAM, &id, stand_in::body(steps, stop))
        }
        Outcome::Malformed => {
            let mut steps = reply.pace.before();
            steps.push(Step::Send(GIBBERISH.to_owned()));
            with_body(StatusCode::OK, STREAM, &id, stand_in::body(steps, stop))
        }
        Outcome::Response => {
            let answer = Answer::new(&reply, request.model(), ids).whole();
            stand_in::wait_through(reply.pace.all_holds(), &stop).await;
            with_body(StatusCode::OK, JSON, &id, answer.to_string().into())
        }
        Outcome::Json(body) => with_body(StatusCode::OK, JSON, &id, body.to_string().into()),
        Outcome::Error { status, kind, message, retry_after } => {
            stand_in::wait_through(reply.pace.all_holds(), &stop).await;
            let error = json!({"error": {"message": message, "type": kind, "code": kind}});
            let status = StatusCode::from_u16(*status).unwrap();
            let mut response = with_body(status, JSON, &id, error.to_string().into());
            if let Some(seconds) = retry_after {
                response.headers_mut().insert("retry-after", (*seconds).into());
            }
            response
        }
    }
}

fn with_body(status: StatusCode, content: &str, id: &str, body: Body) -> Response<Body> {
    let response = Response::builder().status(status);
    response.header("content-type", content).header("x-request-id", id).body(body).unwrap()
}
