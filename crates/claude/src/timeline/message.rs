//! Messages of the main loop: which one is open, and how its blocks begin, grow and settle.

use contract::{ErrorCode, ItemId, TurnId};
use pipeline::{Moment, Now};

use super::block::Block;
use super::tools::ToolBook;
use super::{Emit, Failure, TimelineAssembler};
use crate::line::{Block as BlockLine, Delta, Message};

/// Blocks of one message, and what they hold together while they grow. What is beyond them is no message of a model: more blocks
/// are told as another message, more words are cut.
const BLOCKS: usize = 1024;
const MOST: usize = 8 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct OpenMessage {
    /// Absent while only a placeholder.
    id: Option<String>,
    ordinal: u32,
    blocks: Vec<Block>,
    /// The agent was interrupted in it: a stop of its blocks means nothing.
    is_aborted: bool,
    is_stopped: bool,
}

impl OpenMessage {
    pub(super) fn deadline(&self) -> Option<Moment> {
        self.blocks.iter().filter_map(Block::deadline).min()
    }

    pub(super) fn handle_timeout(&mut self, emit: &mut Emit<'_>) {
        self.blocks.iter_mut().for_each(|block| block.handle_timeout(emit));
    }

    pub(super) fn into_blocks(self) -> Vec<Block> {
        self.blocks
    }

    /// How many bytes its blocks may still take.
    fn room(&self) -> usize {
        MOST.saturating_sub(self.blocks.iter().map(Block::held).sum())
    }

    fn block(&mut self, index: u32) -> Option<&mut Block> {
        self.blocks.iter_mut().rev().find(|block| block.index == index)
    }

    /// The block that a snapshot is about: the one being streamed, else the first that waits for one.
    fn block_for(&mut self, line: &BlockLine<'_>) -> Option<&mut Block> {
        let position = self
            .blocks
            .iter()
            .position(|block| block.is_open() && block.matches(line))
            .or_else(|| self.blocks.iter().position(|block| block.matches(line)))?;
        self.blocks.get_mut(position)
    }
}

impl TimelineAssembler {
    pub(crate) fn start_message(&mut self, id: &str, now: Now) {
        match &mut self.message {
            // Its blocks came before it did.
            Some(message) if message.id.is_none() && !message.is_stopped => {
                message.id = Some(id.to_owned());
            }
            _ => {
                self.settle_message(now);
                self.open_message(Some(id.to_owned()));
            }
        }
    }

    fn open_message(&mut self, id: Option<String>) {
        self.ordinal += 1;
        tracing::debug!(
            message_id = id.as_deref().unwrap_or("unknown"),
            item = %format_args!("{}:{}", self.turn.as_ref().map_or("", TurnId::as_str), self.ordinal),
            "message becomes items"
        );
        self.message = Some(OpenMessage {
            id,
            ordinal: self.ordinal,
            blocks: Vec::new(),
            is_aborted: false,
            is_stopped: false,
        });
    }

    pub(crate) fn start_block(&mut self, index: u32, line: &BlockLine<'_>, now: Now) {
        // A block that begins where one has ended belongs to a message whose start was lost.
        let belongs_to_next = self.message.as_mut().is_some_and(|message| {
            message.is_stopped || message.block(index).is_some_and(|block| !block.is_open())
        });
        if belongs_to_next {
            self.settle_message(now);
        }
        self.with_block(index, now, |block, tools, emit| block.start(line, tools, emit));
    }

    pub(crate) fn grow_block(&mut self, index: u32, delta: &Delta<'_>, now: Now) {
        if self.message.as_ref().is_some_and(|message| message.is_stopped) {
            self.settle_message(now);
        }
        let room = self.message.as_ref().map_or(MOST, OpenMessage::room);
        self.with_block(index, now, |block, _, emit| block.grow(delta, room, emit));
    }

