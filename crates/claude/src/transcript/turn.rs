//! A turn while its lines are read: how it would end now, and what it has consumed.

use std::collections::BTreeMap;

use crate::event::TurnResult;
use crate::line::{ApiUsage, ModelUsage, Word};

use super::line::MessageHead;

#[derive(Debug, Default)]
pub(super) struct ReadTurn<'a> {
    pub(super) ending: Ending<'a>,
    /// Whether anything was said or done in it.
    pub(super) has_content: bool,
    message: Option<OpenMessage<'a>>,
    spent: BTreeMap<Word<'a>, ModelUsage>,
}

/// How the turn ends if nothing more comes. A transcript has no line for it.
#[derive(Debug, Default)]
pub(super) enum Ending<'a> {
    /// The model's move: the turn was cut off.
    #[default]
    CutOff,
    Answered {
        stop_reason: Word<'a>,
    },
    Interrupted,
    Failed {
        status: Option<u16>,
        text: String,
    },
}

#[derive(Debug)]
struct OpenMessage<'a> {
    id: Word<'a>,
    model: Word<'a>,
    usage: ApiUsage,
    next_index: u32,
}

impl<'a> ReadTurn<'a> {
    /// Notes a line of a message; whether it is the first. The figures of its last line hold.
    pub(super) fn note_message(&mut self, head: &MessageHead<'a>) -> bool {
        let usage = head.usage.unwrap_or_default();
        match &mut self.message {
            Some(open) if open.id == head.id => {
                open.usage = usage;
                false
            }
            _ => {
                self.settle();
                let (id, model) = (head.id.clone(), head.model.clone());
                self.message = Some(OpenMessage { id, model, usage, next_index: 0 });
                true
            }
        }
    }

    /// Results of tools are for the model to answer, unless it was interrupted.
    pub(super) fn note_results(&mut self) {
        if !matches!(self.ending, Ending::Interrupted) {
            self.ending = Ending::CutOff;
        }
    }

    /// The place of the next block: the model's own index where it is told.
    pub(super) fn next_index(&mut self, told: Option<u32>) -> u32 {
        let Some(message) = &mut self.message else { return 0 };
        let index = told.unwrap_or(0).max(message.next_index);
        message.next_index = index.saturating_add(1);
        index
    }

    fn settle(&mut self) {
        let Some(message) = self.message.take() else { return };
        let total = self.spent.entry(message.model).or_default();
        let add = |total: &mut u64, more: Option<u64>| {
            *total = total.saturating_add(more.unwrap_or_default());
        };
        add(&mut total.input_tokens, message.usage.input_tokens);
        add(&mut total.output_tokens, message.usage.output_tokens);
        add(&mut total.cache_read_input_tokens, message.usage.cache_read_input_tokens);
        add(&mut total.cache_creation_input_tokens, message.usage.cache_creation_input_tokens);
    }

    /// The result that the agent told, as far as it can be known. `None` if the turn was cut off.
    pub(super) fn into_result(mut self) -> Option<TurnResult<'a>> {
        self.settle();
        let result = TurnResult {
            num_turns: u64::from(self.has_content),
            usage: (!self.spent.is_empty()).then(ApiUsage::default),
            model_usage_of_turn: Some(self.spent),
            ..TurnResult::default()
        };
        match self.ending {
            Ending::CutOff => None,
            Ending::Answered { stop_reason } => Some(TurnResult { stop_reason, ..result }),
            Ending::Interrupted => {
                Some(TurnResult { terminal_reason: Word::from("aborted_streaming"), ..result })
            }
            Ending::Failed { status, text } => Some(TurnResult {
                is_error: true,
                api_error_status: status,
                text: Word(text.into()),
                ..result
            }),
        }
    }
}
