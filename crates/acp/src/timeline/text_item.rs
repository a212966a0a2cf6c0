//! A message or a thought while it grows.

use agent_client_protocol_schema::v1::MessageId;
use contract::{
    ItemId, ItemStatus, MessageOrigin, STREAM_LIMIT, Text, Timestamp, TurnId, UpsertBody,
};
use pipeline::{GrowingText, Moment};

use super::emit::{Emit, Failure, Place};
use crate::update::{Chunk, Speaker};

/// Bytes after which a text goes on in another item. All of an item is in memory while it grows, several times over while it is
/// written down and told, and an agent that never ends its message must not fill it. An item that ends here, and not much
/// later, is shown as it is: the stream shortens longer ones.
const LONGEST: usize = STREAM_LIMIT / 4 * 3;

#[derive(Debug)]
pub(super) struct TextItem {
    turn_id: TurnId,
    item_id: ItemId,
    speaker: Speaker,
    message: Option<MessageId>,
    text: GrowingText,
    source: Timestamp,
}

impl TextItem {
    pub(super) fn new(
        turn_id: TurnId,
        item_id: ItemId,
        speaker: Speaker,
        message: Option<MessageId>,
    ) -> Self {
        let (text, source) = (GrowingText::default(), Timestamp::default());
        Self { turn_id, item_id, speaker, message, text, source }
    }

    /// Whether a chunk belongs to this item.
    pub(super) fn takes(&self, speaker: Speaker, chunk: &Chunk<'_>) -> bool {
        let is_same = match (&self.message, &chunk.message) {
            (Some(mine), Some(its)) => mine == its,
            (None, _) | (_, None) => true,
        };
        self.speaker == speaker && is_same && self.text.len() < LONGEST
    }

    /// Whether the agent says by an id where the message ends.
    pub(super) fn is_named(&self) -> bool {
        self.message.is_some()
    }

    pub(super) fn push(&mut self, text: &str, emit: &mut Emit<'_>) {
        // Agents separate parts of their thinking by empty lines, also before the first one.
        let text = if self.text.is_empty() { text.trim_start_matches('\n') } else { text };
        if text.is_empty() {
            return;
        }
        self.source = emit.now.wall;
        if self.text.push(text, emit.now.moment, emit.batching) {
            self.show(emit);
        }
    }

    pub(super) fn deadline(&self) -> Option<Moment> {
        self.text.deadline()
    }

    pub(super) fn handle_timeout(&mut self, emit: &mut Emit<'_>) {
        if self.deadline().is_none_or(|deadline| deadline > emit.now.moment) {
            return;
        }
        if self.text.has_news(emit.batching.pace) {
            self.show(emit);
        } else {
            self.text.disarm();
        }
    }

    fn show(&mut self, emit: &mut Emit<'_>) {
        let (status, text) = self.text.show(&emit.batching.gradient);
        let body = self.body(text, emit);
        emit.push(&self.place(), status, body);
    }

    /// Ends it well. White space that was never shown leaves no trace.
    pub(super) fn complete(&mut self, emit: &mut Emit<'_>) {
        let was_shown = self.text.was_shown();
        if !was_shown && !self.text.has_news(emit.batching.pace) {
            return;
        }
        let body = {
            let text = self.text.whole();
            self.body(text, emit)
        };
        if !was_shown {
            emit.push(&self.place(), ItemStatus::Create, body.clone());
        }
        emit.push(&self.place(), ItemStatus::Complete, body);
    }

    /// Ends it badly, with all its text.
    pub(super) fn fail(&mut self, failure: &Failure<'_>, emit: &mut Emit<'_>) {
        if self.text.was_shown() || self.text.has_news(emit.batching.pace) {
            let body = {
                let text = self.text.whole();
                self.body(text, emit)
            };
            emit.push_error(&self.place(), body, failure);
        }
    }

    fn body(&self, content: Text, emit: &Emit<'_>) -> UpsertBody {
        match self.speaker {
            Speaker::Thought => {
                UpsertBody::Thinking { content, provider_id: emit.provider.clone() }
            }
            Speaker::Agent => UpsertBody::Message { content, origin: MessageOrigin::Agent },
            Speaker::User => UpsertBody::Message { content, origin: MessageOrigin::User },
        }
    }

    fn place(&self) -> Place<'_> {
        Place { turn: &self.turn_id, item: &self.item_id, source: self.source }
    }
}
