//! A place in an answer at which the model falls silent until the test lets it go on.

use std::sync::Arc;

use tokio::sync::watch;

/// Clones are the same gate. Once open it stays open.
#[derive(Clone, Debug)]
pub struct Gate(Arc<Sides>);

#[derive(Debug)]
struct Sides {
    reached: watch::Sender<bool>,
    open: watch::Sender<bool>,
}

impl Default for Gate {
    fn default() -> Self {
        let closed = || watch::Sender::new(false);
        Self(Arc::new(Sides { reached: closed(), open: closed() }))
    }
}

impl Gate {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn open(&self) {
        self.0.open.send_replace(true);
    }

    /// Waits until an answer has come this far. Everything before the gate is on its way to the agent then.
    pub async fn reached(&self) {
        becomes_true(&self.0.reached).await;
    }

    pub(super) async fn pass(&self) {
        self.0.reached.send_replace(true);
        becomes_true(&self.0.open).await;
    }
}

async fn becomes_true(side: &watch::Sender<bool>) {
    side.subscribe().wait_for(|value| *value).await.expect("the gate keeps its sender");
}
