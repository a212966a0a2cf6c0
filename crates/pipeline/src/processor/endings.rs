//! How items end when they do not end by themselves: by failure, by cancelling, with their turn.

use contract::{ErrorCode, EventError, ItemId, ItemStatus, Text, Timestamp, UpsertBody};

use super::emit::State;
use super::item::{Identity, Item, TextItem, ToolItem};
use super::items::Scope;
use super::{Context, DestroyReason, UpsertProcessor};
use crate::moment::Now;

/// How the items that a turn left open are closed.
#[derive(Clone, Debug)]
pub(super) enum Closing {
    Complete,
    Error(EventError),
}

impl UpsertProcessor {
    /// Errored items stay errored, also those that nobody has heard of yet.
    pub(super) fn fail_item(&mut self, context: Context<'_>, item_id: &ItemId, error: &EventError) {
        match self.items.end(item_id, &context.event.turn_id) {
            Some(Item::Text(item)) => {
                self.close_text(item, Some(error.clone()), context.event.timestamp, context.now);
            }
            Some(Item::Tool(tool)) => {
                self.close_tool(&tool, Some(error.clone()), context.event.timestamp, context.now);
            }
            None | Some(Item::Cancelled | Item::Ended(_)) => self.ignore(),
        }
    }

    /// An item that cannot be opened is told as one that failed, so that whoever sent it sees why nothing more is heard.
    pub(super) fn refuse_item(
        &mut self,
        context: Context<'_>,
        identity: &Identity,
        body: UpsertBody,
        error: EventError,
    ) {
        self.items.end(&identity.item_id, &identity.turn_id);
        let (source, error) = (context.event.timestamp, Some(error));
        let state = State { status: ItemStatus::Error, body, source, error };
        self.emit_item(identity, state, context.now.wall);
    }

    /// What was shown ends as an error; what was not leaves no trace.
    pub(super) fn cancel_item(
        &mut self,
        context: Context<'_>,
        item_id: &ItemId,
        reason: Option<&str>,
    ) {
        let message = reason.unwrap_or("the item was cancelled").to_owned();
        let error = Some(EventError { code: ErrorCode::CANCELLED, message });
        match self.items.by_id.remove(item_id) {
            Some(Item::Text(item)) if item.text.was_shown() => {
                self.items.end(item_id, &item.identity.turn_id);
                self.close_text(item, error, context.event.timestamp, context.now);
            }
            Some(Item::Tool(tool)) => {
                self.items.end(item_id, &tool.identity.turn_id);
                self.close_tool(&tool, error, context.event.timestamp, context.now);
            }
            Some(Item::Ended(turn)) => {
                self.items.by_id.insert(item_id.clone(), Item::Ended(turn));
                self.ignore();
            }
            None | Some(Item::Text(_) | Item::Cancelled) => {
                self.items.by_id.insert(item_id.clone(), Item::Cancelled);
            }
        }
    }

    /// Closes what a turn left open: its text is shown first, so that nothing streamed is lost.
    pub(super) fn close_items(
        &mut self,
        scope: Scope<'_>,
        closing: &Closing,
        source: Timestamp,
        now: Now,
    ) {
        let error = match closing {
            Closing::Complete => None,
            Closing::Error(error) => Some(error),
        };
        for item in self.items.end_all(scope) {
            match item {
                Item::Text(item) if !item.text.was_shown() && item.text.is_empty() => {}
                Item::Text(mut item) => {
                    self.flush(&mut item, now.wall);
                    self.close_text(item, error.cloned(), source, now);
                }
                Item::Tool(tool) => self.close_tool(&tool, error.cloned(), source, now),
                Item::Cancelled | Item::Ended(_) => {}
            }
        }
    }

    /// One error per open item, even if all of its text was shown before.
    pub(super) fn destroy_items(&mut self, reason: Option<&DestroyReason>, now: Now) {
        let error = reason.map(|reason| EventError {
            code: reason.code.clone(),
            message: reason.message.clone(),
        });
        for item in self.items.end_all(Scope::All) {
            let (identity, body, source) = match item {
                Item::Text(mut item) => {
                    (item.identity, item.kind.body(item.text.whole()), item.source_timestamp)
                }
                Item::Tool(tool) => (tool.identity.clone(), tool.body(None), tool.source_timestamp),
                Item::Cancelled | Item::Ended(_) => continue,
            };
            self.emit_item(
                &identity,
                State { status: ItemStatus::Error, body, source, error: error.clone() },
                now.wall,
            );
        }
    }

    fn close_text(
        &mut self,
        mut item: TextItem,
        error: Option<EventError>,
        source: Timestamp,
        now: Now,
    ) {
        let status = if error.is_some() { ItemStatus::Error } else { ItemStatus::Complete };
        let body = item.kind.body(item.text.whole());
        self.emit_item(&item.identity, State { status, body, source, error }, now.wall);
    }

    fn close_tool(
        &mut self,
        tool: &ToolItem,
        error: Option<EventError>,
        source: Timestamp,
        now: Now,
    ) {
        let (status, output) = match error {
            Some(_) => (ItemStatus::Error, None),
            None => (ItemStatus::Complete, Some((Text::default(), false))),
        };
        self.emit_item(
            &tool.identity,
            State { status, body: tool.body(output), source, error },
            now.wall,
        );
    }
}
