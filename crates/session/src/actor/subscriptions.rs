//! Connections that want the session's stream.
//!
//! The session reads the history and adds the connection in one turn of its loop, so nothing can fall between.

use std::sync::{Arc, Weak};

use contract::{Epoch, HistoryMode, HistoryPage, Seq};
use store::{HistoryQuery, PageLimit, StoreError};

use super::{Actor, Subscription};
use crate::fanout::{History, Plan, Publication, Subscriber};

/// What a history brings at once; older items are had by HTTP.
const PAGE: PageLimit = PageLimit { entries: 200, bytes: 1 << 20 };

impl Actor {
    pub(super) async fn subscribe(&mut self, subscription: Subscription) {
        let (mode, page) = match self.history_from(subscription.from.clone()).await {
            Ok(found) => found,
            Err(error) => {
                drop(subscription.reply.send(Err(error.into())));
                return;
            }
        };
        let history = self.history(mode, page, subscription.resync);
        subscription
            .subscriber
            .answer(Publication::History(Arc::new(history)), subscription.request_id);
        if let Some(plan) = self.plan() {
            subscription.subscriber.answer(plan, None);
        }
        self.unsubscribe(&subscription.subscriber);
        self.subscribers.push(Arc::downgrade(&subscription.subscriber));
        // The connection may be gone; then it is forgotten at the next publication.
        drop(subscription.reply.send(Ok(())));
    }

    /// Those that went are forgotten too: in a session where nothing happens they would add up.
    pub(super) fn unsubscribe(&mut self, subscriber: &Arc<Subscriber>) {
        let gone = Arc::downgrade(subscriber);
        self.subscribers.retain(|known| known.strong_count() > 0 && !Weak::ptr_eq(known, &gone));
    }

    pub(super) fn publish_plan(&mut self) {
        if let Some(plan) = self.plan() {
            self.publish(&plan);
        }
    }

    /// What the agent means to do, if it ever told.
    fn plan(&self) -> Option<Publication> {
        let entries = self.core.plan()?.to_vec();
        let session_id = self.core.record().session_id.clone();
        Some(Publication::Plan(Arc::new(Plan { session_id, entries })))
    }

    /// After a load every connection that opened the session gets its history anew. Where it cannot be read they ask again
    /// later, each by itself: the agent is there all the same.
    pub(super) async fn show_history(&mut self) {
        match self.history_from(None).await {
            Ok((mode, page)) => {
                let history = Publication::History(Arc::new(self.history(mode, page, false)));
                self.publish(&history);
            }
            Err(error) => {
                tracing::warn!(%error, "the history cannot be shown");
                let session = &self.core.record().session_id;
                let followers = self.subscribers.iter().filter_map(Weak::upgrade);
                followers.for_each(|subscriber| subscriber.lose(session));
            }
        }
    }

    /// What is newer, if the client stands on our numbering and has not missed more than a page; else the newest page.
    async fn history_from(
        &self,
        from: Option<(Epoch, Seq)>,
    ) -> Result<(HistoryMode, HistoryPage), StoreError> {
        let record = self.core.record();
        let newest = HistoryQuery::Newest { limit: PAGE };
        let Some((epoch, seq)) = from else {
            return Ok((
                HistoryMode::Full,
                self.parts.journal.history(&record.session_id, newest).await?,
            ));
        };
        if epoch == record.epoch {
            let missed = HistoryQuery::After { seq, limit: PAGE };
            let page = self.parts.journal.history(&record.session_id, missed).await?;
            if !page.more && seq <= page.seq {
                return Ok((HistoryMode::Since, page));
            }
        }
        Ok((HistoryMode::Reset, self.parts.journal.history(&record.session_id, newest).await?))
    }

    fn history(&self, mode: HistoryMode, page: HistoryPage, resync: bool) -> History {
        let session_id = self.core.record().session_id.clone();
        History { session_id, mode, resync, page: page.shortened() }
    }
}
