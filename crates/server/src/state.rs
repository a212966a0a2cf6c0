//! What every handler can reach.

use std::sync::Arc;

use session::SessionService;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::audit::Audit;
use crate::credentials::Credentials;
use crate::drain::Drain;
use crate::guard::AllowedHosts;
use crate::limits::Limits;

#[derive(Clone, Debug)]
pub(crate) struct AppState {
    pub(crate) service: Arc<SessionService>,
    pub(crate) credentials: Arc<Credentials>,
    pub(crate) audit: Arc<Audit>,
    pub(crate) hosts: Arc<AllowedHosts>,
    pub(crate) legacy_window: bool,
    /// Where browsers find the page, if they can.
    pub(crate) page: Option<Arc<str>>,
    pub(crate) limits: Limits,
    pub(crate) drain: Arc<Drain>,
    pub(crate) stop: CancellationToken,
    /// Waits for the WebSocket connections.
    pub(crate) sockets: TaskTracker,
}
