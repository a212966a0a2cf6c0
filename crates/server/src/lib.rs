//! The edge: HTTP and WebSocket for browsers and programs. It knows HTTP and decides nothing about sessions.
//!
//! Every request passes, in this order: the Host check, the Origin check, the credential check, its route.

mod assets;
mod credentials;
mod error;
mod guard;
mod json_body;
mod query;
mod routes;
mod secret;
mod socket;
mod state;
mod url_path;

use std::sync::Arc;

use axum::serve::ListenerExt;
use session::SessionService;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use credentials::Credentials;
pub use guard::AllowedHosts;
pub use secret::Secret;

use state::AppState;

/// What a server is made of.
#[derive(Debug)]
pub struct Server {
    pub service: Arc<SessionService>,
    pub credentials: Arc<Credentials>,
    /// Whether connections that ask for no message family get the legacy one.
    pub legacy_window: bool,
    /// Cancelled when the server stops.
    pub stop: CancellationToken,
}

impl Server {
    /// Serves on all listeners, which share one port, until it is stopped.
    pub async fn run(self, listeners: Vec<TcpListener>) -> std::io::Result<()> {
        let port = listeners
            .first()
            .map_or(Ok(0), |listener| listener.local_addr().map(|address| address.port()))?;
        let state = AppState {
            service: self.service,
            credentials: self.credentials,
            hosts: Arc::new(AllowedHosts::loopback(port)),
            legacy_window: self.legacy_window,
            stop: self.stop.clone(),
            sockets: TaskTracker::new(),
        };
        let sockets = state.sockets.clone();
        let router = routes::router(state);
        let serving = listeners.into_iter().map(|listener| {
            let service = router.clone().into_make_service();
            let stop = self.stop.clone();
            // Messages are small and wanted at once.
            let listener = listener.tap_io(|stream| {
                if let Err(error) = stream.set_nodelay(true) {
                    tracing::debug!(%error, "a connection may be slow");
                }
            });
            async move {
                axum::serve(listener, service).with_graceful_shutdown(stop.cancelled_owned()).await
            }
        });
        futures_util::future::try_join_all(serving).await?;
        sockets.close();
        sockets.wait().await;
        Ok(())
    }
}
