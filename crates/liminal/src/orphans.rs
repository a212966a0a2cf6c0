//! What agents leave behind when they kill their own guards becomes the server's, and is not left lying about.

use agent_process::orphans;
use tokio::signal::unix::{SignalKind, signal};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Inherits orphans from here on, and collects their ends until it is told to stop.
pub(crate) fn adopt(stop: &CancellationToken, tasks: &TaskTracker) -> std::io::Result<()> {
    let mut ends = signal(SignalKind::child())?;
    orphans::adopt()?;
    let stop = stop.clone();
    tasks.spawn(async move {
        while let Some(Some(())) = stop.run_until_cancelled(ends.recv()).await {
            // Reads the process table. A panic there would be told by its hook.
            tokio::task::spawn_blocking(orphans::collect_ends).await.ok();
        }
    });
    Ok(())
}
