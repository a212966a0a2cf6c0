//! What a request was let in by. It ends when the credential does, and with it what was opened by it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

#[derive(Clone, Debug)]
pub(crate) struct Grant {
    /// Who holds the credential, as the audit log calls it.
    holder: Arc<str>,
    end: CancellationToken,
}

impl Grant {
    pub(super) fn to(holder: &str) -> Self {
        Self { holder: holder.into(), end: CancellationToken::new() }
    }

    /// For the command line, which needs no credential.
    pub(crate) fn to_command_line() -> Self {
        Self::to("command line")
    }

    pub(crate) fn holder(&self) -> &str {
        &self.holder
    }

    pub(super) fn end(&self) {
        self.end.cancel();
    }

    /// Returns once the credential was ended; never for one that lasts.
    pub(crate) async fn ended(&self) {
        self.end.cancelled().await;
    }
}
