//! Results of tools, and the work of subagents under the item that runs them.

use contract::{CallId, ItemId, ItemStatus, Text, TurnId};
use pipeline::Now;
use serde_json::value::RawValue;

use super::tools::ToolOutcome;
use super::{Place, TimelineAssembler, block};
use crate::line::{Block, Content, Message};

impl TimelineAssembler {
    /// Takes the results that a line of the user's side carries. Its other words are the CLI's own.
    /// Returns the calls that were answered, and not with an error.
    pub(crate) fn take_results(
        &mut self,
        content: &Content<'_>,
        account: Option<&RawValue>,
        now: Now,
    ) -> Vec<CallId> {
        let results = content.blocks().iter().filter(|block| is_result(block));
        let results: Vec<_> = results.filter(|block| block.tool_use_id.given().is_some()).collect();
        let mut answered = Vec::new();
        for block in results {
            let call = self.take_result(block, account, now);
            if block.is_error != Some(true) {
                answered.push(call);
            }
        }
        answered
    }

    fn take_result(&mut self, line: &Block<'_>, account: Option<&RawValue>, now: Now) -> CallId {
        self.may_take_in = true;
        let call_id = CallId::from(line.tool_use_id.as_str());
        let Some(turn) = self.turn.clone() else {
            // Nothing has happened that it could belong to.
            return call_id;
        };
        let item = ItemId::from(format!("{turn}:{}:tool:{call_id}", self.ordinal.max(1)));
        let outcome = ToolOutcome {
            output: Text::from(line.content.to_plain_text()),
            is_error: line.is_error.unwrap_or_default(),
            account,
        };
        let (_, tools, mut emit) = self.parts(now);
        let unknown = Place { turn: &turn, item: &item, parent: None };
        tools.end(&call_id, outcome, &unknown, &mut emit);
        call_id
    }

    /// A subagent's message: finished blocks, which never stream.
    pub(crate) fn take_child_message(&mut self, parent: &str, message: &Message<'_>, now: Now) {
        for line in message.content.blocks() {
            let (turn, item, parent_item) = self.child_place(parent);
            let (_, tools, mut emit) = self.parts(now);
            let place = Place { turn: &turn, item: &item, parent: parent_item.as_ref() };
            let body = match line.kind.as_str() {
                "text" => block::message(Text::from(line.text.as_str())),
                "thinking" => block::thinking(Text::from(line.thinking.as_str()), &emit),
                "tool_use" => {
                    let call_id = CallId::from(line.id.as_str());
                    tools.begin(&call_id, &line.name, &place, &mut emit);
                    tools.set_runner(&call_id, parent);
                    tools.set_arguments(&call_id, line.input, &mut emit);
                    continue;
                }
                _ => continue,
            };
            emit.push(&place, ItemStatus::Create, now.wall, body.clone());
            emit.push(&place, ItemStatus::Complete, now.wall, body);
        }
    }

    /// Work for a call that nobody made known stands on its own in the turn that is open, or was last.
    fn child_place(&mut self, parent: &str) -> (TurnId, ItemId, Option<ItemId>) {
        if let Some((turn, item, parent_item)) = self.tools.next_child(parent) {
            return (turn, item, Some(parent_item));
        }
        let turn = self.turn.clone().unwrap_or_else(|| TurnId::from("unknown-turn"));
        self.ordinal += 1;
        let item = ItemId::from(format!("{turn}:{}:{parent}", self.ordinal));
        (turn, item, None)
    }
}

fn is_result(block: &Block<'_>) -> bool {
    block.kind.ends_with("tool_result")
}
