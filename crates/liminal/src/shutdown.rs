//! Waits for the signal to stop.

use tokio::signal::unix::{SignalKind, signal};

/// Returns at the first SIGINT or SIGTERM.
pub(crate) async fn requested() -> std::io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}