    /// A stop ends a block only once its words are settled: the agent may still take the others back.
    pub(crate) fn stop_block(&mut self, index: u32, now: Now) {
        let has_snapshots = self.has_snapshots;
        let (Some(message), tools, mut emit) = self.parts(now) else { return };
        let is_aborted = message.is_aborted;
        let Some(block) = message.block(index) else { return };
        block.note_stop();
        if !is_aborted && (block.is_settled() || !has_snapshots) {
            block.complete(tools, &mut emit);
        }
    }

    pub(crate) fn stop_message(&mut self, abandoned_from: Option<u32>, now: Now) {
        let (Some(message), tools, mut emit) = self.parts(now) else { return };
        message.is_stopped = true;
        for block in &mut message.blocks {
            let is_abandoned = abandoned_from.is_some_and(|first| block.index >= first);
            if is_abandoned && !block.is_settled() {
                block.fail(&superseded(), tools, &mut emit);
            } else if !message.is_aborted && !block.is_open() {
                block.complete(tools, &mut emit);
            }
        }
    }

    /// Authoritative blocks. A message that was never started is one that did not stream.
    pub(crate) fn take_snapshot(&mut self, message: &Message<'_>, is_aborted: bool, now: Now) {
        self.may_take_in = false;
        match &mut self.message {
            Some(open) if open.id.as_deref() == message.id.given() => {}
            Some(open) if open.id.is_none() && !open.is_stopped => {
                open.id = message.id.given().map(str::to_owned);
            }
            _ => {
                self.supersede_message(now);
                self.open_message(message.id.given().map(str::to_owned));
            }
        }
        for line in message.content.blocks() {
            self.finalize_block(line, now);
        }
        if let Some(open) = &mut self.message {
            open.is_aborted |= is_aborted;
        }
    }

    fn finalize_block(&mut self, line: &BlockLine<'_>, now: Now) {
        let (Some(message), tools, mut emit) = self.parts(now) else { return };
        if let Some(block) = message.block_for(line) {
            return block.finalize(line, tools, &mut emit);
        }
        // It did not stream: it begins and ends here.
        let next = message.blocks.iter().map(|block| block.index + 1).max().unwrap_or(0);
        self.with_block(next, now, |block, tools, emit| {
            block.start(line, tools, emit);
            block.finalize(line, tools, emit);
            block.complete(tools, emit);
        });
    }

    /// The next message begins: what is settled or stopped is complete, what is not was taken back.
    fn settle_message(&mut self, now: Now) {
        let has_snapshots = self.has_snapshots;
        self.end_message(now, |block| block.is_settled() || !block.is_open() || !has_snapshots);
    }

    /// Another message stands in for the open one: what had no snapshot was taken back.
    fn supersede_message(&mut self, now: Now) {
        self.end_message(now, Block::is_settled);
    }

    fn end_message(&mut self, now: Now, is_good: impl Fn(&Block) -> bool) {
        let (message, tools, mut emit) = self.parts(now);
        for mut block in message.take().into_iter().flat_map(|message| message.blocks) {
            if is_good(&block) {
                block.complete(tools, &mut emit);
            } else {
                block.fail(&superseded(), tools, &mut emit);
            }
        }
    }

    /// Works on a block, opening a placeholder for it, and for its message, where there is none.
    fn with_block(
        &mut self,
        index: u32,
        now: Now,
        act: impl FnOnce(&mut Block, &mut ToolBook, &mut Emit<'_>),
    ) {
        let is_full = |message: &mut OpenMessage| {
            message.blocks.len() >= BLOCKS && message.block(index).is_none()
        };
        if self.message.as_mut().is_some_and(is_full) {
            self.settle_message(now);
        }
        if self.message.is_none() {
            self.open_message(None);
        }
        let turn = self.turn.clone();
        let (Some(message), tools, mut emit) = self.parts(now) else { return };
        if message.block(index).is_none() {
            let Some(turn) = turn else { return };
            let item = ItemId::from(format!("{turn}:{}:{index}", message.ordinal));
            message.blocks.push(Block::new(index, turn, item));
        }
        if let Some(block) = message.block(index) {
            act(block, tools, &mut emit);
        }
    }
}

fn superseded() -> Failure<'static> {
    Failure { code: ErrorCode::SUPERSEDED, message: "the agent took this back" }
}
