//! What one connection has not been sent yet.
//!
//! Invariants: within a session `seq` only grows; turn events, requests and answers are neither merged nor reordered;
//! memory is bounded: past the bound everything is dropped, and every open session is told again from the journal.

use std::collections::{BTreeMap, HashMap};

use contract::{Epoch, RequestId, Seq, SessionId};

use super::publication::{Publication, Replaces};

#[derive(Clone, Debug)]
pub struct OutboxEntry {
    /// What this answers.
    pub request_id: Option<RequestId>,
    pub publication: Publication,
}

/// A session that has to be told again, from where the connection stood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resync {
    pub session_id: SessionId,
    pub from: Option<(Epoch, Seq)>,
}

#[derive(Debug)]
pub struct Outbox {
    bound: usize,
    bytes: usize,
    entries: BTreeMap<u64, OutboxEntry>,
    /// The tickets of entries that a newer state may replace.
    replaceable: HashMap<Replaces, u64>,
    next_ticket: u64,
    streams: HashMap<SessionId, Stream>,
    overflowed: bool,
}

/// A session that the connection opened.
#[derive(Debug, Default)]
struct Stream {
    /// Nothing is sent before the history that it builds on.
    has_history: bool,
    /// Where the connection stands: the last of this session that was taken out.
    sent: Option<(Epoch, Seq)>,
}

impl Outbox {
    pub fn new(bound: usize) -> Self {
        Self {
            bound,
            bytes: 0,
            entries: BTreeMap::new(),
            replaceable: HashMap::new(),
            next_ticket: 0,
            streams: HashMap::new(),
            overflowed: false,
        }
    }

    /// The connection wants the stream of a session; it begins with a history.
    pub fn open(&mut self, session: &SessionId) {
        self.streams.insert(session.clone(), Stream::default());
    }

    pub fn close(&mut self, session: &SessionId) {
        self.streams.remove(session);
        self.drop_entries_of(session);
    }

    /// Adds a publication. A newer state takes the place of an unsent older one and moves to the tail.
    pub fn push(&mut self, publication: Publication, request_id: Option<RequestId>) {
        if self.overflowed || !self.is_wanted(&publication) {
            return;
        }
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        if let Some(replaces) = publication.replaces()
            && let Some(older) = self.replaceable.insert(replaces, ticket)
            && let Some(entry) = self.entries.remove(&older)
        {
            self.bytes -= entry.publication.size();
        }
        self.bytes += publication.size();
        self.entries.insert(ticket, OutboxEntry { request_id, publication });
        if self.bytes > self.bound {
            self.overflow();
        }
    }

    pub fn pop(&mut self) -> Option<OutboxEntry> {
        let (ticket, entry) = self.entries.pop_first()?;
        self.bytes -= entry.publication.size();
        if let Some(replaces) = entry.publication.replaces()
            && self.replaceable.get(&replaces) == Some(&ticket)
        {
            self.replaceable.remove(&replaces);
        }
        self.note_progress(&entry.publication);
        Some(entry)
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// After an overflow, once: the sessions to be told again. The connection also needs all current state.
    pub fn take_resyncs(&mut self) -> Option<Vec<Resync>> {
        if !std::mem::take(&mut self.overflowed) {
            return None;
        }
        let resyncs = self.streams.iter().map(|(session_id, stream)| Resync {
            session_id: session_id.clone(),
            from: stream.sent.clone(),
        });
        Some(resyncs.collect())
    }

    fn is_wanted(&mut self, publication: &Publication) -> bool {
        let Some(session) = publication.stream() else { return true };
        let Some(stream) = self.streams.get_mut(session) else { return false };
        if matches!(publication, Publication::History(_)) {
            stream.has_history = true;
        }
        stream.has_history
    }

    fn note_progress(&mut self, publication: &Publication) {
        let Some((epoch, seq)) = publication.progress() else { return };
        let Some(stream) = publication.stream().and_then(|session| self.streams.get_mut(session))
        else {
            return;
        };
        let epoch = epoch.cloned().or_else(|| stream.sent.take().map(|(epoch, _)| epoch));
        stream.sent = epoch.map(|epoch| (epoch, seq));
    }

    fn overflow(&mut self) {
        self.entries.clear();
        self.replaceable.clear();
        self.bytes = 0;
        self.overflowed = true;
        self.streams.values_mut().for_each(|stream| stream.has_history = false);
    }

    fn drop_entries_of(&mut self, session: &SessionId) {
        let bytes = &mut self.bytes;
        self.entries.retain(|_, entry| {
            let keep = entry.publication.stream() != Some(session);
            *bytes -= if keep { 0 } else { entry.publication.size() };
            keep
        });
        self.replaceable.retain(|_, ticket| self.entries.contains_key(ticket));
    }
}
