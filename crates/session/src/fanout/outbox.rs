//! What one connection has not been sent yet.
//!
//! Invariants: within a session `seq` only grows; turn events, requests and answers are neither merged nor reordered;
//! memory is bounded. Past the bound of the streams they are dropped, and every open session is told again from the
//! journal. What every connection is told is never dropped: past its own bound the connection is given up.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use contract::{Epoch, RequestId, Seq, SessionId};

use super::encodings::Encodings;
use super::publication::{Publication, Replaces};

/// What every connection is told may hold this much; it is small and rare.
const CONTROL_BOUND: usize = 16 << 20;

#[derive(Clone, Debug)]
pub struct OutboxEntry {
    /// What this answers.
    pub request_id: Option<RequestId>,
    pub publication: Publication,
    /// Shared by all connections that are told the publication.
    pub encodings: Arc<Encodings>,
}

impl OutboxEntry {
    pub fn new(publication: Publication) -> Self {
        Self { request_id: None, publication, encodings: Arc::default() }
    }
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
    /// What the streams of sessions hold.
    stream_bytes: usize,
    /// What every connection is told, without what a newer state may replace.
    control_bytes: usize,
    entries: BTreeMap<u64, OutboxEntry>,
    /// The tickets of entries that a newer state may replace.
    replaceable: HashMap<Replaces, u64>,
    next_ticket: u64,
    streams: HashMap<SessionId, Stream>,
}

/// A session that the connection opened.
#[derive(Debug, Default)]
struct Stream {
    feed: Feed,
    /// Where the connection stands: the last of this session that was taken out.
    sent: Option<(Epoch, Seq)>,
}

/// Nothing of a stream is accepted before the history that it builds on.
#[derive(Debug, Default, PartialEq, Eq)]
enum Feed {
    /// The history is on its way.
    #[default]
    Waiting,
    Live,
    /// It broke off, and nobody has asked for its history yet.
    Lost,
}

impl Outbox {
    /// `bound` is in bytes. A single entry may be larger: it has to be sent somehow.
    pub fn new(bound: usize) -> Self {
        Self {
            bound,
            stream_bytes: 0,
            control_bytes: 0,
            entries: BTreeMap::new(),
            replaceable: HashMap::new(),
            next_ticket: 0,
            streams: HashMap::new(),
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
        self.push_entry(OutboxEntry { request_id, ..OutboxEntry::new(publication) });
    }

    pub(super) fn push_entry(&mut self, entry: OutboxEntry) {
        let publication = &entry.publication;
        if !self.is_wanted(publication) {
            return;
        }
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        if let Some(replaces) = publication.replaces()
            && let Some(older) = self.replaceable.insert(replaces, ticket)
        {
            self.remove(older);
        }
        let is_stream = publication.stream().is_some();
        if is_stream && self.stream_bytes > 0 && self.stream_bytes + publication.size() > self.bound
        {
            return self.lose_all();
        }
        if let Some(bytes) = self.bytes_of(publication) {
            *bytes += publication.size();
        }
        self.entries.insert(ticket, entry);
    }

    pub fn pop(&mut self) -> Option<OutboxEntry> {
        let ticket = *self.entries.first_key_value()?.0;
        let entry = self.remove(ticket)?;
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

    /// Whether the connection takes so little that it has to be given up.
    pub fn is_hopeless(&self) -> bool {
        self.control_bytes > CONTROL_BOUND
    }

    /// The stream of a session broke off and has to be told again.
    pub fn lose(&mut self, session: &SessionId) {
        self.drop_entries_of(session);
        if let Some(stream) = self.streams.get_mut(session) {
            stream.feed = Feed::Lost;
        }
    }

    /// A session that has to be told again, if there is one and nothing else waits: one at a time, so that telling
    /// one does not push out another.
    pub fn take_resync(&mut self) -> Option<Resync> {
        if self.stream_bytes > 0 {
            return None;
        }
        let (session_id, stream) =
            self.streams.iter_mut().find(|(_, stream)| stream.feed == Feed::Lost)?;
        stream.feed = Feed::Waiting;
        Some(Resync { session_id: session_id.clone(), from: stream.sent.clone() })
    }

    fn lose_all(&mut self) {
        self.entries.retain(|_, entry| entry.publication.stream().is_none());
        self.replaceable.retain(|_, ticket| self.entries.contains_key(ticket));
        self.stream_bytes = 0;
        self.streams.values_mut().for_each(|stream| stream.feed = Feed::Lost);
    }

    fn remove(&mut self, ticket: u64) -> Option<OutboxEntry> {
        let entry = self.entries.remove(&ticket)?;
        if let Some(bytes) = self.bytes_of(&entry.publication) {
            *bytes -= entry.publication.size();
        }
        Some(entry)
    }

    /// What a publication counts against. States are as many as there are sessions, and count against nothing.
    fn bytes_of(&mut self, publication: &Publication) -> Option<&mut usize> {
        match publication {
            Publication::Upsert(_)
            | Publication::Turn(_)
            | Publication::History(_)
            | Publication::Plan(_) => Some(&mut self.stream_bytes),
            Publication::PermissionRequested(_)
            | Publication::PermissionResolved(_)
            | Publication::Created(_)
            | Publication::News(_)
            | Publication::Problem(_) => Some(&mut self.control_bytes),
            Publication::Status(_) => None,
        }
    }

    fn is_wanted(&mut self, publication: &Publication) -> bool {
        let Some(session) = publication.stream() else { return true };
        let Some(stream) = self.streams.get_mut(session) else { return false };
        if matches!(publication, Publication::History(_)) {
            stream.feed = Feed::Live;
        }
        stream.feed == Feed::Live
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

    fn drop_entries_of(&mut self, session: &SessionId) {
        let of_session = |entry: &OutboxEntry| entry.publication.stream() == Some(session);
        let tickets: Vec<_> = self
            .entries
            .iter()
            .filter(|(_, entry)| of_session(entry))
            .map(|(ticket, _)| *ticket)
            .collect();
        for ticket in tickets {
            self.remove(ticket);
        }
        self.replaceable.retain(|_, ticket| self.entries.contains_key(ticket));
    }
}
