//! The edge: HTTP and WebSocket for browsers, programs and the command line. It knows HTTP and decides nothing about
//! sessions.
//!
//! Every request passes, in this order: the Host check, the Origin check, the check whether the server is stopping, the
//! credential check, its route.

mod assets;
mod audit;
mod credentials;
mod drain;
mod error;
mod guard;
mod json_body;
mod limits;
mod openapi;
mod panics;
mod routes;
mod secret;
mod serving;
mod socket;
mod state;
mod url_path;
mod url_query;

use std::sync::Arc;

use session::SessionService;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

pub use audit::Audit;
pub use credentials::{Credentials, CredentialsError};
pub use drain::Drain;
pub use guard::AllowedHosts;
pub use limits::Limits;
pub use routes::access::{CreateToken, LoginLink, TokenCreated};
pub use secret::Secret;
pub use serving::LocalDoor;

use state::AppState;

/// What a server is made of.
#[derive(Debug)]
pub struct Server {
    pub service: Arc<SessionService>,
    pub credentials: Arc<Credentials>,
    pub audit: Arc<Audit>,
    /// Whether connections that ask for no message family get the legacy one.
    pub legacy_window: bool,
    /// The way in for the command line.
    pub local: Option<LocalDoor>,
    pub limits: Limits,
    pub drain: Arc<Drain>,
    /// Cancelled when the server stops.
    pub stop: CancellationToken,
}

impl Server {
    /// Serves on all listeners, which share one port, until it is stopped.
    pub async fn run(self, listeners: Vec<TcpListener>) -> std::io::Result<()> {
        let address = listeners.first().map(TcpListener::local_addr).transpose()?;
        let port = address.map_or(0, |address| address.port());
        let hosts = AllowedHosts::loopback(port, self.credentials.instance());
        let state = AppState {
            service: self.service,
            credentials: self.credentials,
            audit: self.audit,
            hosts: Arc::new(hosts),
            page: address.map(|address| format!("http://{address}/").into()),
            legacy_window: self.legacy_window,
            limits: self.limits,
            drain: self.drain,
            stop: self.stop.clone(),
            sockets: TaskTracker::new(),
        };
        let sockets = state.sockets.clone();
        let router = routes::router(state);
        serving::serve(router, listeners, self.local, self.limits, self.stop).await;
        sockets.close();
        sockets.wait().await;
        Ok(())
    }
}
