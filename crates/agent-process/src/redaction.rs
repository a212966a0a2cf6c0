//! What is taken out of an agent's last words before they are told.

use std::fmt;
use std::sync::Arc;

type Redact = dyn Fn(&str) -> String + Send + Sync;

/// Without one everything is told as it was said.
#[derive(Clone, Default)]
pub(crate) struct Redaction(Option<Arc<Redact>>);

impl Redaction {
    pub(crate) fn new(redact: impl Fn(&str) -> String + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(redact)))
    }

    pub(crate) fn apply(&self, text: String) -> String {
        match &self.0 {
            Some(redact) => redact(&text),
            None => text,
        }
    }
}

impl fmt::Debug for Redaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redaction").finish_non_exhaustive()
    }
}
