//! How one publication reads on the wire: made by the first connection that needs it, shared with the others.

use std::sync::OnceLock;

use bytes::Bytes;
use contract::Seq;

/// Lives as long as the publication waits in an outbox.
#[derive(Debug, Default)]
pub struct Encodings {
    whole: OnceLock<Bytes>,
    growth: OnceLock<Growth>,
    legacy: OnceLock<Legacy>,
}

/// What clients of the legacy family are told of it, which may be several messages.
#[derive(Debug)]
struct Legacy {
    /// The state of the item that they were told before, if any.
    since: Option<Seq>,
    frames: Vec<Bytes>,
}

/// What an item's state adds to an earlier one.
#[derive(Clone, Debug)]
pub struct Growth {
    /// The state that it goes on from.
    pub since: Seq,
    /// UTF-16 units of the text that is new.
    pub units: u64,
    pub bytes: Bytes,
}

impl Encodings {
    pub fn whole(&self, encode: impl FnOnce() -> Bytes) -> Bytes {
        self.whole.get_or_init(encode).clone()
    }

    /// What is new since a state. Most connections have the same one, so one is kept; others make their own.
    pub fn growth(&self, since: Seq, encode: impl FnOnce() -> Option<Growth>) -> Option<Growth> {
        if let Some(made) = self.growth.get().filter(|made| made.since == since) {
            return Some(made.clone());
        }
        let made = encode()?;
        // Another connection may have been first; then this one is used once.
        drop(self.growth.set(made.clone()));
        Some(made)
    }

    /// The messages for legacy clients that were told the item as it was at `since`, kept in the same way.
    pub fn legacy(&self, since: Option<Seq>, encode: impl FnOnce() -> Vec<Bytes>) -> Vec<Bytes> {
        if let Some(made) = self.legacy.get().filter(|made| made.since == since) {
            return made.frames.clone();
        }
        let frames = encode();
        drop(self.legacy.set(Legacy { since, frames: frames.clone() }));
        frames
    }
}
