//! WebSocket connections: one carries all sessions of a page.

mod connection;
mod ending;
mod gateway;
mod legacy;
mod live_socket;
mod news;
mod requests;
mod sent_items;
mod slow_send;
mod told_places;
mod upserts;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::audit::Caller;
use crate::credentials::Grant;
use crate::error::ApiError;
use crate::openapi::{Answers, ApiRoutes, Asks, Description, Refusal, about};
use crate::state::AppState;
use connection::Connection;
use ending::{Endings, LAST_WORDS};

/// The largest message that is taken; a larger one closes the connection with 1009.
const MESSAGE_LIMIT: usize = 1 << 20;

/// A page must be answered with one of the subprotocols that it offers.
const SUBPROTOCOL: &str = "liminal";

const WRITE_BUFFER_LIMIT: usize = 64 << 20;

pub(crate) fn routes() -> ApiRoutes {
    let summary = about("openSocket", "Opens a WebSocket that carries all sessions of a page");
    ApiRoutes::of("live").get("/ws", upgrade, summary)
}

/// The request to speak in frames from now on.
type Wanted = Result<WebSocketUpgrade, WebSocketUpgradeRejection>;

impl Asks for Wanted {
    fn describe(description: &mut Description<'_>) {
        description.refuses([Refusal::INVALID_REQUEST]);
    }
}

/// Frames follow.
struct Upgraded(Response);

impl IntoResponse for Upgraded {
    fn into_response(self) -> Response {
        self.0
    }
}

impl Answers for Upgraded {
    fn describe(description: &mut Description<'_>) {
        description.answers_nothing(StatusCode::SWITCHING_PROTOCOLS);
    }
}

/// Credentials and origin were checked before this, so a stranger never sees a 101.
async fn upgrade(
    State(state): State<AppState>,
    Extension(grant): Extension<Grant>,
    Extension(caller): Extension<Caller>,
    wanted: Wanted,
) -> Result<Upgraded, ApiError> {
    let upgrade = wanted.map_err(|rejection| ApiError::invalid_request(rejection.body_text()))?;
    let sockets = state.sockets.clone();
    let answer = upgrade
        // What a page offers beside it holds its key, and is not for an answer.
        .protocols([SUBPROTOCOL])
        .max_message_size(MESSAGE_LIMIT)
        .max_frame_size(MESSAGE_LIMIT)
        .read_buffer_size(4096)
        // More than the largest message that we send, and still a bound.
        .max_write_buffer_size(WRITE_BUFFER_LIMIT)
        .on_upgrade(move |socket| async move {
            let connection =
                Connection::new(state, socket, caller, Endings::new(grant.clone())).run();
            let cut_off = async {
                grant.ended().await;
                tokio::time::sleep(LAST_WORDS).await;
            };
            // Tracked, so that the server waits for it at its end.
            let run = async {
                tokio::select! { () = connection => {}, () = cut_off => {} }
            };
            sockets.track_future(run).await;
        });
    Ok(Upgraded(answer))
}
