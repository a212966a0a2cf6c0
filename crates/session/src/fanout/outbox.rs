//! What one connection has not been sent yet.
//!
//! Invariants: within a session `seq` only grows; turn events, requests and answers are neither merged nor reordered;
//! memory is bounded. Past the bound of the streams they are dropped, and every open session is told again from the
//! journal. What every connection is told is never dropped: past its own bound the connection is given up. A request whose
//! answer is dropped with its stream is answered by what is told instead.

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
    /// The request whose answer was lost.
    pub request_id: Option<RequestId>,
}

#[derive(Debug)]
pub struct Outbox {
    bound: usize,
    held: Held,
    entries: BTreeMap<u64, OutboxEntry>,
    /// The tickets of entries that a newer state may replace.
    replaceable: HashMap<Replaces, u64>,
    next_ticket: u64,
    streams: HashMap<SessionId, Stream>,
}

/// Bytes that wait, by what they count against.
#[derive(Debug, Default)]
struct Held {
    /// Where streams begin. Apart from what follows, or a long history would be pushed out by its first successor, and be
    /// told again for ever.
    histories: usize,
    /// What streams say after that.
    streams: usize,
    /// What every connection is told, without what a newer state may replace.
    control: usize,
}

/// A session that the connection opened.
#[derive(Debug, Default)]
struct Stream {
    feed: Feed,
    /// Asked for the stream, and was not answered because its history was dropped.
    unanswered: Option<RequestId>,
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
    /// `bound` is in bytes, for histories and for what follows them each. A single entry may be larger: it has to be sent
    /// somehow.
    pub fn new(bound: usize) -> Self {
        Self {
            bound,
            held: Held::default(),
            entries: BTreeMap::new(),
            replaceable: HashMap::new(),
            next_ticket: 0,
            streams: HashMap::new(),
        }
    }

    /// The connection wants the stream of a session; it begins with a history.
    /// Tells whether it was open before.
    pub fn open(&mut self, session: &SessionId) -> bool {
        self.streams.insert(session.clone(), Stream::default()).is_some()
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
        if self.is_hopeless() || !self.is_wanted(publication) {
            return;
        }
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        if let Some(replaces) = publication.replaces()
            && let Some(older) = self.replaceable.insert(replaces, ticket)
        {
            self.remove(older);
        }
        let (is_stream, bound, size) =
            (publication.stream().is_some(), self.bound, publication.size());
        let mut overflows = false;
        if let Some(bytes) = self.bytes_of(publication) {
            overflows = is_stream && *bytes > 0 && *bytes + size > bound;
            *bytes += size;
        }
        self.entries.insert(ticket, entry);
        if overflows {
            self.lose_all();
        }
        if self.is_hopeless() {
            self.give_up();
        }
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

    /// How much waits: messages, and their text in bytes.
    pub fn depth(&self) -> (usize, usize) {
        let Held { histories, streams, control } = &self.held;
        (self.entries.len(), histories + streams + control)
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether the connection takes so little that it has to be given up.
    pub fn is_hopeless(&self) -> bool {
        self.held.control > CONTROL_BOUND
    }

    /// The stream of a session broke off and has to be told again.
    pub fn lose(&mut self, session: &SessionId) {
        self.drop_entries_of(session);
        if let Some(stream) = self.streams.get_mut(session) {
            stream.feed = Feed::Lost;
        }
    }

    /// A session that has to be told again, if there is one and no other history waits: one at a time, so that telling
    /// one does not push out another. What follows histories is not waited for: a busy session may never run out of it.
    pub fn take_resync(&mut self) -> Option<Resync> {
        if self.held.histories > 0 {
            return None;
        }
        let (session_id, stream) =
            self.streams.iter_mut().find(|(_, stream)| stream.feed == Feed::Lost)?;
        stream.feed = Feed::Waiting;
        Some(Resync {
            session_id: session_id.clone(),
            from: stream.sent.clone(),
            request_id: stream.unanswered.take(),
        })
    }

    fn lose_all(&mut self) {
        self.drop_entries(|publication| publication.stream().is_some());
        self.streams.values_mut().for_each(|stream| stream.feed = Feed::Lost);
    }

    /// Nothing is kept for a connection that will not be told it.
    fn give_up(&mut self) {
        self.entries.clear();
        self.replaceable.clear();
        self.streams.clear();
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
            Publication::History(_) => Some(&mut self.held.histories),
            Publication::Upsert(_) | Publication::Turn(_) | Publication::Plan(_) => {
                Some(&mut self.held.streams)
            }
            Publication::PermissionRequested(_)
            | Publication::PermissionResolved(_)
            | Publication::Created(_)
            | Publication::News(_)
            | Publication::Problem(_) => Some(&mut self.held.control),
            Publication::Status(_) | Publication::Glance(_) => None,
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
        self.drop_entries(|publication| publication.stream() == Some(session));
    }

    fn drop_entries(&mut self, is_dropped: impl Fn(&Publication) -> bool) {
        let dropped = self.entries.iter().filter(|(_, entry)| is_dropped(&entry.publication));
        let tickets: Vec<_> = dropped.map(|(ticket, _)| *ticket).collect();
        for entry in
            tickets.into_iter().filter_map(|ticket| self.remove(ticket)).collect::<Vec<_>>()
        {
            let stream = entry.publication.stream().and_then(|id| self.streams.get_mut(id));
            if let (Some(stream), Some(id)) = (stream, entry.request_id) {
                stream.unanswered = Some(id);
            }
        }
        self.replaceable.retain(|_, ticket| self.entries.contains_key(ticket));
    }
}
