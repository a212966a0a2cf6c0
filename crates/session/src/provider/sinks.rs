//! Where a provider's emissions go.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use contract::SessionId;
use futures_util::future::BoxFuture;
use tokio::sync::mpsc;

/// Takes emissions one at a time. Awaiting it is the back-pressure: a full consumer makes the agent wait.
pub struct Sink<T> {
    accept: Arc<dyn Fn(T) -> BoxFuture<'static, ()> + Send + Sync>,
    is_gone: Arc<dyn Fn() -> bool + Send + Sync>,
}

impl<T: Send + 'static> Sink<T> {
    pub fn new<F>(accept: impl Fn(T) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self { accept: Arc::new(move |value| Box::pin(accept(value))), is_gone: Arc::new(|| false) }
    }

    /// Puts emissions into a channel as `wrap` makes them. Two sinks on one channel keep their common order.
    pub fn channel<E: Send + 'static>(sender: mpsc::Sender<E>, wrap: fn(T) -> E) -> Self {
        let receiver = sender.clone();
        let sink = Self::new(move |value| {
            let sender = sender.clone();
            async move {
                // A session that is gone has nobody left to tell.
                drop(sender.send(wrap(value)).await);
            }
        });
        Self { is_gone: Arc::new(move || receiver.is_closed()), ..sink }
    }

    /// Whether nobody receives any more.
    pub fn is_gone(&self) -> bool {
        (self.is_gone)()
    }

    pub async fn accept(&self, value: T) {
        (self.accept)(value).await;
    }
}

/// By hand, because what a sink takes need not be `Clone`.
impl<T> Clone for Sink<T> {
    fn clone(&self) -> Self {
        Self { accept: self.accept.clone(), is_gone: self.is_gone.clone() }
    }
}

impl<T> std::fmt::Debug for Sink<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Sink")
    }
}

/// The sinks of every session of a provider.
#[derive(Debug)]
pub struct Listeners<T> {
    sinks: Mutex<HashMap<SessionId, Vec<Sink<T>>>>,
}

impl<T: Clone + Send + 'static> Listeners<T> {
    /// Adds a sink; those whose receivers are gone, of any session, are forgotten on the way.
    pub fn add(&self, session: &SessionId, sink: Sink<T>) {
        self.lock(|sinks| {
            sinks.retain(|_, of_session| {
                of_session.retain(|known| !known.is_gone());
                !of_session.is_empty()
            });
            sinks.entry(session.clone()).or_default().push(sink);
        });
    }

    pub async fn emit(&self, session: &SessionId, value: T) {
        let mut sinks = self.lock(|sinks| sinks.get(session).cloned().unwrap_or_default());
        let last = sinks.pop();
        for sink in sinks {
            sink.accept(value.clone()).await;
        }
        if let Some(sink) = last {
            sink.accept(value).await;
        }
    }

    fn lock<R>(&self, act: impl FnOnce(&mut HashMap<SessionId, Vec<Sink<T>>>) -> R) -> R {
        act(&mut self.sinks.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T> Default for Listeners<T> {
    fn default() -> Self {
        Self { sinks: Mutex::new(HashMap::new()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_session_that_is_gone_leaves_no_sinks() {
        let listeners = Listeners::<u32>::default();
        for number in 0..100 {
            let (sender, receiver) = mpsc::channel(1);
            listeners
                .add(&format!("session-{number}").into(), Sink::channel(sender, |value| value));
            drop(receiver);
        }
        assert_eq!(listeners.lock(|sinks| sinks.len()), 1, "the last one is not noticed yet");
    }
}
