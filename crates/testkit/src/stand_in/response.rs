//! Makes an HTTP response of a reply.

use axum::body::Body;
use axum::http::{Response, StatusCode};
use tokio_util::sync::CancellationToken;

use super::api::Api;
use super::ids::Ids;
use super::playback::{self, Step};
use super::reply::{Outcome, Reply};
use super::request::Request;

const STREAM: &str = "text/event-stream; charset=utf-8";
const JSON: &str = "application/json";

pub(super) async fn response<A: Api>(
    reply: Reply<A>,
    request: &Request<A>,
    ids: &Ids,
    stop: CancellationToken,
) -> Response<Body> {
    let id = ids.next("req");
    let mut response = match &reply.outcome {
        Outcome::Answer if request.is_streaming() => {
            let events = A::events(&reply, request.model(), ids);
            let steps = playback::steps(&events, A::DIALECT, &reply.pace, reply.ending);
            with_body(StatusCode::OK, STREAM, playback::body(steps, stop))
        }
        Outcome::Answer => {
            let answer = A::whole(&reply, request.model(), ids);
            playback::wait_through(reply.pace.all_holds(), &stop).await;
            with_body(StatusCode::OK, JSON, answer.to_string().into())
        }
        Outcome::Malformed => {
            let content = if request.is_streaming() { STREAM } else { JSON };
            let mut steps = reply.pace.before();
            steps.push(Step::Send(A::GIBBERISH.to_owned()));
            with_body(StatusCode::OK, content, playback::body(steps, stop))
        }
        Outcome::Json(body) => with_body(StatusCode::OK, JSON, body.to_string().into()),
        Outcome::Failure { status, kind, message, retry_after } => {
            playback::wait_through(reply.pace.all_holds(), &stop).await;
            let status = StatusCode::from_u16(*status).unwrap();
            let error = A::error(kind, message, &id);
            let mut response = with_body(status, JSON, error.to_string().into());
            if let Some(seconds) = retry_after {
                response.headers_mut().insert("retry-after", (*seconds).into());
            }
            response
        }
    };
    response.headers_mut().insert(A::REQUEST_ID, id.parse().unwrap());
    response
}

fn with_body(status: StatusCode, content: &str, body: Body) -> Response<Body> {
    Response::builder().status(status).header("content-type", content).body(body).unwrap()
}
