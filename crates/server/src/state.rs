//! What every handler can reach.

use std::sync::Arc;

use session::SessionService;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::credentials::Credentials;
use crate::guard::AllowedHosts;

#[derive(Clone, Debug)]
pub(crate) struct AppState {
    pub(crate) service: Arc<SessionService>,
    pub(crate) credentials: Arc<Credentials>,
    pub(crate) hosts: Arc<AllowedHosts>,
    pub(crate) legacy_window: bool,
    pub(crate) stop: CancellationToken,
    /// Waits for the WebSocket connections.
    pub(crate) sockets: TaskTracker,
}
