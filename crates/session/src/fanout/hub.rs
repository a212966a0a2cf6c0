//! All connections: for what every one of them is told.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use contract::RequestId;

use super::news::Asker;
use super::publication::Publication;
use super::subscriber::Subscriber;

#[derive(Debug, Default)]
pub struct Hub {
    connections: Mutex<Vec<Weak<Subscriber>>>,
}

impl Hub {
    /// The connection is told until it is dropped. Those that went are forgotten here too: where nothing is published,
    /// connections that come and go would add up.
    pub fn add(&self, connection: &Arc<Subscriber>) {
        self.lock(|connections| {
            connections.retain(|known| known.strong_count() > 0);
            connections.push(Arc::downgrade(connection));
        });
    }

    pub fn publish(&self, publication: &Publication) {
        self.lock(|connections| publish_to(connections, publication));
    }

    /// How much waits in all outboxes together: messages, and their text in bytes.
    pub(crate) fn depth(&self) -> (usize, usize) {
        self.lock(|connections| {
            let depths = connections.iter().filter_map(Weak::upgrade);
            let depths = depths.map(|subscriber| subscriber.with_outbox(|outbox| outbox.depth()));
            depths.fold((0, 0), |(frames, bytes), (more, longer)| (frames + more, bytes + longer))
        })
    }

    /// Publishes, to whoever asked for it as the answer.
    pub(crate) fn tell(&self, publication: &Publication, asker: Option<&Asker>) {
        match asker {
            Some(asker) => {
                self.publish_answer(publication, &asker.connection, asker.request_id.as_ref());
            }
            None => self.publish(publication),
        }
    }

    /// Publishes what `asker` asked for; its own copy carries the id of its request.
    pub fn publish_answer(
        &self,
        publication: &Publication,
        asker: &Arc<Subscriber>,
        request_id: Option<&RequestId>,
    ) {
        let encodings = Arc::default();
        self.lock(|connections| {
            connections.retain(|connection| {
                let found = connection.upgrade();
                if let Some(subscriber) = &found {
                    let id = request_id.filter(|_| Arc::ptr_eq(subscriber, asker)).cloned();
                    subscriber.share(publication, &encodings, id);
                }
                found.is_some()
            });
        });
    }

    fn lock<T>(&self, act: impl FnOnce(&mut Vec<Weak<Subscriber>>) -> T) -> T {
        act(&mut self.connections.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Publishes to those that are still there and forgets the others.
pub(crate) fn publish_to(connections: &mut Vec<Weak<Subscriber>>, publication: &Publication) {
    let encodings = Arc::default();
    connections.retain(|connection| {
        let found = connection.upgrade();
        if let Some(subscriber) = &found {
            subscriber.share(publication, &encodings, None);
        }
        found.is_some()
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_that_come_and_go_in_silence_do_not_add_up() {
        let hub = Hub::default();
        let stays = Arc::new(Subscriber::new(1));
        hub.add(&stays);
        for _ in 0..100 {
            hub.add(&Arc::new(Subscriber::new(1)));
        }
        assert!(hub.lock(|connections| connections.len()) <= 2);
    }
}
