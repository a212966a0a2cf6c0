//! WebSocket connections: one carries all sessions of a page.

mod coming_sessions;
mod connection;
mod ending;
mod fragments;
mod gateway;
mod legacy;
mod live_socket;
mod news;
mod requests;
mod sent_items;
mod slow_send;
mod told_places;
mod upgrade;
mod upserts;

use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};

use crate::audit::Caller;
use crate::credentials::Grant;
use crate::openapi::{Answers, ApiRoutes, Description, about};
use crate::state::AppState;
use connection::Connection;
use ending::{Endings, LAST_WORDS};
use upgrade::{Socket, WantedSocket};

pub(crate) fn routes() -> ApiRoutes {
    let summary = about("openSocket", "Opens a WebSocket that carries all sessions of a page");
    ApiRoutes::of("live").get("/ws", upgrade, summary)
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
    wanted: WantedSocket,
) -> Upgraded {
    let (answer, socket) = wanted.socket();
    // Tracked, so that the server waits for it at its end.
    state.sockets.clone().spawn(async move {
        match socket.await {
            Ok(socket) => follow(state, grant, caller, socket).await,
            Err(error) => tracing::debug!(%error, "a connection ended before its first frame"),
        }
    });
    Upgraded(answer)
}

/// Until it ends, or shortly after its credential did.
async fn follow(state: AppState, grant: Grant, caller: Caller, socket: Socket) {
    let connection = Connection::new(state, socket, caller, Endings::new(grant.clone())).run();
    let cut_off = async {
        grant.ended().await;
        tokio::time::sleep(LAST_WORDS).await;
    };
    tokio::select! { () = connection => {}, () = cut_off => {} }
}
