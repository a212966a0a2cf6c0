//! What a turn consumed.
//!
//! The figures that include subagents, retries and interrupted calls are cumulative for the process, or for the session
//! on agents that carry them over a resume. A turn's share is the difference, unless the agent tells it itself.

use std::collections::BTreeMap;

use contract::Usage;

use crate::event::TurnResult;
use crate::line::{ApiUsage, ModelUsage, Word};

#[derive(Debug, Default)]
pub(crate) struct UsageMeter {
    before: Total,
    /// Tokens in the model's window at its last call.
    context_tokens: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Total {
    input: u64,
    output: u64,
    cache_read: u64,
    cache_creation: u64,
    cost_usd: f64,
}

impl UsageMeter {
    /// A call to the model began; its input is what the window holds.
    pub(crate) fn note_call(&mut self, usage: Option<ApiUsage>) {
        let Some(usage) = usage else { return };
        let parts =
            [usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens];
        self.context_tokens = Some(parts.into_iter().flatten().sum());
    }

    pub(crate) fn of_turn(&mut self, result: &TurnResult<'_>) -> Option<Usage> {
        let now = Total::of(&result.model_usage, result.total_cost_usd);
        let before = std::mem::replace(&mut self.before, now);
        let share = match &result.model_usage_of_turn {
            Some(of_turn) => Total::of(of_turn, None),
            None => now.since(before),
        };
        if result.model_usage.is_empty() && result.usage.is_none() {
            return None;
        }
        Some(Usage {
            input_tokens: share.input,
            output_tokens: share.output,
            cache_read_input_tokens: Some(share.cache_read),
            cache_creation_input_tokens: Some(share.cache_creation),
            cost_usd: result.total_cost_usd.map(|_| share.cost_usd),
            context_tokens: self.context_tokens,
            context_window: result.model_usage.values().filter_map(|of| of.context_window).max(),
        })
    }
}

impl Total {
    fn of(models: &BTreeMap<Word<'_>, ModelUsage>, cost_usd: Option<f64>) -> Self {
        let mut total = Self::default();
        for usage in models.values() {
            total.input += usage.input_tokens;
            total.output += usage.output_tokens;
            total.cache_read += usage.cache_read_input_tokens;
            total.cache_creation += usage.cache_creation_input_tokens;
            total.cost_usd += usage.cost_usd;
        }
        Self { cost_usd: cost_usd.unwrap_or(total.cost_usd), ..total }
    }

    /// Counters that went back have begun anew.
    fn since(self, before: Self) -> Self {
        let has_restarted = self.input < before.input || self.output < before.output;
        let before = if has_restarted { Self::default() } else { before };
        Self {
            input: self.input - before.input,
            output: self.output - before.output,
            cache_read: self.cache_read.saturating_sub(before.cache_read),
            cache_creation: self.cache_creation.saturating_sub(before.cache_creation),
            cost_usd: (self.cost_usd - before.cost_usd).max(0.0),
        }
    }
}
