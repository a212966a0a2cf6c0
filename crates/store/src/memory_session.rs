//! One session of the journal in memory.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use contract::{
    Attachment, ClientMessageId, HistoryPage, ItemId, PermissionId, PermissionRequest, QueuedTurn,
    Seq, SessionSent, TurnEvent, TurnId, UpsertObject,
};

use crate::order::check_order;
use crate::room::Room;
use crate::search::{Hit, Wanted, searched_text, snippet};
use crate::{
    Change, HistoryQuery, PageLimit, SavedSession, SessionRecord, StoreError, TurnProgress,
};

#[derive(Debug)]
pub(crate) struct MemorySession {
    record: SessionRecord,
    head: Seq,
    items: HashMap<ItemId, Arc<UpsertObject>>,
    /// Items by the seq of their creation: the order of the timeline.
    by_position: BTreeMap<Seq, ItemId>,
    /// Items by the seq of their last change.
    by_change: BTreeMap<Seq, ItemId>,
    turns: BTreeMap<Seq, Arc<TurnEvent>>,
    progress: HashMap<TurnId, TurnProgress>,
    queue: Vec<QueuedTurn>,
    attachments: HashMap<TurnId, Vec<Attachment>>,
    permissions: HashMap<PermissionId, PermissionRequest>,
    sent: HashMap<ClientMessageId, SessionSent>,
}

impl MemorySession {
    pub(crate) fn new(record: SessionRecord) -> Self {
        Self {
            record,
            head: Seq(0),
            items: HashMap::new(),
            by_position: BTreeMap::new(),
            by_change: BTreeMap::new(),
            turns: BTreeMap::new(),
            progress: HashMap::new(),
            queue: Vec::new(),
            attachments: HashMap::new(),
            permissions: HashMap::new(),
            sent: HashMap::new(),
        }
    }

    pub(crate) fn record(&self) -> &SessionRecord {
        &self.record
    }

    pub(crate) fn saved(&self) -> SavedSession {
        let mut waiting: Vec<_> = self
            .permissions
            .values()
            .filter(|request| request.outcome.is_none())
            .cloned()
            .collect();
        waiting.sort_by_key(|request| (request.asked_at, request.permission_id.clone()));
        let started =
            self.progress.iter().filter(|(_, progress)| **progress == TurnProgress::Started);
        let unfinished = self.by_position.values().filter_map(|id| self.items.get(id));
        SavedSession {
            record: self.record.clone(),
            head: self.head,
            queue: self.queue.clone(),
            attachments: self.attachments.clone(),
            waiting,
            last_failed: self.last_failed(),
            started: started.map(|(turn, _)| turn.clone()).collect(),
            has_run: !self.turns.is_empty(),
            bytes: self.items.values().map(|item| item.approximate_size() as u64).sum(),
            unfinished: unfinished.filter(|item| !item.is_final()).cloned().collect(),
        }
    }

    pub(crate) fn last_failed(&self) -> bool {
        let last = self.turns.values().rev().find(|event| event.kind.is_terminal());
        last.is_some_and(|event| event.kind.is_failure())
    }

    pub(crate) fn append(&mut self, changes: Vec<Change>) -> Result<(), StoreError> {
        check_order(&self.record.session_id, self.head, &changes)?;
        changes.into_iter().for_each(|change| self.apply(change));
        Ok(())
    }

    pub(crate) fn item(&self, item: &ItemId) -> Option<Arc<UpsertObject>> {
        self.items.get(item).cloned()
    }

    pub(crate) fn turn(&self, turn: &TurnId) -> Option<TurnProgress> {
        self.progress.get(turn).copied()
    }

    pub(crate) fn permission(&self, id: &PermissionId) -> Option<PermissionRequest> {
        self.permissions.get(id).cloned()
    }

    pub(crate) fn sent(&self, id: &ClientMessageId) -> Option<SessionSent> {
        self.sent.get(id).cloned()
    }

    /// Permission requests that are over.
    pub(crate) fn decided(&self) -> impl Iterator<Item = &PermissionRequest> {
        self.permissions.values().filter(|request| request.outcome.is_some())
    }

    pub(crate) fn is_unsettled(&self) -> bool {
        self.progress.values().any(|progress| *progress == TurnProgress::Started)
            || self.items.values().any(|item| !item.is_final())
            || self.permissions.values().any(|request| request.outcome.is_none())
            || !self.queue.is_empty()
    }

    /// Items that have all of the words, the newest first.
    pub(crate) fn search(&self, wanted: &Wanted) -> Vec<Hit> {
        let newest = self.by_position.values().rev().filter_map(|id| self.items.get(id));
        let found = newest.filter(|item| item.is_final()).filter_map(|item| {
            let text = searched_text(item);
            let lower = text.to_lowercase();
            let begins = |word: &str| {
                lower.split(|char: char| !char.is_alphanumeric()).any(|one| one.starts_with(word))
            };
            wanted.words().all(begins).then(|| Hit {
                session_id: self.record.session_id.clone(),
                item_id: item.item_id.clone(),
                snippet: snippet(&text, wanted),
            })
        });
        found.collect()
    }

    pub(crate) fn history(&self, query: HistoryQuery) -> HistoryPage {
        match query {
            HistoryQuery::Newest { limit } => self.page_before(self.head.next(), limit),
            HistoryQuery::Before { position, limit } => self.page_before(position, limit),
            HistoryQuery::After { seq, limit } => self.page_after(seq, limit),
            HistoryQuery::From { position, limit } => self.page_from(position, limit),
        }
    }

