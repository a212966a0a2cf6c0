//! WebSocket connections: one carries all sessions of a page.

mod connection;
mod ending;
mod gateway;
mod legacy;
mod live_socket;
mod news;
mod requests;
mod sent_items;
mod upserts;

use axum::Extension;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;

use crate::audit::Caller;
use crate::credentials::Grant;
use crate::error::ApiError;
use crate::state::AppState;
use connection::Connection;
use ending::{Endings, LAST_WORDS};

/// The largest message that is taken; a larger one closes the connection with 1009.
const MESSAGE_LIMIT: usize = 1 << 20;

/// A page must be answered with one of the subprotocols that it offers.
const SUBPROTOCOL: &str = "liminal";

const WRITE_BUFFER_LIMIT: usize = 64 << 20;

/// Credentials and origin were checked before this, so a stranger never sees a 101.
pub(crate) async fn upgrade(
    State(state): State<AppState>,
    Extension(grant): Extension<Grant>,
    Extension(caller): Extension<Caller>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => return ApiError::invalid_request(rejection.body_text()).into(),
    };
    let sockets = state.sockets.clone();
    upgrade
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
        })
}
