//! WebSocket connections: one carries all sessions of a page.

mod connection;
mod gateway;
mod news;
mod requests;

use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;

use crate::error::ApiError;
use crate::state::AppState;
use connection::Connection;

/// The largest message that is taken; a larger one closes the connection with 1009.
const MESSAGE_LIMIT: usize = 1 << 20;

const WRITE_BUFFER_LIMIT: usize = 64 << 20;

/// Credentials and origin were checked before this, so a stranger never sees a 101.
pub(crate) async fn upgrade(
    State(state): State<AppState>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(rejection) => return ApiError::invalid_request(rejection.body_text()).into(),
    };
    let sockets = state.sockets.clone();
    upgrade
        .max_message_size(MESSAGE_LIMIT)
        .max_frame_size(MESSAGE_LIMIT)
        .read_buffer_size(4096)
        // More than the largest message that we send, and still a bound.
        .max_write_buffer_size(WRITE_BUFFER_LIMIT)
        .on_upgrade(move |socket| async move {
            let connection = Connection::new(state, socket);
            // Tracked, so that the server waits for it at its end.
            sockets.track_future(connection.run()).await;
        })
}