    fn apply(&mut self, change: Change) {
        self.head = change.seq().unwrap_or(self.head);
        match change {
            Change::Upsert(upsert) => self.put_item(upsert),
            Change::Turn(event) => {
                let progress = if event.kind.is_terminal() {
                    TurnProgress::Ended
                } else {
                    TurnProgress::Started
                };
                self.progress.insert(event.turn_id.clone(), progress);
                self.turns.insert(self.head, event);
            }
            Change::Queue(queue) => {
                let waits = |turn: &TurnId| queue.iter().any(|queued| queued.turn_id == *turn);
                self.attachments.retain(|turn, _| waits(turn));
                self.queue = queue;
            }
            Change::Attachments(turn, attachments) => {
                self.attachments.insert(turn, Arc::unwrap_or_clone(attachments));
            }
            Change::Permission(request) => {
                self.permissions.insert(request.permission_id.clone(), *request);
            }
            Change::Sent(id, answer) => {
                self.sent.insert(id, answer);
            }
            Change::Record(record) => self.record = *record,
        }
    }

    fn put_item(&mut self, upsert: Arc<UpsertObject>) {
        let id = upsert.item_id.clone();
        self.by_change.insert(self.head, id.clone());
        match self.items.insert(id.clone(), upsert) {
            Some(before) => {
                before.seq.and_then(|seq| self.by_change.remove(&seq));
            }
            None => {
                self.by_position.insert(self.head, id);
            }
        }
    }

    /// The newest items before `position`, with the events of their turns and the newest of the stretch that belong to none of
    /// them.
    fn page_before(&self, position: Seq, limit: PageLimit) -> HistoryPage {
        let mut room = Room::new(limit);
        let older = self.by_position.range(..position).rev();
        let mut entries: Vec<_> = older
            .filter_map(|(_, id)| self.items.get(id))
            .take_while(|item| room.takes(item.approximate_size()))
            .map(|item| (**item).clone())
            .collect();
        entries.reverse();
        let oldest = entries
            .first()
            .filter(|_| room.is_full)
            .and_then(|entry| entry.position)
            .unwrap_or_default();
        let shown: HashSet<_> = entries.iter().map(|entry| &entry.turn_id).collect();
        let mut beside = limit.entries;
        let mut belongs = |seq: Seq, event: &TurnEvent| {
            if shown.contains(&event.turn_id) {
                return true;
            }
            let is_beside = oldest <= seq && seq < position && beside > 0;
            beside -= usize::from(is_beside);
            is_beside
        };
        let newest_first = self.turns.iter().rev().filter(|(seq, event)| belongs(**seq, event));
        let mut turns: Vec<_> = newest_first.map(|(_, event)| (**event).clone()).collect();
        turns.reverse();
        HistoryPage {
            epoch: self.record.epoch.clone(),
            seq: self.head,
            entries,
            turns,
            more: room.is_full,
        }
    }

    fn page_from(&self, position: Seq, limit: PageLimit) -> HistoryPage {
        let items = self
            .by_position
            .range(position..)
            .filter_map(|(at, id)| Some((*at, self.items.get(id)?.approximate_size())));
        let turns = self.turns.range(position..).map(|(seq, _)| (*seq, 0));
        let mut places: Vec<(Seq, usize)> = items.chain(turns).collect();
        places.sort_unstable();
        let mut room = Room::new(limit);
        let last = places.into_iter().take_while(|(_, size)| room.takes(*size)).last();
        let until = last.map(|(at, _)| at).filter(|_| room.is_full).unwrap_or(self.head);
        let within = position..=until.max(position);
        let entries = self.by_position.range(within.clone());
        let turns = self.turns.range(within);
        HistoryPage {
            epoch: self.record.epoch.clone(),
            seq: until,
            entries: entries
                .filter_map(|(_, id)| self.items.get(id))
                .map(|item| (**item).clone())
                .collect(),
            turns: turns.map(|(_, event)| (**event).clone()).collect(),
            more: room.is_full,
        }
    }

    fn page_after(&self, seq: Seq, limit: PageLimit) -> HistoryPage {
        let from = seq.next()..;
        let items = self
            .by_change
            .range(from.clone())
            .filter_map(|(seq, id)| Some((*seq, self.items.get(id)?)));
        let items = items.map(|(seq, item)| (seq, item.approximate_size()));
        let turns = self.turns.range(from).map(|(seq, _)| (*seq, 0));
        let mut changed: Vec<(Seq, usize)> = items.chain(turns).collect();
        changed.sort_unstable();
        let mut room = Room::new(limit);
        let last = changed.into_iter().take_while(|(_, size)| room.takes(*size)).last();
        let until = last.map(|(seq, _)| seq).filter(|_| room.is_full).unwrap_or(self.head);
        let within = seq.next()..=until.max(seq.next());
        let mut entries: Vec<_> = self
            .by_change
            .range(within.clone())
            .filter_map(|(_, id)| self.items.get(id))
            .map(|item| (**item).clone())
            .collect();
        entries.sort_by_key(|entry| entry.position);
        let turns = self.turns.range(within).map(|(_, event)| (**event).clone()).collect();
        HistoryPage {
            epoch: self.record.epoch.clone(),
            seq: until,
            entries,
            turns,
            more: room.is_full,
        }
    }
}
