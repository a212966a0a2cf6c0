//! Accepts connections and serves them, within the limits for those that nobody knows yet.

mod admission;
mod connection;
mod local;
mod overheard;
mod peer;
mod strangers;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::limits::Limits;
use connection::Serving;
use strangers::Strangers;

pub use local::LocalDoor;
use local::Visitor;
pub(crate) use peer::Peer;

/// A listener that fails, for want of descriptors mostly, is asked again after this long.
const PAUSE: Duration = Duration::from_millis(50);

/// What the system keeps of what is sent and not taken yet.
const SEND_BUFFER: usize = 64 << 10;

/// Serves what comes in by all listeners until it is told to stop, and what was begun to its end.
pub(crate) async fn serve(
    router: Router,
    listeners: Vec<TcpListener>,
    local: Option<LocalDoor>,
    limits: Limits,
    stop: CancellationToken,
) {
    let connections = TaskTracker::new();
    let serving = Serving { router, limits, stop: stop.clone(), connections: connections.clone() };
    let strangers = Strangers::new(limits.strangers);
    let network = listeners
        .into_iter()
        .map(|listener| accept_strangers(listener, serving.clone(), strangers.clone()));
    let by_name = async {
        if let Some(door) = local {
            accept_local(&door, &serving, &strangers).await;
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        _ = futures_util::future::join(futures_util::future::join_all(network), by_name) => {}
    }
    connections.close();
    connections.wait().await;
}

async fn accept_strangers(listener: TcpListener, serving: Serving, strangers: Arc<Strangers>) {
    loop {
        let stream = accepted(|| listener.accept()).await.0;
        if let Err(error) = prepare(&stream) {
            tracing::debug!(%error, "a connection may be slow");
        }
        let admission = strangers.take_in().await;
        let address = stream.peer_addr().ok();
        let peer = Peer::Network { admission: admission.clone(), address };
        serving.serve_stranger(stream, peer, admission);
    }
}

/// Messages are small and wanted at once. The system would keep megabytes for a slow reader, behind which a ping is not answered in
/// time; so it keeps little, and what is taken of the rest is seen.
fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    Ok(rustix::net::sockopt::set_socket_send_buffer_size(stream, SEND_BUFFER)?)
}

/// What an agent started is told that it is refused, and may take up no more than those who show no credential.
async fn accept_local(door: &LocalDoor, serving: &Serving, strangers: &Strangers) {
    loop {
        let stream = accepted(|| door.listener.accept()).await.0;
        match door.visitor(&stream) {
            None => {}
            Some(Visitor::Ours(pid)) => serving.serve(stream, Peer::Local { pid }),
            Some(Visitor::OfAnAgent(pid)) => {
                let admission = strangers.take_in().await;
                serving.serve_stranger(stream, Peer::Agent { pid }, admission);
            }
        }
    }
}

async fn accepted<T, F: Future<Output = io::Result<T>>>(accept: impl Fn() -> F) -> T {
    loop {
        match accept().await {
            Ok(accepted) => return accepted,
            Err(error) => {
                tracing::debug!(%error, "a connection could not be accepted");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}
