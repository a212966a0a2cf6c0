//! What events do to messages and thinking.

use contract::{FinalItem, ItemId, ItemStart, ItemStatus, Text, Timestamp, UpsertBody};

use super::emit::State;
use super::item::{Item, TextItem, TextKind};
use super::{Context, UpsertProcessor};
use crate::gradient::BatchGradient;
use crate::growing_text::GrowingText;
use crate::moment::Now;

impl UpsertProcessor {
    pub(super) fn start_text(&mut self, context: Context<'_>, item_id: &ItemId, start: &ItemStart) {
        // A second start of an open item keeps its text.
        if !self.items.is_free(item_id) {
            return self.ignore();
        }
        let (kind, initial) = match start {
            ItemStart::Message { initial_content } => (TextKind::Message, initial_content),
            ItemStart::Reasoning { initial_content } => {
                (TextKind::Thinking { provider_id: self.provider_id.clone() }, initial_content)
            }
            ItemStart::FunctionCall { .. } | ItemStart::FunctionCallOutput { .. } => return,
        };
        let identity = self.items.identity(context.event, item_id);
        let share = match self.items.room.open(initial.as_ref().map_or(0, String::len)) {
            Ok(share) => share,
            Err(error) => {
                return self.refuse_item(context, &identity, kind.body(Text::default()), error);
            }
        };
        let mut item = TextItem {
            identity,
            kind,
            text: GrowingText::default(),
            source_timestamp: context.event.timestamp,
            queued: None,
            share,
        };
        // Never shown at once, however long: the next delta or the deadline does that.
        if let Some(text) = initial.as_deref().filter(|text| !text.is_empty()) {
            item.push(text, context, &self.batching, &mut self.items.deadlines);
        }
        self.items.by_id.insert(item_id.clone(), Item::Text(item));
    }

    pub(super) fn grow(&mut self, context: Context<'_>, item_id: &ItemId, delta: &str) {
        let Some(Item::Text(item)) = self.items.by_id.get_mut(item_id) else {
            return self.ignore();
        };
        if let Err(error) = item.share.grow(delta.len()) {
            return self.fail_item(context, item_id, &error);
        }
        if item.push(delta, context, &self.batching, &mut self.items.deadlines) {
            let state = item.show(&self.batching.gradient);
            let identity = item.identity.clone();
            self.emit_item(&identity, state, context.now.wall);
        }
    }

    pub(super) fn show_overdue(&mut self, item_id: &ItemId, now: Now) {
        let Some(Item::Text(item)) = self.items.by_id.get_mut(item_id) else { return };
        if !item.text.has_news(self.batching.pace) {
            return item.text.disarm();
        }
        self.show_text(item_id, now);
    }

    pub(super) fn show_text(&mut self, item_id: &ItemId, now: Now) {
        let Some(Item::Text(item)) = self.items.by_id.get_mut(item_id) else { return };
        let state = item.show(&self.batching.gradient);
        let identity = item.identity.clone();
        self.emit_item(&identity, state, now.wall);
    }

    pub(super) fn finish_text(
        &mut self,
        context: Context<'_>,
        item_id: &ItemId,
        final_item: &FinalItem,
    ) {
        let (identity, body) = match self.items.by_id.get(item_id) {
            // Never started: its end is all there is of it.
            None => (
                self.items.identity(context.event, item_id),
                final_body(None, Text::default(), final_item),
            ),
            Some(Item::Text(_)) => {
                let Some(Item::Text(mut item)) = self.items.end(item_id, &context.event.turn_id)
                else {
                    return;
                };
                self.flush(&mut item, context.now.wall);
                (item.identity, final_body(Some(&item.kind), item.text.whole(), final_item))
            }
            Some(Item::Tool(_) | Item::Cancelled | Item::Ended(_)) => return self.ignore(),
        };
        self.items.end(item_id, &context.event.turn_id);
        let Some(body) = body else { return };
        let state = State {
            status: ItemStatus::Complete,
            body,
            source: context.event.timestamp,
            error: None,
        };
        self.emit_item(&identity, state, context.now.wall);
    }

    pub(super) fn flush(&mut self, item: &mut TextItem, emitted_at: Timestamp) {
        if item.text.has_news(self.batching.pace) {
            let state = item.show(&self.batching.gradient);
            self.emit_item(&item.identity, state, emitted_at);
        }
    }
}

impl TextItem {
    /// The state that a reader is to see now; it carries the time of the last text.
    fn show(&mut self, gradient: &BatchGradient) -> State {
        let (status, content) = self.text.show(gradient);
        State { status, body: self.kind.body(content), source: self.source_timestamp, error: None }
    }
}

/// The final text is authoritative; the kind of an item stays what it was when it was opened.
fn final_body(
    kind: Option<&TextKind>,
    streamed: Text,
    final_item: &FinalItem,
) -> Option<UpsertBody> {
    let (FinalItem::Message { content, .. } | FinalItem::Reasoning { content, .. }) = final_item
    else {
        return None;
    };
    // Equal text is shared with the states before, and so costs no copy.
    let content =
        if streamed == *content.as_str() { streamed } else { Text::from(content.as_str()) };
    Some(match (kind, final_item) {
        (None | Some(TextKind::Message), FinalItem::Message { origin, .. }) => {
            UpsertBody::Message { content, origin: *origin }
        }
        (None | Some(TextKind::Thinking { .. }), FinalItem::Reasoning { provider_id, .. }) => {
            UpsertBody::Thinking { content, provider_id: provider_id.clone() }
        }
        (Some(kind), _) => kind.body(content),
        (None, _) => return None,
    })
}
