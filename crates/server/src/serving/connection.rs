//! One HTTP connection, from its first byte to its end or to its upgrade.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::admission::{Admission, Stage};
use super::overheard::Overheard;
use super::peer::Peer;
use crate::limits::Limits;

/// The longest head of a request.
const HEAD_LIMIT: usize = 16 << 10;
/// How long a known connection may be idle between requests, or take for a head.
const IDLE: Duration = Duration::from_secs(60);
/// How long a request that runs when the server stops may take to its end.
const LAST_WORDS: Duration = Duration::from_secs(3);

#[derive(Clone, Debug)]
pub(super) struct Serving {
    pub(super) router: Router,
    pub(super) limits: Limits,
    pub(super) stop: CancellationToken,
    pub(super) connections: TaskTracker,
}

impl Serving {
    /// Serves a connection of which nothing is known, as long as it keeps the limits for those.
    pub(super) fn serve_stranger(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        peer: Peer,
        admission: Arc<Admission>,
    ) {
        let limits = self.limits;
        let serving = self.clone().run(Overheard::new(stream, admission.clone()), peer);
        self.connections.spawn(async move {
            tokio::select! {
                () = serving => {}
                () = overdue(&admission, limits) => tracing::debug!("a connection showed no credential"),
                () = admission.ended() => {}
            }
            admission.close();
        });
    }

    pub(super) fn serve(
        &self,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        peer: Peer,
    ) {
        self.connections.spawn(self.clone().run(stream, peer));
    }

    async fn run(self, stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, peer: Peer) {
        let service = TowerToHyperService::new(self.router);
        let service = service_fn(move |mut request: Request<Incoming>| {
            if let Peer::Network { admission, .. } = &peer {
                admission.hear();
            }
            request.extensions_mut().insert(peer.clone());
            service.call(request)
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(IDLE)
            .max_header_size(HEAD_LIMIT)
            .serve_connection(TokioIo::new(stream), service)
            .with_upgrades();
        let mut connection = pin!(connection);
        tokio::select! {
            ended = connection.as_mut() => return tell(ended),
            () = self.stop.cancelled() => connection.as_mut().graceful_shutdown(),
        }
        if let Ok(ended) = timeout(LAST_WORDS, connection).await {
            tell(ended);
        }
    }
}

/// Returns when a stranger has taken too long; never for one that was admitted in time.
async fn overdue(admission: &Admission, limits: Limits) {
    let accepted = Instant::now();
    let heard = timeout_at(accepted + limits.first_head, admission.reached(Stage::Heard));
    if heard.await.is_err() {
        return;
    }
    let admitted = timeout_at(accepted + limits.credential, admission.reached(Stage::Admitted));
    if admitted.await.is_ok() {
        std::future::pending::<()>().await;
    }
}

fn tell(ended: hyper::Result<()>) {
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection broke");
    }
}
