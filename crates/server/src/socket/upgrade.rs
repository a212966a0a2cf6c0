//! From a request to frames: the handshake, and the limits of what follows.
//!
//! Not axum's, which gives a socket that neither counts pieces nor can send a message in several.

use axum::body::Body;
use axum::extract::{FromRequestParts, Request};
use axum::http::header::SEC_WEBSOCKET_PROTOCOL;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::fragments::CountedPieces;
use super::live_socket::PIECE;
use crate::error::ApiError;
use crate::openapi::{Asks, Description, Refusal};

/// The largest message that is taken; a larger one closes the connection with 1009.
pub(super) const MESSAGE_LIMIT: usize = 1 << 20;
const READ_BUFFER: usize = 4096;
/// What is written in one go, if there is so much.
const WRITE_BUFFER: usize = 16 << 10;
/// What waits to be written: a piece of a message, and answers to pings beside it.
const WRITE_BUFFER_LIMIT: usize = 1 << 20;
const _: () = assert!(2 * PIECE < WRITE_BUFFER_LIMIT, "a piece fits");

/// A page must be answered with one of the subprotocols that it offers. What it offers beside it holds its key, and is not for
/// an answer.
const SUBPROTOCOL: &str = "liminal";

pub(super) type Socket = WebSocketStream<CountedPieces<TokioIo<Upgraded>>>;

/// The request to speak in frames from now on.
pub(super) struct WantedSocket {
    answer: Response,
    frames: OnUpgrade,
}

impl WantedSocket {
    /// Once the answer is sent.
    pub(super) fn socket(self) -> (Response, impl Future<Output = hyper::Result<Socket>>) {
        let Self { answer, frames } = self;
        let socket = async {
            let bytes = CountedPieces::new(TokioIo::new(frames.await?));
            Ok(WebSocketStream::from_raw_socket(bytes, Role::Server, Some(limits())).await)
        };
        (answer, socket)
    }
}

fn limits() -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(MESSAGE_LIMIT))
        .max_frame_size(Some(MESSAGE_LIMIT))
        .read_buffer_size(READ_BUFFER)
        .write_buffer_size(WRITE_BUFFER)
        .max_write_buffer_size(WRITE_BUFFER_LIMIT)
}

impl<S: Send + Sync> FromRequestParts<S> for WantedSocket {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let asked = Request::from_parts(parts.clone(), ());
        let mut answer = create_response_with_body(&asked, Body::empty)
            .map_err(|error| ApiError::invalid_request(error.to_string()))?;
        if offers(&parts.headers, SUBPROTOCOL) {
            let chosen = HeaderValue::from_static(SUBPROTOCOL);
            answer.headers_mut().insert(SEC_WEBSOCKET_PROTOCOL, chosen);
        }
        let frames = parts.extensions.remove::<OnUpgrade>().ok_or_else(|| {
            ApiError::invalid_request("this connection cannot be upgraded".to_owned())
        })?;
        Ok(Self { answer, frames })
    }
}

fn offers(headers: &HeaderMap, subprotocol: &str) -> bool {
    let offered = headers.get_all(SEC_WEBSOCKET_PROTOCOL).iter();
    let names = offered.filter_map(|value| value.to_str().ok()).flat_map(|list| list.split(','));
    names.map(str::trim).any(|name| name == subprotocol)
}

impl Asks for WantedSocket {
    fn describe(description: &mut Description<'_>) {
        description.refuses([Refusal::INVALID_REQUEST]);
    }
}
