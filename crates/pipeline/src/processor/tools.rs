//! What events do to tool calls: `create` when one begins, `complete` when its result arrives.

use contract::{CallId, ItemId, ItemStatus, Text, ToolArguments};

use super::emit::State;
use super::item::{Item, ToolItem, call_body};
use super::items::Items;
use super::{Context, UpsertProcessor};

impl UpsertProcessor {
    pub(super) fn start_tool(
        &mut self,
        context: Context<'_>,
        item_id: &ItemId,
        name: &str,
        call_id: &CallId,
    ) {
        if self.items.calls.contains_key(call_id) || !self.items.is_free(item_id) {
            return self.ignore();
        }
        self.open_tool(context, item_id, name, call_id, ToolArguments::default());
    }

    /// The arguments of a call are final. Told with its result, or at once if its start was never seen.
    pub(super) fn settle_tool(
        &mut self,
        context: Context<'_>,
        item_id: &ItemId,
        name: &str,
        call_id: &CallId,
        arguments: &ToolArguments,
    ) {
        let Items { by_id, calls, .. } = &mut self.items;
        if let Some(first) = calls.get(call_id) {
            let Some(Item::Tool(tool)) = by_id.get_mut(first) else { return self.ignore() };
            if let Err(error) = tool.share.grow(arguments.approximate_size()) {
                let first = first.clone();
                return self.fail_item(context, &first, &error);
            }
            name.clone_into(&mut tool.name);
            tool.arguments = arguments.clone();
        } else if self.items.is_free(item_id) {
            self.open_tool(context, item_id, name, call_id, arguments.clone());
        } else {
            self.ignore();
        }
    }

    fn open_tool(
        &mut self,
        context: Context<'_>,
        item_id: &ItemId,
        name: &str,
        call_id: &CallId,
        arguments: ToolArguments,
    ) {
        let identity = self.items.identity(context.event, item_id);
        let share = match self.items.room.open(name.len() + arguments.approximate_size()) {
            Ok(share) => share,
            Err(error) => {
                let body =
                    call_body(name.to_owned(), ToolArguments::default(), call_id.clone(), None);
                return self.refuse_item(context, &identity, body, error);
            }
        };
        let tool = ToolItem {
            identity,
            name: name.to_owned(),
            arguments,
            call_id: call_id.clone(),
            source_timestamp: context.event.timestamp,
            share,
        };
        self.items.calls.insert(call_id.clone(), item_id.clone());
        let state = State {
            status: ItemStatus::Create,
            body: tool.body(None),
            source: tool.source_timestamp,
            error: None,
        };
        self.emit_item(&tool.identity, state, context.now.wall);
        self.items.by_id.insert(item_id.clone(), Item::Tool(tool));
    }

    pub(super) fn finish_tool(
        &mut self,
        context: Context<'_>,
        call_id: &CallId,
        output: &str,
        is_error: bool,
    ) {
        let Some(item_id) = self.items.calls.get(call_id).cloned() else { return self.ignore() };
        let Some(Item::Tool(_)) = self.items.by_id.get(&item_id) else { return self.ignore() };
        let Some(Item::Tool(tool)) = self.items.end(&item_id, &context.event.turn_id) else {
            return;
        };
        let body = tool.body(Some((Text::from(output), is_error)));
        let state = State {
            status: ItemStatus::Complete,
            body,
            source: context.event.timestamp,
            error: None,
        };
        self.emit_item(&tool.identity, state, context.now.wall);
    }
}
