//! What a request was let in by. It ends when the credential does, and with it what was opened by it.

use tokio_util::sync::CancellationToken;

#[derive(Clone, Debug, Default)]
pub(crate) struct Grant(CancellationToken);

impl Grant {
    pub(super) fn end(&self) {
        self.0.cancel();
    }

    /// Returns once the credential was ended; never for one that lasts.
    pub(crate) async fn ended(&self) {
        self.0.cancelled().await;
    }
}
